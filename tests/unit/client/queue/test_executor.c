// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The executor, work queues and contexts, with a context of the test's own whose jobs
// are done at once, or when the test says so.

#include "core/refused.h"
#include "fake_core.h"
#include "unit.h"
#include "work/workq.h"

#include <doca_ctx.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FAKE_JOB 0x770001

struct fake_job {
    struct doca_job base;
    bool waits;        // until it is let go
    doca_error_t ends; // how
};

static bool let_go[64]; // by user data
static unsigned executed[4096], n_executed;

static doca_error_t prepare(struct work_item *item, const void *submitted)
{
    const struct fake_job *job = submitted;
    if (job->base.type != FAKE_JOB) {
        item->refusal = "not a fake job";
        return DOCA_ERROR_INVALID_VALUE;
    }
    *(struct fake_job *)item->job = *job;
    return DOCA_SUCCESS;
}

static enum work_status progress(struct work_item *item)
{
    const struct fake_job *job = (const struct fake_job *)item->job;
    if (job->waits && !let_go[job->base.user_data.u64])
        return WORK_WAITING;
    item->error = job->ends;
    return WORK_DONE;
}

static enum work_status execute(struct work_item *item)
{
    executed[n_executed++ % ARRAY_SIZE(executed)] = (unsigned)item->user_data.u64;
    return progress(item);
}

static doca_error_t check_device(const struct doca_dev *dev, struct errtext *err)
{
    return dev->function.can_dma ? DOCA_SUCCESS
                                 : errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "not this one");
}

static const struct ctx_ops ops = {
    .name = "fake",
    .takes_device = true,
    .event_driven = true,
    .check_device = check_device,
    .work = {.prepare = prepare, .execute = execute, .progress = progress},
};
static const struct ctx_ops deviceless_ops = {
    .name = "deviceless",
    .work = {.prepare = prepare, .execute = execute, .progress = progress},
};

static struct doca_ctx ctx, ctx2;
static struct doca_workq *workq;

static struct doca_workq *attached(uint32_t depth, bool event_driven)
{
    struct doca_workq *made;
    ck_assert_int_eq(doca_workq_create(depth, &made), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(made, event_driven), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, made), DOCA_SUCCESS);
    return made;
}

