// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA contexts on a device that imitates a card: what they report, and what happens beyond it.

#include "../dma/dma_rig.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_pe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((size_t)2 << 20)

static struct doca_pe *pe;
static struct doca_dma *lib;
static struct doca_ctx *lib_ctx;
static unsigned n_done, n_failed;
static doca_error_t last;
static uint8_t *from, *to;
static struct doca_mmap from_map, to_map;

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    last = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    n_done++;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    last = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    n_failed++;
}

static enum doca_ctx_states state(void)
{
    enum doca_ctx_states now;
    ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &now), DOCA_SUCCESS);
    return now;
}

// The device imitates a card with these lines.
static void begin(const char *lines)
{
    char why[CARD_WHY_SIZE];

    setup();
    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    from = calloc(2, LIMIT);
    to = calloc(2, LIMIT);
    from_map = local_map(from, 2 * LIMIT);
    to_map = local_map(to, 2 * LIMIT);
    n_done = n_failed = 0;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_create(&fake_dev, &lib), DOCA_SUCCESS);
    lib_ctx = doca_dma_as_ctx(lib);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, lib_ctx), DOCA_SUCCESS);
}

static void start(uint32_t n_tasks)
{
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, done, failed, n_tasks), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
}

static void end(void)
{
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(lib), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    free(from);
    free(to);
    teardown();
    card_init(&fake_card);
}

static struct doca_task *task_for(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_dma_task_memcpy *task;
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(lib, src, dst, (union doca_data){0}, &task),
                     DOCA_SUCCESS);
    return doca_dma_task_memcpy_as_task(task);
}

// The status of a copy of n bytes.
static doca_error_t copy_bytes(size_t n)
{
    struct doca_buf *src = buffer(&from_map, from, 2 * LIMIT, n);
    struct doca_buf *dst = buffer(&to_map, to, 2 * LIMIT, 0);
    struct doca_task *task = task_for(src, dst);

    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    doca_task_free(task);
    drop(src);
    drop(dst);
    return last;
}

START_TEST(a_long_copy_fails_and_stops_the_context)
{
    begin("dma.max_buf_size = 2M\nover_limit_fails = yes\n");
    start(8);
    ck_assert_int_eq(copy_bytes(LIMIT), DOCA_SUCCESS);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_RUNNING);
    ck_assert_int_eq(copy_bytes(LIMIT + 1), DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(n_failed, 1);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS); // it can go on
    ck_assert_int_eq(copy_bytes(LIMIT), DOCA_SUCCESS);
    end();
}
END_TEST

START_TEST(without_the_key_the_error_is_that_of_software)
{
    begin("dma.max_buf_size = 2M\n");
    start(8);
    ck_assert_int_eq(copy_bytes(LIMIT + 1), DOCA_ERROR_INVALID_VALUE);
    end();
    begin("");
    start(8);
    ck_assert_int_eq(copy_bytes(LIMIT + 1), DOCA_SUCCESS);
    end();
}
END_TEST

START_TEST(a_long_copy_is_refused_if_the_card_does_that)
{
    begin("dma.max_buf_size = 2M\nover_limit_refused = yes\n");
    start(8);
    struct doca_buf *src = buffer(&from_map, from, 2 * LIMIT, LIMIT + 1);
    struct doca_buf *dst = buffer(&to_map, to, 2 * LIMIT, 0);
    struct doca_task *task = task_for(src, dst);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    src->data_len = LIMIT; // it stayed with the program
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_done, 1);
    ck_assert_uint_eq(n_failed, 0);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_RUNNING);
    doca_task_free(task);
    drop(src);
    drop(dst);
    end();
}
END_TEST

START_TEST(capabilities_are_those_of_the_card)
{
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    uint64_t size;
    uint32_t n;

    begin("dma.max_buf_size = 3M\ndma.max_buf_list_len = 2\ndma.max_num_tasks = 4\n");
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(size, 3u << 20);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(doca_dma_cap_get_max_num_tasks(lib, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 4);
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, done, failed, 5), DOCA_ERROR_INVALID_VALUE);
    start(4);
    end();
}
END_TEST

START_TEST(lists_are_as_long_as_on_the_card)
{
    begin("dma.max_buf_list_len = 2\n");
    start(8);
    for (unsigned n = 2; n <= 3; n++) {
        struct doca_buf *src = buffer(&from_map, from, 64, 8);
        struct doca_buf *dst = buffer(&to_map, to, 256, 0);
        for (unsigned i = 1; i < n; i++)
            chain(src, buffer(&from_map, from + (size_t)64 * i, 64, 8));
        struct doca_task *task = task_for(src, dst);
        ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
        ck_assert_int_eq(last, n == 2 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        doca_task_free(task);
        drop(src);
        drop(dst);
    }
    end();
}
END_TEST

START_TEST(what_the_card_lacks_cannot_be_configured)
{
    begin("dma = no\n");
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, done, failed, 8), DOCA_ERROR_NOT_SUPPORTED);
    end();
}
END_TEST

