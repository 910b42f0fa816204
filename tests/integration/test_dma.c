// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA with real daemons: local memory, memory of every kind that a host process exports,
// event-driven mode, threads.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "log_lines.h"
#include "nodes.h"
#include "run.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static bool filled(const uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != (uint8_t)(i * 7 + i / 251 + seed))
            return false;
    return true;
}

static struct doca_mmap *map_of(struct doca_dev *dev, void *p, size_t n)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_set_memrange(map, p, n));
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_start(map));
    return map;
}

static struct doca_buf *buffer(struct copier *c, struct doca_mmap *map, void *p, size_t n,
                               size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_args(c->inventory, map, p, n, p, data_len, &buf));
    return buf;
}

static void submit(struct copier *c, struct doca_workq *workq, struct doca_buf *src,
                   struct doca_buf *dst, uint64_t id)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = c->ctx, .user_data.u64 = id},
        .dst_buff = dst,
        .src_buff = src};
    ck_assert_success(doca_workq_submit(workq, &job.base));
}

// Waits for an event and returns its error, or DOCA_SUCCESS.
static doca_error_t wait_event(struct doca_workq *workq, struct doca_event *event)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(workq, event, 0)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "a job hangs");
    ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_IO_FAILED);
    return (doca_error_t)event->result.u64;
}

static doca_error_t copy(struct copier *c, struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_event event;
    submit(c, c->workq, src, dst, 1);
    return wait_event(c->workq, &event);
}

static void drop(struct doca_buf *buf)
{
    ck_assert_success(doca_buf_refcount_rm(buf, NULL));
}

// ---- local -----------------------------------------------------------------------------

static int copies_locally(struct child *self, void *arg)
{
    static const size_t sizes[] = {1, 6, 63, 64, 4096, 65537, 1 << 20, (1 << 20) + 1, 9 << 20};
    static uint8_t fixed[100];
    uint8_t stack[100];
    size_t most = 9 << 20;
    uint8_t *heap = malloc(most);
    struct copier c;
    (void)self;
    (void)arg;

    copier_start(&c, HOST_PF0, most);
    struct doca_mmap *maps[] = {map_of(c.dev, heap, most), map_of(c.dev, stack, sizeof(stack)),
                                map_of(c.dev, fixed, sizeof(fixed))};
    fill(c.memory, most, 1);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        memset(heap, 0, most);
        struct doca_buf *s = buffer(&c, c.local, c.memory, most, sizes[i]);
        struct doca_buf *d = buffer(&c, maps[0], heap, sizes[i], 0);
        ck_assert_success(copy(&c, s, d));
        ck_assert(filled(heap, sizes[i], 1));
        ck_assert(sizes[i] == most || heap[sizes[i]] == 0);
        ck_assert_error(copy(&c, s, d), DOCA_ERROR_INVALID_VALUE); // full
        drop(s);
        drop(d);
    }
    // A list of both short ones, with memory of the heap between them.
    struct doca_buf *d = buffer(&c, maps[1], stack, 100, 0),
                    *s = buffer(&c, maps[0], heap, 100, 100);
    ck_assert_success(doca_buf_list_chain(d, buffer(&c, maps[2], fixed, 100, 10)));
    ck_assert_success(copy(&c, s, d));
    ck_assert_error(copy(&c, s, d), DOCA_ERROR_INVALID_VALUE); // 90 bytes are left
    ck_assert(filled(stack, 100, 1));
    drop(s);
    drop(d);
    for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
        ck_assert_success(doca_mmap_destroy(maps[i]));
    free(heap);
    copier_stop(&c);
    return 0;
}

START_TEST(local_copies)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    child_join(child_start(daemon, "program", copies_locally, NULL));
    assert_baseline(daemon);
}
END_TEST

