// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cases of rules for programs of DOCA 2.2, with jobs and a work queue: cases_2 [NAME [well]].

#include "rule_cases.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <poll.h>
#include <pthread.h>

#define PART  4096
#define PARTS 4

// Two DMA contexts, and copies of parts of memory.
struct queue {
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_dma *dmas[2];
    struct doca_workq *workq;
    unsigned char *memory;
};

static void begin_map(struct queue *queue, size_t size)
{
    queue->memory = aligned_alloc(PART, size);
    if (!queue->memory)
        abort();
    memset(queue->memory, 'm', size);
    must(doca_mmap_create(NULL, &queue->map));
    must(doca_mmap_dev_add(queue->map, queue->dev));
    must(doca_mmap_set_permissions(queue->map, DOCA_ACCESS_LOCAL_READ_WRITE));
    must(doca_mmap_set_memrange(queue->map, queue->memory, size));
    must(doca_mmap_start(queue->map));
    must(doca_buf_inventory_create(NULL, 2 * PARTS, DOCA_BUF_EXTENSION_NONE, &queue->inventory));
    must(doca_buf_inventory_start(queue->inventory));
}

static void begin(struct queue *queue, size_t size)
{
    struct doca_devinfo **infos;
    uint32_t n;
    must(doca_devinfo_list_create(&infos, &n));
    must(doca_dev_open(infos[0], &queue->dev));
    must(doca_devinfo_list_destroy(infos));
    begin_map(queue, size);
    must(doca_workq_create(PARTS, &queue->workq));
    must(doca_workq_set_event_driven_enable(queue->workq, 1));
    for (unsigned i = 0; i < 2; i++) {
        must(doca_dma_create(&queue->dmas[i]));
        struct doca_ctx *ctx = doca_dma_as_ctx(queue->dmas[i]);
        must(doca_ctx_dev_add(ctx, queue->dev));
        must(doca_ctx_start(ctx));
        must(doca_ctx_workq_add(ctx, queue->workq));
    }
}

static void end(struct queue *queue)
{
    for (unsigned i = 0; i < 2; i++) {
        struct doca_ctx *ctx = doca_dma_as_ctx(queue->dmas[i]);
        must(doca_ctx_workq_rm(ctx, queue->workq));
        must(doca_ctx_stop(ctx));
        must(doca_ctx_dev_rm(ctx, queue->dev));
        must(doca_dma_destroy(queue->dmas[i]));
    }
    must(doca_workq_destroy(queue->workq));
    must(doca_buf_inventory_destroy(queue->inventory));
    must(doca_mmap_destroy(queue->map));
    must(doca_dev_close(queue->dev));
    free(queue->memory);
}

struct copy {
    struct doca_buf *from, *to;
};

static struct copy submit(struct queue *queue, unsigned context, size_t from, size_t to,
                          size_t length)
{
    struct copy copy;
    must(doca_buf_inventory_buf_by_data(queue->inventory, queue->map, queue->memory + from, length,
                                        &copy.from));
    must(doca_buf_inventory_buf_by_addr(queue->inventory, queue->map, queue->memory + to, length,
                                        &copy.to));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = doca_dma_as_ctx(queue->dmas[context])},
        .src_buff = copy.from,
        .dst_buff = copy.to,
    };
    must(doca_workq_submit(queue->workq, &job.base));
    return copy;
}

static void await(struct queue *queue, unsigned jobs)
{
    struct doca_event event;
    while (jobs) {
        doca_error_t result = doca_workq_progress_retrieve(queue->workq, &event, 0);
        if (result != DOCA_ERROR_AGAIN)
            must(result);
        jobs -= result == DOCA_SUCCESS;
    }
}

static void give_back(const struct copy *copy)
{
    must(doca_buf_refcount_rm(copy->from, NULL));
    must(doca_buf_refcount_rm(copy->to, NULL));
}

// ---- cases

static void buffer_changed(bool wrong)
{
    struct queue queue;
    begin(&queue, (size_t)PARTS * PART);
    struct copy copy = submit(&queue, 0, 0, PART, PART);
    if (wrong)
        must(doca_buf_set_data(copy.from, queue.memory, PART / 2));
    await(&queue, 1);
    must(doca_buf_set_data(copy.from, queue.memory, PART / 2));
    give_back(&copy);
    end(&queue);
}

// A buffer behind the first one of the source.
static void member_changed(bool wrong)
{
    struct queue queue;
    struct doca_buf *list[2], *to;
    begin(&queue, (size_t)PARTS * PART);
    for (size_t i = 0; i < 2; i++)
        must(doca_buf_inventory_buf_by_data(queue.inventory, queue.map, queue.memory + i * PART,
                                            PART, &list[i]));
    must(doca_buf_list_chain(list[0], list[1]));
    must(doca_buf_inventory_buf_by_addr(queue.inventory, queue.map, queue.memory + (size_t)2 * PART,
                                        (size_t)2 * PART, &to));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = doca_dma_as_ctx(queue.dmas[0])},
        .src_buff = list[0],
        .dst_buff = to,
    };
    must(doca_workq_submit(queue.workq, &job.base));
    if (!wrong)
        await(&queue, 1);
    must(doca_buf_set_data(list[1], queue.memory + PART, 1));
    if (wrong)
        await(&queue, 1);
    must(doca_buf_refcount_rm(list[0], NULL));
    must(doca_buf_refcount_rm(to, NULL));
    end(&queue);
}