START_TEST(a_stop_waits_for_tasks_that_were_not_freed)
{
    begin("stop_waits_for_tasks = yes\n");
    start(8);
    struct doca_task *first = task_for(NULL, NULL), *second = task_for(NULL, NULL);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_STOPPING);
    doca_task_free(first);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_STOPPING);
    ck_assert_int_eq(doca_dma_destroy(lib), DOCA_ERROR_IN_USE);
    doca_task_free(second);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    end();
}
END_TEST

static bool is_notified(void)
{
    doca_notification_handle_t handle;
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
    return poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 0) == 1;
}

// A program that sleeps until the context is idle must neither be woken in vain nor sleep for ever.
START_TEST(the_last_free_notifies)
{
    begin("stop_waits_for_tasks = yes\n");
    start(8);
    struct doca_task *first = task_for(NULL, NULL), *second = task_for(NULL, NULL);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(!is_notified());
    doca_task_free(first);
    ck_assert(!is_notified());
    doca_task_free(second);
    ck_assert(is_notified());
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    end();
}
END_TEST

START_TEST(a_failed_context_waits_for_them_too)
{
    begin("stop_waits_for_tasks = yes\n");
    start(8);
    struct doca_task *kept = task_for(NULL, NULL);
    ck_assert_int_eq(doca_task_submit(kept), DOCA_SUCCESS); // it has no buffers
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_failed, 1);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_STOPPING);
    doca_task_free(kept);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS); // by itself, or by a poll
    end();
}
END_TEST

// As secure channels do: free, stop, and poll until the context is idle.
START_TEST(tasks_that_are_freed_in_flight_do_not_keep_it)
{
    begin("stop_waits_for_tasks = yes\n");
    start(8);
    struct doca_buf *src = buffer(&from_map, from, 64, 64);
    struct doca_buf *dst = buffer(&to_map, to, 64, 0);
    struct doca_task *task = task_for(src, dst);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    doca_task_free(task);
    doca_task_free(task); // once is enough
    ck_assert_int_eq(doca_task_get_status(task), DOCA_ERROR_IN_PROGRESS);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_done + n_failed, 1);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    drop(src);
    drop(dst);
    end();
}
END_TEST

static void frees_it(struct doca_dma_task_memcpy *task, union doca_data data,
                     union doca_data ctx_data)
{
    done(task, data, ctx_data);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void submits_it_once(struct doca_dma_task_memcpy *task, union doca_data data,
                            union doca_data ctx_data)
{
    done(task, data, ctx_data);
    doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task));
    if (n_done == 1)
        ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
}

// The task is free once, whatever the callback does with it: the only one can be had again.
static void free_in_flight(doca_dma_task_memcpy_completion_cb_t callback, unsigned copies)
{
    begin("");
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, callback, callback, 1), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
    struct doca_buf *src = buffer(&from_map, from, 64, 64);
    struct doca_buf *dst = buffer(&to_map, to, 64, 0);
    struct doca_task *task = task_for(src, dst);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    doca_task_free(task);
    while (n_done < copies)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    if (copies > 1) // it was submitted again, and so not freed
        doca_task_free(task);
    struct doca_task *again = task_for(src, dst);
    ck_assert_ptr_eq(again, task);
    doca_task_free(again);
    drop(src);
    drop(dst);
    end();
}

START_TEST(a_task_that_is_freed_in_flight_goes_back_once)
{
    free_in_flight(done, 1);
    free_in_flight(frees_it, 1);
    free_in_flight(submits_it_once, 2);
}
END_TEST

START_TEST(software_does_not_wait)
{
    begin("");
    start(8);
    struct doca_task *kept = task_for(NULL, NULL);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    doca_task_free(kept);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_long_copy_fails_and_stops_the_context,
        without_the_key_the_error_is_that_of_software,
        a_long_copy_is_refused_if_the_card_does_that,
        capabilities_are_those_of_the_card,
        lists_are_as_long_as_on_the_card,
        what_the_card_lacks_cannot_be_configured,
        a_stop_waits_for_tasks_that_were_not_freed,
        a_failed_context_waits_for_them_too,
        tasks_that_are_freed_in_flight_do_not_keep_it,
        a_task_that_is_freed_in_flight_goes_back_once,
        software_does_not_wait,
        the_last_free_notifies,
    };
    return unit_run("cards", tests, ARRAY_SIZE(tests));
}
