// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The order of jobs of two contexts at one work queue, on a device that imitates a card: of the 2.2
// and the 1.5 interface. (DOCA 3: progress/test_card_order.c.)

#include "compat15/compat15.h"
#include "dma_rig.h"
#include "queue/card_clock.h"
#include "unit.h"

#include <doca_ctx.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define SEEDS 16
#define JOBS  6

static struct doca_dma *second;
static struct doca_ctx *contexts[2];
static uint8_t from[JOBS], to[JOBS];
static struct doca_mmap from_map, to_map;
static struct doca_buf *sources[JOBS], *targets[JOBS];
static unsigned n_jobs, ended[JOBS], n_ended;

static void add_second(bool is_1_5)
{
    ck_assert_int_eq(is_1_5 ? doca_1_5_dma_create(&second) : doca_dma_create(&second),
                     DOCA_SUCCESS);
    contexts[0] = ctx;
    contexts[1] = doca_dma_as_ctx(second);
    ck_assert_int_eq(doca_ctx_dev_add(contexts[1], &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(contexts[1]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(contexts[1], workq), DOCA_SUCCESS);
}

static void begin(unsigned seed, bool is_1_5, bool event_driven)
{
    char line[64], why[CARD_WHY_SIZE];

    snprintf(line, sizeof(line), "reorder = %u\n", seed);
    card_init(&fake_card);
    ck_assert(card_parse(seed ? line : "", "", &fake_card, why));
    if (is_1_5)
        setup_1_5();
    else
        setup_mode(event_driven);
    add_second(is_1_5);
    memset(to, 0, sizeof(to));
    memset(from, 1, sizeof(from));
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    n_jobs = n_ended = 0;
}

static void end(void)
{
    for (unsigned i = 0; i < n_jobs; i++) {
        drop(sources[i]);
        drop(targets[i]);
    }
    ck_assert_int_eq(doca_ctx_workq_rm(contexts[1], workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(contexts[1]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(second), DOCA_SUCCESS);
    teardown();
    card_init(&fake_card);
}

static void submit_to(unsigned of)
{
    unsigned i = n_jobs++;
    sources[i] = buffer(&from_map, &from[i], 1, 1);
    targets[i] = buffer(&to_map, &to[i], 1, 0);
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = contexts[of], .user_data.u64 = i},
        .src_buff = sources[i],
        .dst_buff = targets[i],
    };
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_SUCCESS);
}

// One call each.
static void retrieve_all(void)
{
    while (n_ended < n_jobs) {
        uint64_t id;
        ck_assert_int_eq(retrieve(&id), DOCA_SUCCESS);
        ended[n_ended++] = (unsigned)id;
    }
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
}

static bool is_ordered(void)
{
    for (unsigned i = 0; i < n_ended; i++)
        if (ended[i] != i)
            return false;
    return true;
}

// Jobs 0, 2, 4 are of the first context.
static void check_contexts(void)
{
    for (unsigned i = 0; i < n_ended; i++)
        for (unsigned k = i + 1; k < n_ended; k++)
            ck_assert(ended[i] % 2 != ended[k] % 2 || ended[i] < ended[k]);
}

static void check_seeds(bool is_1_5)
{
    unsigned first[JOBS], of_first_seed[JOBS], mixed = 0, differ = 0;

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        for (unsigned round = 0; round < 2; round++) {
            begin(seed, is_1_5, false);
            for (unsigned i = 0; i < JOBS; i++)
                submit_to(i % 2);
            retrieve_all();
            ck_assert_int_eq(memcmp(to, from, sizeof(to)), 0);
            check_contexts();
            if (round == 0)
                memcpy(first, ended, sizeof(first));
            ck_assert_int_eq(memcmp(first, ended, sizeof(first)), 0);
            mixed += !is_ordered();
            end();
        }
        if (seed == 1)
            memcpy(of_first_seed, first, sizeof(first));
        differ += memcmp(of_first_seed, first, sizeof(first)) != 0;
    }
    ck_assert_uint_gt(mixed, SEEDS); // most of them
    ck_assert_uint_gt(differ, SEEDS / 2);
}

START_TEST(a_seed_orders_jobs_of_2_2)
{
    check_seeds(false);
}
END_TEST

START_TEST(a_seed_orders_jobs_of_1_5)
{
    check_seeds(true);
}
END_TEST

START_TEST(a_retrieved_job_comes_first)
{
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        begin(seed, seed % 2, false);
        for (unsigned i = 0; i < JOBS; i++) {
            submit_to(i % 2);
            retrieve_all();
        }
        ck_assert(is_ordered());
        end();
    }
}
END_TEST

START_TEST(without_a_seed_the_order_stays)
{
    begin(0, false, false);
    for (unsigned i = 0; i < JOBS; i++)
        submit_to(i % 2);
    retrieve_all();
    ck_assert(is_ordered());
    end();
}
END_TEST

static uint64_t now; // of the card's clock, in ns

static uint64_t test_clock(void)
{
    return now;
}