// With --faults: the first retrieval fails, and writes no event. The variable says the job of
// before.
static void changed_after_failure(bool wrong)
{
    struct queue queue;
    struct doca_event event = {.type = DOCA_DMA_JOB_MEMCPY};
    begin(&queue, (size_t)PARTS * PART);
    struct copy copy = submit(&queue, 0, 0, PART, PART);
    if (doca_workq_progress_retrieve(queue.workq, &event, 0) != DOCA_ERROR_IO_FAILED)
        abort();
    if (wrong)
        must(doca_buf_set_data(copy.from, queue.memory, PART / 2));
    await(&queue, 1);
    give_back(&copy);
    end(&queue);
}

static void buffer_released(bool wrong)
{
    struct queue queue;
    begin(&queue, (size_t)PARTS * PART);
    struct copy copy = submit(&queue, 0, 0, PART, PART);
    if (!wrong)
        await(&queue, 1);
    give_back(&copy);
    if (wrong)
        await(&queue, 1);
    end(&queue);
}

static void source_changed(bool wrong)
{
    struct queue queue;
    begin(&queue, (size_t)PARTS * PART);
    struct copy copy = submit(&queue, 0, 0, PART, PART);
    if (wrong)
        queue.memory[0]++;
    await(&queue, 1);
    queue.memory[0]++;
    give_back(&copy);
    end(&queue);
}

static void two_jobs(size_t from, size_t to, bool waits)
{
    struct queue queue;
    begin(&queue, (size_t)PARTS * PART);
    struct copy first = submit(&queue, 0, 0, PART, PART);
    if (waits)
        await(&queue, 1);
    struct copy second = submit(&queue, 1, from, to, PART);
    await(&queue, waits ? 1 : 2);
    give_back(&first);
    give_back(&second);
    end(&queue);
}

static void destinations_overlap(bool wrong)
{
    two_jobs((size_t)2 * PART, PART, !wrong);
}

static void order_between_contexts(bool wrong)
{
    two_jobs(PART, (size_t)2 * PART, !wrong);
}

static struct {
    struct queue queue;
    pthread_barrier_t both;
    pthread_mutex_t lock;
    bool locks;
} shared;

static void *poll_queue(void *of)
{
    struct doca_event event;
    (void)of;
    pthread_barrier_wait(&shared.both);
    for (unsigned i = 0; i < 2000; i++) {
        if (shared.locks)
            pthread_mutex_lock(&shared.lock);
        (void)doca_workq_progress_retrieve(shared.queue.workq, &event, 0);
        if (shared.locks)
            pthread_mutex_unlock(&shared.lock);
    }
    return NULL;
}

static void two_threads(bool wrong)
{
    pthread_t other;
    begin(&shared.queue, (size_t)PARTS * PART);
    shared.locks = !wrong;
    pthread_barrier_init(&shared.both, NULL, 2);
    pthread_mutex_init(&shared.lock, NULL);
    if (pthread_create(&other, NULL, poll_queue, NULL) != 0)
        abort();
    (void)poll_queue(NULL);
    pthread_join(other, NULL);
    end(&shared.queue);
}

static void wait_without_request(bool wrong)
{
    struct queue queue;
    struct pollfd handle = {.events = POLLIN};
    begin(&queue, (size_t)PARTS * PART);
    must(doca_workq_get_event_handle(queue.workq, &handle.fd));
    if (!wrong)
        must(doca_workq_event_handle_arm(queue.workq));
    (void)poll(&handle, 1, 1);
    end(&queue);
}

// With --card bluefield-3: 2 MiB.
static void long_copy(bool wrong)
{
    struct queue queue;
    size_t size = (size_t)(wrong ? 3 : 2) << 20;
    struct doca_event event;
    begin(&queue, 2 * size);
    struct copy copy = submit(&queue, 0, 0, size, size);
    while (doca_workq_progress_retrieve(queue.workq, &event, 0) == DOCA_ERROR_AGAIN)
        ;
    give_back(&copy);
    end(&queue);
}

int main(int argc, char **argv)
{
    static const struct rule_case cases[] = {
        {"buffer-changed-in-flight", buffer_changed},
        {"buffer-changed-in-flight/failed", changed_after_failure},
        {"buffer-changed-in-flight/member", member_changed},
        {"buffer-released-in-flight", buffer_released},
        {"source-changed", source_changed},
        {"destinations-overlap", destinations_overlap},
        {"order-between-contexts", order_between_contexts},
        {"engine-two-threads", two_threads},
        {"wait-without-request", wait_without_request},
        {"card-limit", long_copy},
    };
    return run_cases(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