static void setup(uint32_t depth, bool event_driven)
{
    struct errtext err;
    ck_assert_int_eq(ctx_init(&ctx, &ops, &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_SUCCESS);
    workq = attached(depth, event_driven);
}

static void teardown(void)
{
    struct errtext err;
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(&ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_rm(&ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_fini(&ctx, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_dev.refs, 1);
}

static doca_error_t submit(struct doca_ctx *to, uint64_t id, bool waits, doca_error_t ends)
{
    struct fake_job job = {
        .base = {.type = FAKE_JOB, .ctx = to, .user_data.u64 = id}, .waits = waits, .ends = ends};
    doca_error_t r = doca_workq_submit(workq, &job.base);
    job = (struct fake_job){.ends = DOCA_ERROR_UNEXPECTED}; // it was copied
    return r;
}

static void expect(uint64_t id, doca_error_t ends)
{
    struct doca_event event = {.type = 77};
    doca_error_t r = doca_workq_progress_retrieve(workq, &event, 0);
    ck_assert_int_eq(r, ends == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(event.type, FAKE_JOB);
    ck_assert_uint_eq(event.user_data.u64, id);
    ck_assert_uint_eq(event.result.u64, ends);
}

static void expect_nothing(void)
{
    struct doca_event event = {.type = 77, .user_data.u64 = 78, .result.u64 = 79};
    ck_assert_int_eq(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
    ck_assert_int_eq(event.type, 77);
    ck_assert_uint_eq(event.user_data.u64, 78);
    ck_assert_uint_eq(event.result.u64, 79);
}

// ---- jobs ------------------------------------------------------------------------------

START_TEST(jobs_are_executed_when_asked_for_and_in_order)
{
    setup(16, false);
    expect_nothing();
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 10; i++)
            ck_assert_int_eq(submit(&ctx, i, false, DOCA_SUCCESS), DOCA_SUCCESS);
        ck_assert_uint_eq(n_executed, (unsigned)round * 10); // lazily
        for (uint64_t i = 0; i < 10; i++) {
            expect(i, DOCA_SUCCESS);
            ck_assert_uint_eq(executed[(unsigned)round * 10 + i], i);
        }
        expect_nothing();
    }
    teardown();
}
END_TEST

START_TEST(a_failed_job_comes_with_its_reason)
{
    setup(4, false);
    ck_assert_int_eq(submit(&ctx, 1, false, DOCA_ERROR_NOT_PERMITTED), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 2, false, DOCA_SUCCESS), DOCA_SUCCESS);
    expect(1, DOCA_ERROR_NOT_PERMITTED);
    expect(2, DOCA_SUCCESS);
    expect_nothing();
    teardown();
}
END_TEST

START_TEST(depth_bounds_what_is_in_flight)
{
    static const uint32_t depths[] = {1, 2, 7, 64};
    for (size_t d = 0; d < ARRAY_SIZE(depths); d++) {
        uint32_t depth;
        setup(depths[d], false);
        ck_assert_int_eq(doca_workq_get_depth(workq, &depth), DOCA_SUCCESS);
        ck_assert_uint_eq(depth, depths[d]);
        for (int round = 0; round < 3; round++) {
            for (uint32_t i = 0; i < depth; i++)
                ck_assert_int_eq(submit(&ctx, i, false, DOCA_SUCCESS), DOCA_SUCCESS);
            ck_assert_int_eq(submit(&ctx, 99, false, DOCA_SUCCESS), DOCA_ERROR_NO_MEMORY);
            expect(0, DOCA_SUCCESS);
            ck_assert_int_eq(submit(&ctx, depth, false, DOCA_SUCCESS), DOCA_SUCCESS);
            ck_assert_int_eq(submit(&ctx, 99, false, DOCA_SUCCESS), DOCA_ERROR_NO_MEMORY);
            for (uint32_t i = 1; i <= depth; i++)
                expect(i, DOCA_SUCCESS);
        }
        teardown();
    }
}
END_TEST

START_TEST(waiting_jobs_do_not_hold_up_others)
{
    setup(8, false);
    ck_assert_int_eq(submit(&ctx, 1, true, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 2, false, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 3, true, DOCA_ERROR_CONNECTION_RESET), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 4, false, DOCA_SUCCESS), DOCA_SUCCESS);
    expect(2, DOCA_SUCCESS);
    expect(4, DOCA_SUCCESS);
    expect_nothing();
    let_go[3] = true;
    expect(3, DOCA_ERROR_CONNECTION_RESET);
    expect_nothing();
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, workq), DOCA_ERROR_IN_USE); // 1 is in flight
    let_go[1] = true;
    expect(1, DOCA_SUCCESS);
    expect_nothing();
    teardown();
}
END_TEST

START_TEST(wrong_submissions_take_no_place)
{
    struct doca_event event;
    struct fake_job job = {.base = {.type = FAKE_JOB, .ctx = &ctx}};
    setup(1, false);
    ck_assert_int_eq(doca_workq_submit(NULL, &job.base), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_submit(workq, NULL), DOCA_ERROR_INVALID_VALUE);
    job.base.ctx = &ctx2;
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_NOT_FOUND);
    job.base.ctx = NULL;
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_NOT_FOUND);
    job.base.ctx = &ctx;
    job.base.flags = 1;
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    job.base.flags = 0;
    job.base.type = FAKE_JOB + 1;
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_progress_retrieve(NULL, &event, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_progress_retrieve(workq, NULL, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_progress_retrieve(workq, &event, 1), DOCA_ERROR_INVALID_VALUE);
    expect_nothing();
    ck_assert_int_eq(submit(&ctx, 5, false, DOCA_SUCCESS), DOCA_SUCCESS); // the place is free
    expect(5, DOCA_SUCCESS);
    teardown();
}
END_TEST

// ---- contexts and work queues -----------------------------------------------------------