// The second buffer of a list counts, too.
START_TEST(lists_take_the_time_of_all_their_bytes)
{
    char why[CARD_WHY_SIZE];

    card_clock_now = test_clock;
    card_init(&fake_card);
    ck_assert(card_parse("timing = yes\ndma.local.rate = 1000000000\n", "", &fake_card, why));
    if (_i)
        setup_1_5();
    else
        setup_mode(false);
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    struct doca_buf *src = buffer(&from_map, from, 2, 2), *dst = buffer(&to_map, to, JOBS, 0);
    chain(src, buffer(&from_map, from + 2, 3, 3));
    submit(src, dst, 1);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    now += 4;
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    now += 1;
    ck_assert_int_eq(retrieve(NULL), DOCA_SUCCESS);
    drop(src);
    drop(dst);
    teardown();
    card_init(&fake_card);
}
END_TEST

#define BROKERED 100

// Retrieves a job in a few calls; AGAIN if that is in vain.
static doca_error_t retrieve_some(uint64_t *id)
{
    doca_error_t r = DOCA_ERROR_AGAIN;
    for (unsigned i = 0; i < 8 && r == DOCA_ERROR_AGAIN; i++)
        r = retrieve(id);
    return r;
}

// The order depends on no engine: the next job is executed when the one before is done.
START_TEST(a_job_at_an_engine_is_waited_for)
{
    static uint8_t a[BROKERED], b[BROKERED];
    unsigned n_first = 0;

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        begin(seed, false, false);
        struct doca_mmap import, here = local_map(b, sizeof(b));
        uint64_t id;
        brokered_import(&import, a, BROKERED, BROKERED, 0, node_a);
        struct doca_buf *src = buffer(&import, shifted(a), BROKERED, BROKERED);
        struct doca_buf *dst = buffer(&here, b, BROKERED, 0);
        submit(src, dst, 99);
        submit_to(1);
        doca_error_t r = retrieve_some(&id);
        bool first = r == DOCA_ERROR_AGAIN;
        ck_assert(first || (r == DOCA_SUCCESS && id == 0));
        ck_assert_int_eq(retrieve_some(&id), DOCA_ERROR_AGAIN);
        serve_all();
        ck_assert_int_eq(retrieve_some(&id), DOCA_SUCCESS);
        ck_assert_uint_eq(id, 99);
        ck_assert_int_eq(retrieve_some(&id), first ? DOCA_SUCCESS : DOCA_ERROR_AGAIN);
        n_first += first;
        drop(src);
        drop(dst);
        release(&import);
        end();
    }
    ck_assert_uint_gt(n_first, 0);
    ck_assert_uint_lt(n_first, SEEDS);
}
END_TEST

// The program sleeps before each job.
START_TEST(a_sleeping_program_gets_them_all)
{
    begin(3, false, true);
    for (unsigned i = 0; i < JOBS; i++)
        submit_to(i % 2);
    doca_event_handle_t handle;
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    for (unsigned i = 0; i < JOBS; i++) {
        uint64_t id;
        ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
        ck_assert_int_eq(poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 0), 1);
        ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
        ck_assert_int_eq(retrieve(&id), DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 0), 0);
    end();
}
END_TEST

// Of both interfaces: a longer job is refused, and leaves nothing in flight.
static void check_refusal(bool is_1_5)
{
    static uint8_t bytes[2][(1 << 20) + 1];
    char why[CARD_WHY_SIZE];

    card_init(&fake_card);
    ck_assert(card_parse("dma.max_buf_size = 1M\nover_limit_refused = yes\n", "", &fake_card, why));
    if (is_1_5)
        setup_1_5();
    else
        setup();
    struct doca_mmap map = local_map(bytes[0], sizeof(bytes[0]));
    struct doca_mmap other = local_map(bytes[1], sizeof(bytes[1]));
    struct doca_buf *src = buffer(&map, bytes[0], sizeof(bytes[0]), sizeof(bytes[0]));
    struct doca_buf *dst = buffer(&other, bytes[1], sizeof(bytes[1]), 0);
    ck_assert_int_eq(try_submit(src, dst, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    src->data_len--;
    ck_assert_int_eq(copy(src, dst), DOCA_SUCCESS);
    drop(src);
    drop(dst);
    teardown();
    card_init(&fake_card);
}

START_TEST(a_long_job_is_refused_if_the_card_does_that)
{
    check_refusal(false);
    check_refusal(true);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("job_order");

    tcase_add_test(tcase, a_seed_orders_jobs_of_2_2);
    tcase_add_test(tcase, a_seed_orders_jobs_of_1_5);
    tcase_add_test(tcase, a_retrieved_job_comes_first);
    tcase_add_test(tcase, a_job_at_an_engine_is_waited_for);
    tcase_add_test(tcase, without_a_seed_the_order_stays);
    tcase_add_test(tcase, a_sleeping_program_gets_them_all);
    tcase_add_test(tcase, a_long_job_is_refused_if_the_card_does_that);
    tcase_add_loop_test(tcase, lists_take_the_time_of_all_their_bytes, 0, 2);
    return unit_run_case("job_order", tcase);
}