// Programs end in this order, with the device closed before the context is destroyed.
static int ends_in_the_samples_order(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_workq *workq;
    struct doca_dma *dma;
    (void)self;
    (void)arg;
    ck_assert_success(doca_dma_create(&dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    ck_assert_success(doca_ctx_dev_add(ctx, dev));
    ck_assert_success(doca_ctx_start(ctx));
    ck_assert_success(doca_workq_create(32, &workq));
    ck_assert_success(doca_ctx_workq_add(ctx, workq));
    ck_assert_success(doca_ctx_workq_rm(ctx, workq));
    ck_assert_success(doca_workq_destroy(workq));
    ck_assert_success(doca_ctx_stop(ctx));
    if (arg)
        ck_assert_success(doca_ctx_dev_rm(ctx, dev));
    ck_assert_success(doca_dev_close(dev));
    ck_assert_success(doca_dma_destroy(dma));
    return 0;
}

START_TEST(the_device_may_be_closed_first)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    child_join(child_start(daemon, "removed", ends_in_the_samples_order, daemon));
    child_join(child_start(daemon, "kept", ends_in_the_samples_order, NULL));
    assert_baseline(daemon);
}
END_TEST

// ---- maps that are started later ---------------------------------------------------------

static void submit_and_fail(struct copier *c, struct doca_buf *src, struct doca_buf *dst)
{
    log_lines_catch();
    ck_assert_error(copy(c, src, dst), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(log_lines("is not started"), 1);
    ck_assert_uint_eq(log_lines(""), 1);
}

static int takes_buffers_first(struct child *self, void *arg)
{
    static uint8_t from[3 * 4096], to[3 * 4096]; // the pages in the middle move at the start
    struct copier c;
    struct doca_mmap *maps[2];
    struct doca_buf *bufs[2];
    (void)self;
    (void)arg;
    copier_start(&c, HOST_PF0, 4096);
    fill(from, sizeof(from), 9);
    for (int i = 0; i < 2; i++) {
        uint8_t *memory = i ? to : from;
        ck_assert_success(doca_mmap_create(NULL, &maps[i]));
        ck_assert_success(doca_mmap_set_memrange(maps[i], memory, sizeof(from)));
        bufs[i] = buffer(&c, maps[i], memory, sizeof(from), i ? 0 : sizeof(from));
    }
    submit_and_fail(&c, bufs[0], bufs[1]);
    for (int i = 0; i < 2; i++) {
        ck_assert_success(doca_mmap_dev_add(maps[i], c.dev));
        ck_assert_success(doca_mmap_set_permissions(maps[i], DOCA_ACCESS_LOCAL_READ_WRITE |
                                                                 DOCA_ACCESS_DPU_READ_WRITE));
    }
    ck_assert_success(doca_mmap_start(maps[0]));
    submit_and_fail(&c, bufs[0], bufs[1]);
    ck_assert_error(doca_mmap_destroy(maps[1]), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_mmap_start(maps[1]));
    for (int i = 0; i < 2; i++) {
        ck_assert_success(doca_buf_reset_data_len(bufs[1]));
        ck_assert_success(copy(&c, bufs[0], bufs[1]));
        ck_assert(filled(to, sizeof(to), 9));
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_error(doca_mmap_stop(maps[i]), DOCA_ERROR_NOT_PERMITTED);
        drop(bufs[i]);
        ck_assert_success(doca_mmap_destroy(maps[i]));
    }
    // A map that is never started.
    ck_assert_success(doca_mmap_create(NULL, &maps[0]));
    ck_assert_success(doca_mmap_set_memrange(maps[0], from, sizeof(from)));
    bufs[0] = buffer(&c, maps[0], from, 1, 1);
    ck_assert_error(doca_mmap_destroy(maps[0]), DOCA_ERROR_NOT_PERMITTED);
    drop(bufs[0]);
    ck_assert_success(doca_mmap_destroy(maps[0]));
    copier_stop(&c);
    return 0;
}

START_TEST(buffers_may_be_taken_before_the_start)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    child_join(child_start(daemon, "early", takes_buffers_first, NULL));
    assert_baseline(daemon);
}
END_TEST

// ---- memory of every kind ---------------------------------------------------------------

enum kind { TINY, STACK, STATIC, PAGES, UNALIGNED, WITHIN_PAGES, KINDS };

struct handout {
    size_t length, desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

#define PAGES_SIZE     ((size_t)1 << 20)
#define UNALIGNED_SIZE ((size_t)300001)

static uint8_t *memory_of(enum kind kind, uint8_t *stack, size_t *size, void **to_free)
{
    *to_free = NULL;
    switch (kind) {
    case TINY:
        *size = 6;
        return *to_free = malloc(6);
    case STACK:
        *size = 100;
        return stack;
    case STATIC:
        *size = BROKERED_SIZE;
        return brokered_memory;
    case PAGES:
        *size = PAGES_SIZE;
        return pages_new(PAGES_SIZE);
    case UNALIGNED:
        *size = UNALIGNED_SIZE;
        *to_free = malloc(UNALIGNED_SIZE + 1);
        return (uint8_t *)*to_free + 1;
    default:
        *size = PAGES_SIZE - 1001;
        return pages_new(PAGES_SIZE) + 1000;
    }
}

struct host_plan {
    enum kind kind;
    uint32_t access;
    unsigned expect; // the seed of what the other side leaves; 0: whatever it likes
};

// Exports memory with the pattern of seed 1, lets the other side work, and checks what is there
// afterwards.
static int host(struct child *self, void *arg)
{
    const struct host_plan *plan = arg;
    uint8_t stack[100];
    struct exporter e;
    struct handout out;
    void *to_free;
    size_t size;
    uint8_t *memory = memory_of(plan->kind, stack, &size, &to_free);

    fill(memory, size, 1);
    exporter_start(&e, HOST_PF0, memory, size, plan->access);
    out.length = size;
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "look");
    ck_assert(!plan->expect || filled(memory, size, plan->expect));
    exporter_stop(&e);
    ck_assert(!plan->expect || filled(memory, size, plan->expect)); // the pages moved back
    free(to_free);
    return 0;
}

static struct child *host_start(struct host_plan *plan, struct handout *out)
{
    struct child *child = child_start(nodes.host, "host", host, plan);
    ck_assert_uint_eq(child_receive(child, out, sizeof(*out)), sizeof(*out));
    return child;
}

struct dpu_plan {
    bool writable;
    struct handout given;
};

static int reads_and_writes(struct child *self, void *arg)
{
    const struct dpu_plan *plan = arg;
    size_t n = plan->given.length;
    struct copier c;

    copier_start(&c, DPU_P0, PAGES_SIZE);
    copier_import(&c, plan->given.desc, plan->given.desc_len);
    ck_assert_uint_eq(c.length, n);
    memset(c.memory, 0, PAGES_SIZE);
    ck_assert_success(copier_read(&c, 0, n));
    ck_assert(filled(c.memory, n, 1));
    ck_assert(n == PAGES_SIZE || c.memory[n] == 0);
    // The parts begin and end anywhere.
    for (size_t at = 0, length = 1; at + length <= n; at += length, length = length * 2 + 1) {
        uint8_t expected = (uint8_t)(at * 7 + at / 251 + 1);
        c.memory[0] = (uint8_t)~expected;
        ck_assert_success(copier_read(&c, at, length));
        ck_assert_uint_eq(c.memory[0], expected);
    }
    fill(c.memory, n, 2);
    ck_assert_error(copier_write(&c, 0, n),
                    plan->writable ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "done");
    child_wait(self, "leave");
    copier_stop(&c);
    return 0;
}

START_TEST(memory_of_every_kind)
{
    for (int writable = 0; writable < 2; writable++) {
        struct host_plan plan = {.kind = (enum kind)_i,
                                 .access = writable ? DOCA_ACCESS_DPU_READ_WRITE
                                                    : DOCA_ACCESS_DPU_READ_ONLY,
                                 .expect = writable ? 2 : 1};
        struct dpu_plan theirs = {.writable = writable};
        struct child *ours = host_start(&plan, &theirs.given);
        struct child *dpu = child_start(nodes.dpu, "dpu", reads_and_writes, &theirs);
        child_wait(dpu, "done");
        child_tell(ours, "look");
        child_join(ours);
        child_tell(dpu, "leave");
        child_join(dpu);
        assert_baseline(nodes.host);
        assert_baseline(nodes.dpu);
    }
}
END_TEST

// Copies straight from one process's memory to another's.
static int copies_between_imports(struct child *self, void *arg)
{
    const struct handout *given = arg; // two
    struct copier c, second;
    (void)self;

    copier_start(&c, DPU_P0, PAGES_SIZE);
    copier_start(&second, DPU_P0, PAGES_SIZE);
    copier_import(&c, given[0].desc, given[0].desc_len);
    copier_import(&second, given[1].desc, given[1].desc_len);
    size_t n = c.length < second.length ? c.length : second.length;
    fill(c.memory, n, 5);
    ck_assert_success(copier_write(&c, 0, n));
    struct doca_buf *s = buffer(&c, c.remote, c.address, c.length, n);
    struct doca_buf *d = buffer(&c, second.remote, second.address, second.length, 0);
    ck_assert_success(copy(&c, s, d));
    ck_assert_success(copier_read(&second, 0, n));
    ck_assert(filled(second.memory, n, 5));
    drop(s);
    drop(d);
    copier_stop(&c);
    copier_stop(&second);
    return 0;
}

START_TEST(from_import_to_import)
{
    static const enum kind kinds[][2] = {
        {TINY, STACK}, {STATIC, STATIC}, {STATIC, PAGES}, {PAGES, STATIC}, {UNALIGNED, UNALIGNED}};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct host_plan plans[2];
        struct handout given[2];
        struct child *ours[2];
        for (int k = 0; k < 2; k++) {
            plans[k] = (struct host_plan){kinds[i][k], DOCA_ACCESS_DPU_READ_WRITE, 0};
            ours[k] = host_start(&plans[k], &given[k]);
        }
        child_join(child_start(nodes.dpu, "dpu", copies_between_imports, given));
        for (int k = 0; k < 2; k++) {
            child_tell(ours[k], "look");
            child_join(ours[k]);
        }
    }
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- event-driven mode ------------------------------------------------------------------

struct waiter {
    struct copier c;
    struct doca_workq *workq; // event driven, besides the copier's own
    doca_event_handle_t handle;
};

static void waiter_start(struct waiter *w, uint32_t depth)
{
    copier_start(&w->c, DPU_P0, PAGES_SIZE);
    ck_assert_success(doca_workq_create(depth, &w->workq));
    ck_assert_success(doca_workq_set_event_driven_enable(w->workq, 1));
    ck_assert_success(doca_ctx_workq_add(w->c.ctx, w->workq));
    ck_assert_success(doca_workq_get_event_handle(w->workq, &w->handle));
}

static void waiter_stop(struct waiter *w)
{
    ck_assert_success(doca_ctx_workq_rm(w->c.ctx, w->workq));
    ck_assert_success(doca_workq_destroy(w->workq));
    copier_stop(&w->c);
}

// Arms, sleeps until woken, clears.
#define EVENT_JOBS 2000

static int sleeps_between_jobs(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct waiter w;
    struct doca_event event;
    unsigned submitted = 0, retrieved = 0;
    (void)self;

    waiter_start(&w, 4);
    copier_import(&w.c, given->desc, given->desc_len);
    struct doca_buf *s = buffer(&w.c, w.c.remote, w.c.address, w.c.length, 0);
    struct doca_buf *d = buffer(&w.c, w.c.local, w.c.memory, PAGES_SIZE, 0);
    while (retrieved < EVENT_JOBS) {
        size_t at = submitted * 131 % (w.c.length - 100);
        ck_assert_success(doca_buf_set_data(s, w.c.address + at, 1 + submitted % 100));
        ck_assert_success(doca_buf_reset_data_len(d));
        if (submitted % 2) // also what is submitted while armed wakes
            ck_assert_success(doca_workq_event_handle_arm(w.workq));
        submit(&w.c, w.workq, s, d, submitted++);
        doca_error_t r;
        while ((r = doca_workq_progress_retrieve(w.workq, &event, 0)) == DOCA_ERROR_AGAIN)
            workq_sleep(w.workq, w.handle);
        ck_assert_success(r);
        ck_assert_uint_eq(event.user_data.u64, retrieved++);
        ck_assert_uint_eq(w.c.memory[0], (uint8_t)(at * 7 + at / 251 + 1));
    }
    drop(s);
    drop(d);
    waiter_stop(&w);
    return 0;
}

START_TEST(event_driven)
{
    static const enum kind kinds[] = {STATIC, PAGES};
    struct host_plan plan = {kinds[_i], DOCA_ACCESS_DPU_READ_ONLY, 1};
    struct handout given;
    struct child *ours = host_start(&plan, &given);
    child_join(child_start(nodes.dpu, "dpu", sleeps_between_jobs, &given));
    child_tell(ours, "look");
    child_join(ours);
}
END_TEST

struct sleeper_plan {
    struct handout given;
    bool may_succeed;
};

// Sleeps over a job that the other side's docad, stopped, cannot serve.
static int sleeps_over_a_job(struct child *self, void *arg)
{
    const struct sleeper_plan *plan = arg;
    const struct handout *given = &plan->given;
    struct waiter w;
    struct doca_event event;

    waiter_start(&w, 4);
    copier_import(&w.c, given->desc, given->desc_len);
    struct doca_buf *s = buffer(&w.c, w.c.remote, w.c.address, w.c.length, w.c.length);
    struct doca_buf *d = buffer(&w.c, w.c.local, w.c.memory, PAGES_SIZE, 0);
    child_tell(self, "imported");
    child_wait(self, "frozen");
    submit(&w.c, w.workq, s, d, 1);
    ck_assert_success(doca_workq_event_handle_arm(w.workq));
    ck_assert_error(doca_workq_progress_retrieve(w.workq, &event, 0), DOCA_ERROR_AGAIN);
    child_tell(self, "waiting");
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(w.workq, &event, 0)) == DOCA_ERROR_AGAIN)
        workq_sleep(w.workq, w.handle);
    ck_assert((r == DOCA_SUCCESS && plan->may_succeed) ||
              event.result.u64 == DOCA_ERROR_NOT_CONNECTED ||
              event.result.u64 == DOCA_ERROR_CONNECTION_RESET);
    drop(s);
    drop(d);
    waiter_stop(&w);
    return 0;
}