START_TEST(states_of_a_context)
{
    struct doca_workq *queue, *other;
    struct errtext err;
    uint8_t supported = 77;
    struct doca_gpu *gpu = (struct doca_gpu *)&err;

    ck_assert_int_eq(ctx_init(&ctx, &ops, &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(4, &queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(4, &other), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_get_event_driven_supported(&ctx, &supported), DOCA_SUCCESS);
    ck_assert_uint_eq(supported, 1);
    // not started
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_ERROR_INITIALIZATION); // no device
    ck_assert_int_eq(doca_ctx_stop(&ctx), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, queue), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, queue), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_dev_rm(&ctx, &fake_dev), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_plain_dev), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_dev), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_other_dev), DOCA_ERROR_IN_USE);
    ck_assert_uint_eq(fake_dev.refs, 2);
    ck_assert_int_eq(doca_ctx_set_datapath_on_gpu(&ctx, gpu), DOCA_ERROR_NOT_SUPPORTED);
    // started
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_other_dev), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_dev_rm(&ctx, &fake_dev), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_set_datapath_on_gpu(&ctx, gpu), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, queue), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, queue), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, other), DOCA_SUCCESS);
    // with work queues
    ck_assert_int_eq(doca_ctx_stop(&ctx), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(ctx_fini(&ctx, &err), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_workq_destroy(queue), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, other), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(&ctx), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(&ctx), DOCA_SUCCESS);
    // again
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_fini(&ctx, &err), DOCA_SUCCESS); // started, with its device
    ck_assert_uint_eq(fake_dev.refs, 1);
    ck_assert_int_eq(doca_workq_destroy(queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(other), DOCA_SUCCESS);
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    uint32_t n;
    uint8_t flag;
    doca_event_handle_t handle = -5;
    setup(1, false);
    ck_assert_int_eq(doca_ctx_dev_add(NULL, &fake_dev), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_dev_rm(NULL, &fake_dev), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_dev_rm(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_add(NULL, workq), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_rm(NULL, workq), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_get_max_num_ctx(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_get_event_driven_supported(NULL, &flag), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_get_event_driven_supported(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_set_datapath_on_gpu(NULL, (void *)&n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_set_datapath_on_gpu(&ctx, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_event_handle_arm(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_event_handle_clear(NULL, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_depth(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_depth(workq, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_event_driven_enable(NULL, &flag), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_event_driven_enable(workq, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_event_handle(NULL, &handle), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_set_event_handle(NULL, 0, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_set_event_handle(workq, 0, 0), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(handle, -5);
    teardown();
}
END_TEST

START_TEST(a_context_without_device)
{
    struct errtext err;
    uint8_t supported = 77;
    ck_assert_int_eq(ctx_init(&ctx, &deviceless_ops, &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_dev), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_get_event_driven_supported(&ctx, &supported), DOCA_SUCCESS);
    ck_assert_uint_eq(supported, 0);
    ck_assert_int_eq(doca_workq_create(1, &workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, 1), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, workq), DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 1, false, DOCA_SUCCESS), DOCA_SUCCESS);
    expect(1, DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_rm(&ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_fini(&ctx, &err), DOCA_SUCCESS);
}
END_TEST

#define CONTEXTS 40 // on one work queue, which takes any number

START_TEST(several_contexts_share_a_work_queue)
{
    static struct doca_ctx many[CONTEXTS + 1];
    struct errtext err;
    ck_assert_int_eq(doca_workq_create(64, &workq), DOCA_SUCCESS);
    for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
        ck_assert_int_eq(ctx_init(&many[i], &deviceless_ops, &err), DOCA_SUCCESS);
        ck_assert_int_eq(doca_ctx_start(&many[i]), DOCA_SUCCESS);
        if (i < CONTEXTS)
            ck_assert_int_eq(doca_ctx_workq_add(&many[i], workq), DOCA_SUCCESS);
    }
    for (uint64_t i = 0; i < 60; i++)
        ck_assert_int_eq(submit(&many[(i * 5) % CONTEXTS], i, false, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&many[CONTEXTS], 1, false, DOCA_SUCCESS), DOCA_ERROR_NOT_FOUND);
    for (uint64_t i = 0; i < 60; i++)
        expect(i, DOCA_SUCCESS); // the order is the work queue's
    // One leaves; jobs for it are refused, the others go on.
    ck_assert_int_eq(doca_ctx_workq_rm(&many[3], workq), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&many[3], 1, false, DOCA_SUCCESS), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(submit(&many[4], 2, false, DOCA_SUCCESS), DOCA_SUCCESS);
    expect(2, DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&many[CONTEXTS], workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_rm(&many[CONTEXTS], workq), DOCA_SUCCESS);
    for (size_t i = 0; i < CONTEXTS; i++)
        ck_assert_int_eq(doca_ctx_workq_rm(&many[i], workq),
                         i == 3 ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS);
    for (size_t i = 0; i < ARRAY_SIZE(many); i++)
        ck_assert_int_eq(ctx_fini(&many[i], &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
}
END_TEST

START_TEST(limits_are_what_they_say)
{
    static struct doca_ctx many[CTX_MAX + 1];
    struct errtext err;
    uint32_t max;
    struct doca_workq *queue = NULL;
    ck_assert_int_eq(doca_ctx_get_max_num_ctx(&max), DOCA_SUCCESS);
    ck_assert_uint_eq(max, CTX_MAX);
    for (uint32_t i = 0; i < max; i++)
        ck_assert_int_eq(ctx_init(&many[i], &ops, &err), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_init(&many[max], &ops, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(ctx_fini(&many[0], &err), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_init(&many[max], &ops, &err), DOCA_SUCCESS);
    for (uint32_t i = 1; i <= max; i++)
        ck_assert_int_eq(ctx_fini(&many[i], &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(0, &queue), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_create(UINT32_MAX, &queue), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(doca_workq_create(WORK_DEPTH_MAX + 1, &queue), DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(queue);
}
END_TEST

// ---- threads ---------------------------------------------------------------------------

static void *come_and_go(void *arg)
{
    struct doca_workq *queue;
    struct doca_event event;
    uint64_t id = (uintptr_t)arg;
    if (doca_workq_create(4, &queue) != DOCA_SUCCESS)
        return (void *)1;
    for (int i = 0; i < 300; i++) {
        struct fake_job job = {.base = {.type = FAKE_JOB, .ctx = &ctx2, .user_data.u64 = id}};
        if (doca_ctx_workq_add(&ctx2, queue) != DOCA_SUCCESS ||
            doca_workq_submit(queue, &job.base) != DOCA_SUCCESS ||
            doca_workq_progress_retrieve(queue, &event, 0) != DOCA_SUCCESS ||
            event.user_data.u64 != id || doca_ctx_workq_rm(&ctx2, queue) != DOCA_SUCCESS)
            return (void *)2;
    }
    return doca_workq_destroy(queue) == DOCA_SUCCESS ? NULL : (void *)3;
}

static enum work_status execute_quietly(struct work_item *item)
{
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

START_TEST(threads_share_a_context)
{
    static const struct ctx_ops quiet = {.name = "quiet",
                                         .work = {.prepare = prepare, .execute = execute_quietly}};
    pthread_t threads[4];
    struct errtext err;
    ck_assert_int_eq(ctx_init(&ctx2, &quiet, &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(&ctx2), DOCA_SUCCESS);
    for (uintptr_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 100)), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        ck_assert_ptr_null(result);
    }
    ck_assert_int_eq(doca_ctx_stop(&ctx2), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_fini(&ctx2, &err), DOCA_SUCCESS);
}
END_TEST

// ---- event-driven mode -------------------------------------------------------------------

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

START_TEST(modes)
{
    doca_event_handle_t handle, again;
    uint8_t enabled = 77;
    struct doca_workq *queue;
    struct errtext err;

    setup(4, false);
    ck_assert_int_eq(doca_workq_get_event_driven_enable(workq, &enabled), DOCA_SUCCESS);
    ck_assert_uint_eq(enabled, 0);
    // attached, in polling mode
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, 1), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, 0), DOCA_ERROR_BAD_STATE);
    teardown();

    // Not attached: asking for the handle enables the mode.
    ck_assert_int_eq(doca_workq_create(4, &queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_get_event_handle(queue, &handle), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_get_event_driven_enable(queue, &enabled), DOCA_SUCCESS);
    ck_assert_uint_eq(enabled, 1);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(queue, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(queue, 200), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_get_event_handle(queue, &again), DOCA_SUCCESS);
    ck_assert_int_eq(handle, again);
    ck_assert_int_eq(doca_workq_event_handle_clear(queue, handle + 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_workq_event_handle_clear(queue, handle), DOCA_SUCCESS);
    ck_assert_int_eq(ctx_init(&ctx, &ops, &err), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(&ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(&ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&ctx, queue), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(queue, 1), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(queue, 0), DOCA_ERROR_BAD_STATE);
    workq = queue;
    teardown();
}
END_TEST

START_TEST(the_handle_wakes_exactly_when_there_is_something)
{
    doca_event_handle_t handle;
    setup(8, true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    // Nothing pending: armed and silent.
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    // Submitted while armed: readable.
    ck_assert_int_eq(submit(&ctx, 1, false, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    expect(1, DOCA_SUCCESS);
    // Pending when armed: readable at once, and each retrieved once.
    ck_assert_int_eq(submit(&ctx, 2, false, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert_int_eq(submit(&ctx, 3, false, DOCA_SUCCESS), DOCA_SUCCESS);
    ck_assert(!readable(handle)); // not armed
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS); // twice does no harm
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    expect(2, DOCA_SUCCESS);
    // One was left: arming says so.
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    expect(3, DOCA_SUCCESS);
    expect_nothing();
    // A job that waits is handed over by arming, and does not wake.
    ck_assert_int_eq(submit(&ctx, 4, true, DOCA_SUCCESS), DOCA_SUCCESS);
    unsigned before = n_executed;
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert_uint_eq(n_executed, before + 1);
    ck_assert(!readable(handle));
    let_go[4] = true;
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    expect(4, DOCA_SUCCESS);
    teardown();
}
END_TEST

START_TEST(arming_keeps_the_order)
{
    doca_event_handle_t handle;
    setup(8, true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_int_eq(submit(&ctx, i, true, DOCA_SUCCESS), DOCA_SUCCESS);
    expect_nothing();
    for (unsigned i = 0; i < 5; i++)
        let_go[i] = true;
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS); // all are done now
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    for (unsigned i = 0; i < 5; i++)
        expect(i, DOCA_SUCCESS);
    expect_nothing();
    teardown();
}
END_TEST

// The loop that programs have: arm, wait, clear, retrieve until nothing comes. A lost
// wake-up hangs it.
START_TEST(an_epoll_loop_gets_every_event)
{
    enum { JOBS = 5000 };
    doca_event_handle_t handle;
    struct doca_event event;
    uint64_t submitted = 0, retrieved = 0;

    setup(8, true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    cleanup_fd int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event e = {.events = EPOLLIN};
    ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &e), 0);
    while (retrieved < JOBS) {
        // Some before arming, some after.
        for (uint64_t i = 0; i < submitted % 4 && submitted < JOBS; i++)
            if (submit(&ctx, submitted, false, DOCA_SUCCESS) == DOCA_SUCCESS)
                submitted++;
        ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
        for (uint64_t i = 0; i < 1 + submitted % 3 && submitted < JOBS; i++)
            if (submit(&ctx, submitted, false, DOCA_SUCCESS) == DOCA_SUCCESS)
                submitted++;
        ck_assert_int_eq(epoll_wait(epoll_fd, &e, 1, -1), 1);
        ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
        int most = 1 + (int)(retrieved % 5); // not always all
        while (most-- && doca_workq_progress_retrieve(workq, &event, 0) == DOCA_SUCCESS)
            ck_assert_uint_eq(event.user_data.u64, retrieved++);
    }
    expect_nothing();
    teardown();
}
END_TEST

UNIT_MAIN("executor", jobs_are_executed_when_asked_for_and_in_order,
          a_failed_job_comes_with_its_reason, depth_bounds_what_is_in_flight,
          waiting_jobs_do_not_hold_up_others, wrong_submissions_take_no_place, states_of_a_context,
          null_arguments_are_refused, a_context_without_device, several_contexts_share_a_work_queue,
          limits_are_what_they_say, threads_share_a_context, modes,
          the_handle_wakes_exactly_when_there_is_something, arming_keeps_the_order,
          an_epoll_loop_gets_every_event)
