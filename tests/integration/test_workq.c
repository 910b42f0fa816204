// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Work queues with real jobs: several contexts on one, both classes of error, jobs that
// overtake others, and threads that pull at the same contexts and devices.

#include "child.h"
#include "client.h"
#include "deadline.h"
#include "nodes.h"
#include "run.h"

#include <check.h>
#include <pthread.h>
#include <string.h>

#define SIZE 4096

static doca_error_t submit(struct copier *c, struct doca_ctx *ctx, struct doca_buf *dst,
                           struct doca_buf *src, uint64_t number)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx, .user_data = {.u64 = number}},
        .dst_buff = dst,
        .src_buff = src,
    };
    return doca_workq_submit(c->workq, &job.base);
}

static doca_error_t retrieve(struct copier *c, struct doca_event *event)
{
    doca_error_t r;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do {
        ck_assert_msg(now_ms() < deadline, "a job hangs");
        r = doca_workq_progress_retrieve(c->workq, event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (r == DOCA_ERROR_AGAIN);
    return r;
}

static void expect(struct copier *c, doca_error_t code, uint64_t number)
{
    struct doca_event event;
    memset(&event, 0xA5, sizeof(event));
    ck_assert_error(retrieve(c, &event), code);
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    ck_assert_uint_eq(event.user_data.u64, number);
}

// A source of `n` bytes at the start of the local memory, a destination of `room` behind.
static void local_buffers(struct copier *c, size_t n, size_t room, struct doca_buf **src,
                          struct doca_buf **dst)
{
    ck_assert_success(doca_buf_inventory_buf_by_data(c->inventory, c->local, c->memory, n, src));
    ck_assert_success(
        doca_buf_inventory_buf_by_addr(c->inventory, c->local, c->memory + SIZE / 2, room, dst));
}

static void drop(struct doca_buf *src, struct doca_buf *dst)
{
    ck_assert_success(doca_buf_refcount_rm(src, NULL));
    ck_assert_success(doca_buf_refcount_rm(dst, NULL));
}

// ---- errors of the queue, and of one job ---------------------------------------------------

static void expect_event_untouched(struct copier *c, doca_error_t code, int flags)
{
    struct doca_event event, before;
    memset(&event, 0xA5, sizeof(event));
    before = event;
    ck_assert_error(doca_workq_progress_retrieve(c->workq, &event, flags), code);
    ck_assert_msg(memcmp(&event, &before, sizeof(event)) == 0, "an event came with %s",
                  doca_get_error_name(code));
}

static int distinguishes_errors(struct child *self, void *arg)
{
    struct doca_buf *src, *dst;
    struct doca_event event;
    struct copier c;
    (void)self;
    (void)arg;
    copier_start(&c, DPU_P0, SIZE);
    local_buffers(&c, 64, 100, &src, &dst);
    memset(c.memory, 7, 64);

    expect_event_untouched(&c, DOCA_ERROR_AGAIN, 0);
    ck_assert_success(submit(&c, c.ctx, dst, src, 1));
    ck_assert_success(doca_buf_set_data(dst, c.memory + SIZE / 2, 64)); // as after that job
    ck_assert_success(submit(&c, c.ctx, dst, src, 2)); // 64 bytes, and there is room for 36
    ck_assert_success(submit(&c, c.ctx, dst, src, 3));
    // A queue error: the call fails and the event has no meaning; no job is lost by that.
    expect_event_untouched(&c, DOCA_ERROR_INVALID_VALUE, 1 << 20);
    ck_assert_error(doca_workq_progress_retrieve(c.workq, NULL, 0), DOCA_ERROR_INVALID_VALUE);
    expect(&c, DOCA_SUCCESS, 1);
    // A job error: the event says which job failed and why; the queue goes on.
    ck_assert_error(retrieve(&c, &event), DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    ck_assert_uint_eq(event.user_data.u64, 2);
    ck_assert_uint_eq(event.result.u64, DOCA_ERROR_INVALID_VALUE);
    expect_event_untouched(&c, DOCA_ERROR_INVALID_VALUE, -1);
    expect(&c, DOCA_ERROR_IO_FAILED, 3);
    expect_event_untouched(&c, DOCA_ERROR_AGAIN, 0);
    // The failed job did not count, and the destination works after it is emptied.
    size_t length;
    ck_assert_success(doca_buf_get_data_len(dst, &length));
    ck_assert_uint_eq(length, 64);
    ck_assert_success(doca_buf_reset_data_len(dst));
    ck_assert_success(submit(&c, c.ctx, dst, src, 4));
    expect(&c, DOCA_SUCCESS, 4);
    drop(src, dst);
    copier_stop(&c);
    return 0;
}

START_TEST(errors_of_the_queue_and_of_a_job)
{
    child_join(child_start(nodes.dpu, "dpu", distinguishes_errors, NULL));
}
END_TEST

// ---- several contexts ----------------------------------------------------------------------

static int mixes_contexts(struct child *self, void *arg)
{
    struct doca_dev *other_dev;
    struct doca_dma *dma;
    struct doca_buf *src, *dst;
    struct copier c;
    (void)self;
    (void)arg;
    copier_start(&c, DPU_P0, SIZE);
    other_dev = client_open(DPU_P1);
    ck_assert_success(doca_dma_create(&dma));
    struct doca_ctx *other = doca_dma_as_ctx(dma);
    ck_assert_success(doca_ctx_dev_add(other, other_dev));
    ck_assert_success(doca_ctx_start(other));
    local_buffers(&c, 8, 64, &src, &dst);

    ck_assert_error(submit(&c, other, dst, src, 0), DOCA_ERROR_NOT_FOUND);
    ck_assert_success(doca_ctx_workq_add(other, c.workq));
    // The map has one of the two devices: jobs of the other context are refused by it.
    ck_assert_success(submit(&c, c.ctx, dst, src, 1));
    ck_assert_success(submit(&c, other, dst, src, 2));
    ck_assert_success(submit(&c, c.ctx, dst, src, 3));
    ck_assert_error(doca_ctx_workq_rm(other, c.workq), DOCA_ERROR_IN_USE);
    ck_assert_error(doca_ctx_stop(other), DOCA_ERROR_IN_USE);
    ck_assert_error(doca_workq_destroy(c.workq), DOCA_ERROR_IN_USE);
    expect(&c, DOCA_SUCCESS, 1);
    expect(&c, DOCA_ERROR_IO_FAILED, 2);
    // None of its jobs is left: it may go while those of the first are in flight.
    ck_assert_success(doca_ctx_workq_rm(other, c.workq));
    ck_assert_error(submit(&c, other, dst, src, 4), DOCA_ERROR_NOT_FOUND);
    expect(&c, DOCA_SUCCESS, 3);
    // The depth (4) is the queue's, not the context's.
    ck_assert_success(doca_ctx_workq_add(other, c.workq));
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_success(submit(&c, i % 2 ? other : c.ctx, dst, src, i));
    ck_assert_error(submit(&c, other, dst, src, 9), DOCA_ERROR_NO_MEMORY);
    for (uint64_t i = 0; i < 4; i++)
        expect(&c, i % 2 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS, i);

    ck_assert_success(doca_ctx_workq_rm(other, c.workq));
    ck_assert_success(doca_dma_destroy(dma));
    ck_assert_success(doca_dev_close(other_dev));
    drop(src, dst);
    copier_stop(&c);
    return 0;
}

START_TEST(contexts_share_a_queue)
{
    child_join(child_start(nodes.dpu, "dpu", mixes_contexts, NULL));
}
END_TEST

// ---- many work queues --------------------------------------------------------------------------

#define QUEUES 600u // a public program keeps up to 1000

struct queue {
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
};

static void add_queue(struct queue *q, struct doca_dev *dev)
{
    ck_assert_success(doca_dma_create(&q->dma));
    q->ctx = doca_dma_as_ctx(q->dma);
    ck_assert_success(doca_ctx_dev_add(q->ctx, dev));
    ck_assert_success(doca_ctx_start(q->ctx));
    ck_assert_success(doca_workq_create(3, &q->workq));
    ck_assert_success(doca_ctx_workq_add(q->ctx, q->workq));
}

static void end_queue(struct queue *q)
{
    ck_assert_success(doca_ctx_workq_rm(q->ctx, q->workq));
    ck_assert_success(doca_workq_destroy(q->workq));
    ck_assert_success(doca_ctx_stop(q->ctx));
    ck_assert_success(doca_dma_destroy(q->dma));
}

static int keeps_many_queues(struct child *self, void *arg)
{
    static struct queue queues[QUEUES];
    struct doca_buf *src, *dst;
    struct copier c;
    (void)self;
    (void)arg;

    copier_start(&c, DPU_P0, SIZE);
    local_buffers(&c, 8, 64, &src, &dst);
    for (unsigned i = 0; i < QUEUES; i++)
        add_queue(&queues[i], c.dev);
    struct doca_workq *own = c.workq;
    for (unsigned i = 0; i < QUEUES; i += QUEUES - 1) { // the first and the last
        c.workq = queues[i].workq;
        ck_assert_success(submit(&c, queues[i].ctx, dst, src, i));
        expect(&c, DOCA_SUCCESS, i);
    }
    c.workq = own;
    // Half of them go, and come again.
    for (unsigned i = 0; i < QUEUES; i += 2)
        end_queue(&queues[i]);
    for (unsigned i = 0; i < QUEUES; i += 2)
        add_queue(&queues[i], c.dev);
    for (unsigned i = 0; i < QUEUES; i++)
        end_queue(&queues[i]);
    drop(src, dst);
    copier_stop(&c);
    return 0;
}

START_TEST(many_queues)
{
    child_join(child_start(nodes.dpu, "dpu", keeps_many_queues, NULL));
}
END_TEST

// ---- jobs that overtake others ----------------------------------------------------------------

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static int exports_brokered(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out;
    (void)arg;
    memset(brokered_memory, 42, BROKERED_SIZE);
    exporter_start(&e, HOST_PF0, brokered_memory, BROKERED_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

// The first job waits for the other side's docad, which is stopped.
static int is_overtaken(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct doca_buf *src, *dst, *far;
    struct copier c;
    copier_start(&c, DPU_P0, SIZE);
    copier_import(&c, given->desc, given->desc_len);
    local_buffers(&c, 8, 512, &src, &dst);
    ck_assert_success(
        doca_buf_inventory_buf_by_data(c.inventory, c.remote, c.address + 3, 100, &far));
    struct doca_buf *landing;
    ck_assert_success(
        doca_buf_inventory_buf_by_addr(c.inventory, c.local, c.memory + 1024, 100, &landing));
    child_tell(self, "imported");
    child_wait(self, "stopped");

    ck_assert_success(submit(&c, c.ctx, landing, far, 1));
    for (uint64_t i = 2; i < 40; i++) {
        ck_assert_success(submit(&c, c.ctx, dst, src, i));
        expect(&c, DOCA_SUCCESS, i);
    }
    ck_assert_uint_eq(c.memory[1024], 0);
    expect_event_untouched(&c, DOCA_ERROR_AGAIN, 0);
    ck_assert_error(doca_ctx_workq_rm(c.ctx, c.workq), DOCA_ERROR_IN_USE);
    child_tell(self, "overtaken");
    expect(&c, DOCA_SUCCESS, 1);
    ck_assert_uint_eq(c.memory[1024], 42);
    ck_assert_uint_eq(c.memory[1123], 42);
    drop(src, dst);
    drop(far, landing);
    copier_stop(&c);
    return 0;
}

START_TEST(mapped_jobs_overtake_a_brokered_one)
{
    struct handout given;
    struct child *host = child_start(nodes.host, "host", exports_brokered, NULL);
    ck_assert_uint_eq(child_receive(host, &given, sizeof(given)), sizeof(given));
    struct child *dpu = child_start(nodes.dpu, "dpu", is_overtaken, &given);
    child_wait(dpu, "imported");
    daemon_freeze(nodes.host);
    child_tell(dpu, "stopped");
    child_wait(dpu, "overtaken");
    daemon_thaw(nodes.host);
    child_join(dpu);
    child_tell(host, "end");
    child_join(host);
}
END_TEST

// ---- threads ----------------------------------------------------------------------------------

#define THREADS 6

struct puller {
    pthread_t thread;
    unsigned index, rounds;
    struct doca_ctx *shared;
    struct doca_dev *dev;
    unsigned added; // times that its work queue was in the shared context
};

static bool is_one_of(doca_error_t e, doca_error_t a, doca_error_t b, doca_error_t c)
{
    return e == DOCA_SUCCESS || e == a || e == b || e == c;
}

// The device is opened by every thread, and is one object to all.
static void pull_at_device(struct puller *p)
{
    struct doca_dev *dev = client_open(DPU_P0);
    uint8_t equal;
    ck_assert_ptr_eq(dev, p->dev);
    ck_assert_success(doca_devinfo_get_is_pci_addr_equal(doca_dev_as_devinfo(dev), DPU_P0, &equal));
    ck_assert_uint_eq(equal, 1);
    ck_assert_success(doca_dev_close(dev));
}

// Whatever the others have just done to the context: the answer is one of those that are
// documented, and a work queue that is in can be taken out.
static void pull_at_context(struct puller *p, struct doca_workq *workq)
{
    uint8_t supported;
    ck_assert(is_one_of(doca_ctx_dev_add(p->shared, p->dev), DOCA_ERROR_BAD_STATE,
                        DOCA_ERROR_IN_USE, DOCA_SUCCESS));
    ck_assert(is_one_of(doca_ctx_start(p->shared), DOCA_ERROR_INVALID_VALUE,
                        DOCA_ERROR_INITIALIZATION, DOCA_SUCCESS));
    doca_error_t e = doca_ctx_workq_add(p->shared, workq);
    ck_assert(is_one_of(e, DOCA_ERROR_BAD_STATE, DOCA_SUCCESS, DOCA_SUCCESS));
    ck_assert_success(doca_ctx_get_event_driven_supported(p->shared, &supported));
    if (e == DOCA_SUCCESS) {
        p->added++;
        ck_assert_error(doca_ctx_stop(p->shared), DOCA_ERROR_IN_USE);
        ck_assert_success(doca_ctx_workq_rm(p->shared, workq));
    }
    ck_assert(is_one_of(doca_ctx_stop(p->shared), DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_IN_USE,
                        DOCA_SUCCESS));
    ck_assert(is_one_of(doca_ctx_dev_rm(p->shared, p->dev), DOCA_ERROR_BAD_STATE,
                        DOCA_ERROR_NOT_FOUND, DOCA_SUCCESS));
}

static void *pull(void *arg)
{
    struct puller *p = arg;
    struct doca_workq *workq;
    struct doca_dma *own;

    ck_assert_success(doca_workq_create(4, &workq));
    for (unsigned i = 0; i < p->rounds; i++) {
        pull_at_device(p);
        pull_at_context(p, workq);
        ck_assert_success(doca_dma_create(&own));
        ck_assert_success(doca_ctx_dev_add(doca_dma_as_ctx(own), p->dev));
        ck_assert_success(doca_ctx_start(doca_dma_as_ctx(own)));
        ck_assert_success(doca_ctx_workq_add(doca_dma_as_ctx(own), workq));
        ck_assert_success(doca_ctx_workq_rm(doca_dma_as_ctx(own), workq));
        ck_assert_success(doca_dma_destroy(own));
    }
    ck_assert_success(doca_workq_destroy(workq));
    return NULL;
}

static int pulls(struct child *self, void *arg)
{
    static struct puller pullers[THREADS];
    struct doca_dma *dma;
    struct doca_dev *dev = client_open(DPU_P0);
    unsigned added = 0;
    (void)self;
    (void)arg;
    ck_assert_success(doca_dma_create(&dma));
    for (unsigned i = 0; i < THREADS; i++) {
        pullers[i] = (struct puller){.index = i,
                                     .rounds = DOCAD_SANITIZER[0] ? 30 : 150,
                                     .shared = doca_dma_as_ctx(dma),
                                     .dev = dev};
        ck_assert_int_eq(pthread_create(&pullers[i].thread, NULL, pull, &pullers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(pullers[i].thread, NULL);
        added += pullers[i].added;
    }
    ck_assert_uint_gt(added, 0);
    // The context is intact, whatever state it was left in.
    ck_assert_success(doca_dma_destroy(dma));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(threads_pull_at_devices_and_contexts)
{
    child_join(child_start(nodes.dpu, "dpu", pulls, NULL));
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workq");
    TCase *tcase = tcase_create("workq");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, errors_of_the_queue_and_of_a_job);
    tcase_add_test(tcase, contexts_share_a_queue);
    tcase_add_test(tcase, many_queues);
    tcase_add_test(tcase, mapped_jobs_overtake_a_brokered_one);
    tcase_add_test(tcase, threads_pull_at_devices_and_contexts);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