START_TEST(the_end_of_the_other_docad_wakes)
{
    struct host_plan plan = {STATIC, DOCA_ACCESS_DPU_READ_ONLY, 0};
    struct sleeper_plan theirs = {.may_succeed = false};
    struct child *ours = host_start(&plan, &theirs.given);
    struct child *dpu = child_start(nodes.dpu, "dpu", sleeps_over_a_job, &theirs);
    child_wait(dpu, "imported");
    daemon_freeze(nodes.host);
    child_tell(dpu, "frozen");
    child_wait(dpu, "waiting");
    daemon_kill(nodes.host);
    child_join(dpu);
    child_kill(ours);
    assert_baseline(nodes.dpu);
    daemon_restart(nodes.host); // which clears away the socket of the one that was killed
}
END_TEST

START_TEST(the_end_of_ones_own_docad_wakes)
{
    struct host_plan plan = {STATIC, DOCA_ACCESS_DPU_READ_ONLY, 0};
    // The host's docad serves the job or sees first that the link is gone.
    struct sleeper_plan theirs = {.may_succeed = true};
    struct child *ours = host_start(&plan, &theirs.given);
    struct child *dpu = child_start(nodes.dpu, "dpu", sleeps_over_a_job, &theirs);
    child_wait(dpu, "imported");
    daemon_freeze(nodes.host);
    child_tell(dpu, "frozen");
    child_wait(dpu, "waiting");
    daemon_kill(nodes.dpu);
    daemon_thaw(nodes.host);
    child_join(dpu);
    child_kill(ours);
    assert_baseline(nodes.host);
    daemon_restart(nodes.dpu);
}
END_TEST

// ---- threads -----------------------------------------------------------------------------

struct worker {
    struct copier *c; // its context, and its maps, are shared
    unsigned seed;
    pthread_t thread;
};

// A thread with a work queue and an inventory of its own.
static void *works(void *arg)
{
    struct worker *w = arg;
    struct copier mine = *w->c;
    uint8_t memory[500];

    ck_assert_success(doca_workq_create(4, &mine.workq));
    ck_assert_success(doca_buf_inventory_create(NULL, 2, 0, &mine.inventory));
    ck_assert_success(doca_buf_inventory_start(mine.inventory));
    for (unsigned round = 0; round < 20; round++) {
        ck_assert_success(doca_ctx_workq_add(mine.ctx, mine.workq));
        struct doca_mmap *map = map_of(mine.dev, memory, sizeof(memory));
        struct doca_buf *s = buffer(&mine, mine.remote, mine.address, mine.length, 0);
        struct doca_buf *d = buffer(&mine, map, memory, sizeof(memory), 0);
        for (unsigned i = 0; i < 50; i++) {
            size_t at = (w->seed + i * 977 + round) % (mine.length - 500);
            ck_assert_success(doca_buf_set_data(s, mine.address + at, 500));
            ck_assert_success(doca_buf_reset_data_len(d));
            ck_assert_success(copy(&mine, s, d));
            ck_assert_uint_eq(memory[0], (uint8_t)(at * 7 + at / 251 + 1));
            at += 499;
            ck_assert_uint_eq(memory[499], (uint8_t)(at * 7 + at / 251 + 1));
        }
        drop(s);
        drop(d);
        ck_assert_success(doca_mmap_destroy(map));
        ck_assert_success(doca_ctx_workq_rm(mine.ctx, mine.workq));
    }
    ck_assert_success(doca_buf_inventory_destroy(mine.inventory));
    ck_assert_success(doca_workq_destroy(mine.workq));
    return NULL;
}

static int works_in_threads(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct worker workers[3];
    struct copier c;
    (void)self;
    copier_start(&c, DPU_P0, PAGES_SIZE);
    copier_import(&c, given->desc, given->desc_len);
    for (unsigned i = 0; i < ARRAY_SIZE(workers); i++) {
        workers[i] = (struct worker){.c = &c, .seed = i * 1000};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, works, &workers[i]), 0);
    }
    // Meanwhile imports come and go: each may bring a queue pair to every work queue.
    for (int i = 0; i < 30; i++) {
        struct doca_mmap *more;
        ck_assert_success(
            doca_mmap_create_from_export(NULL, given->desc, given->desc_len, c.dev, &more));
        ck_assert_success(doca_mmap_destroy(more));
    }
    for (unsigned i = 0; i < ARRAY_SIZE(workers); i++)
        pthread_join(workers[i].thread, NULL);
    copier_stop(&c);
    return 0;
}

START_TEST(threads_with_work_queues_of_their_own)
{
    static const enum kind kinds[] = {STATIC, UNALIGNED};
    struct host_plan plan = {kinds[_i], DOCA_ACCESS_DPU_READ_ONLY, 1};
    struct handout given;
    struct child *ours = host_start(&plan, &given);
    child_join(child_start(nodes.dpu, "dpu", works_in_threads, &given));
    child_tell(ours, "look");
    child_join(ours);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dma");
    TCase *tcase = tcase_create("local");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, local_copies);
    tcase_add_test(tcase, the_device_may_be_closed_first);
    tcase_add_test(tcase, buffers_may_be_taken_before_the_start);
    suite_add_tcase(suite, tcase);

    void (*const setups[])(void) = {setup_pair, setup_apart};
    static const char *const names[] = {"imports", "apart"};
    for (size_t i = 0; i < ARRAY_SIZE(setups); i++) {
        tcase = tcase_create(names[i]);
        tcase_add_checked_fixture(tcase, setups[i], env_teardown);
        tcase_add_loop_test(tcase, memory_of_every_kind, 0, KINDS);
        tcase_add_test(tcase, from_import_to_import);
        tcase_add_loop_test(tcase, event_driven, 0, 2);
        tcase_add_test(tcase, the_end_of_the_other_docad_wakes);
        tcase_add_test(tcase, the_end_of_ones_own_docad_wakes);
        tcase_add_loop_test(tcase, threads_with_work_queues_of_their_own, 0, 2);
        suite_add_tcase(suite, tcase);
    }
    return run_suite(suite);
}
