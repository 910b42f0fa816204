// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA tasks of DOCA 3 with real daemons: memory that a host program of 2.2 or of DOCA 3 exports,
// in either direction; what happens when it goes; waiting, stopping under load, threads.

#include "tasks_2_2.h"

#include "child.h"
#include "deadline.h"
#include "env.h"
#include "nodes.h"
#include "run.h"

#include <doca_pe.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#define SIZE    (256u * 1024)
#define N_TASKS 16

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

// ---- a program of DOCA 3 that copies ---------------------------------------------------------

struct worker {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    uint8_t *memory; // SIZE bytes
    unsigned n_done, n_failed;
    doca_error_t last;
};

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    struct worker *w = ctx_data.ptr;
    (void)data;
    w->last = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    w->n_done++;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    struct worker *w = ctx_data.ptr;
    (void)data;
    // The reason is the first one; the others are flushed.
    doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    if (w->n_failed++ == 0)
        w->last = status;
}

#define NOT_SET UINT32_MAX // then devices of this node may write, as some programs rely on

static struct doca_mmap *map_of(struct doca_dev *dev, void *memory, size_t size, uint32_t access)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create(&map));
    ck_assert_success(doca_mmap_set_memrange(map, memory, size));
    if (access != NOT_SET)
        ck_assert_success(doca_mmap_set_permissions(map, access));
    ck_assert_success(doca_mmap_add_dev(map, dev));
    ck_assert_success(doca_mmap_start(map));
    return map;
}

static void worker_start(struct worker *w, const char *pci_address)
{
    union doca_data data = {.ptr = w};
    *w = (struct worker){.dev = client_open(pci_address), .memory = pages_new(SIZE)};
    w->map = map_of(w->dev, w->memory, SIZE, NOT_SET);
    ck_assert_success(doca_buf_inventory_create(2 * N_TASKS, &w->inventory));
    ck_assert_success(doca_buf_inventory_start(w->inventory));
    ck_assert_success(doca_pe_create(&w->pe));
    ck_assert_success(doca_dma_create(w->dev, &w->dma));
    w->ctx = doca_dma_as_ctx(w->dma);
    ck_assert_success(doca_pe_connect_ctx(w->pe, w->ctx));
    ck_assert_success(doca_ctx_set_user_data(w->ctx, data));
    ck_assert_success(doca_dma_task_memcpy_set_conf(w->dma, done, failed, N_TASKS));
    ck_assert_success(doca_ctx_start(w->ctx));
}

static void worker_stop(struct worker *w)
{
    while (doca_ctx_stop(w->ctx) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w->pe);
    ck_assert_success(doca_dma_destroy(w->dma));
    ck_assert_success(doca_pe_destroy(w->pe));
    ck_assert_success(doca_buf_inventory_destroy(w->inventory));
    ck_assert_success(doca_mmap_destroy(w->map));
    ck_assert_success(doca_dev_close(w->dev));
}

static struct doca_buf *source(struct worker *w, struct doca_mmap *map, void *at, size_t n)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w->inventory, map, at, n, &buf));
    return buf;
}

static struct doca_buf *target(struct worker *w, struct doca_mmap *map, void *at, size_t n)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_get_by_addr(w->inventory, map, at, n, &buf));
    return buf;
}

static struct doca_dma_task_memcpy *submit(struct worker *w, struct doca_buf *src,
                                           struct doca_buf *dst)
{
    struct doca_dma_task_memcpy *task;
    union doca_data none = {0};
    ck_assert_success(doca_dma_task_memcpy_alloc_init(w->dma, src, dst, none, &task));
    ck_assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    return task;
}

static void wait_for(struct worker *w, unsigned n)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (w->n_done + w->n_failed < n) {
        (void)doca_pe_progress(w->pe);
        ck_assert_msg(now_ms() < deadline, "a task hangs");
    }
}

// Copies by one task; DOCA_SUCCESS, or why it failed.
static doca_error_t copy(struct worker *w, struct doca_buf *src, struct doca_buf *dst)
{
    w->n_done = w->n_failed = 0;
    struct doca_dma_task_memcpy *task = submit(w, src, dst);
    wait_for(w, 1);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    ck_assert_success(doca_buf_dec_refcount(src, NULL));
    ck_assert_success(doca_buf_dec_refcount(dst, NULL));
    return w->last;
}

// ---- the DPU -----------------------------------------------------------------------------------

struct import {
    struct doca_mmap *map;
    uint8_t *address;
};

static void import_it(struct worker *w, struct child *self, struct import *import)
{
    uint8_t desc[1024];
    size_t len = child_receive(self, desc, sizeof(desc));
    ck_assert_success(doca_mmap_create_from_export(NULL, desc, len, w->dev, &import->map));
    ck_assert_success(doca_mmap_get_memrange(import->map, (void **)&import->address, &len));
    ck_assert_uint_eq(len, SIZE);
}

// Reads all and writes something else.
static int copies_on(struct child *self, const char *pci_address)
{
    struct worker w;
    struct import import;

    worker_start(&w, pci_address);
    import_it(&w, self, &import);
    ck_assert_success(
        copy(&w, source(&w, import.map, import.address, SIZE), target(&w, w.map, w.memory, SIZE)));
    ck_assert(filled(w.memory, SIZE, 1));
    fill(w.memory, SIZE, 2);
    ck_assert_success(
        copy(&w, source(&w, w.map, w.memory, SIZE), target(&w, import.map, import.address, SIZE)));
    child_tell(self, "written");
    child_wait(self, "ended"); // the export
    doca_error_t r =
        copy(&w, source(&w, import.map, import.address, 64), target(&w, w.map, w.memory, 64));
    ck_assert_msg(r == DOCA_ERROR_NOT_PERMITTED || r == DOCA_ERROR_CONNECTION_RESET, "%s",
                  doca_error_get_name(r));
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(w.ctx, &state));
    ck_assert_int_eq(state, DOCA_CTX_STATE_IDLE);
    // The context works again once it was started again.
    ck_assert_success(doca_ctx_start(w.ctx));
    ck_assert_success(
        copy(&w, source(&w, w.map, w.memory, 64), target(&w, w.map, w.memory + 64, 64)));
    ck_assert_success(doca_mmap_destroy(import.map));
    worker_stop(&w);
    return 0;
}

static int dpu_copies(struct child *self, void *arg)
{
    (void)arg;
    return copies_on(self, DPU_P0);
}

// ---- the host ----------------------------------------------------------------------------------

static int exports_on(struct child *self, const char *pci_address, bool brokered)
{
    uint8_t *memory = brokered ? brokered_memory : pages_new(SIZE);
    struct doca_dev *dev = client_open(pci_address);
    const void *desc;
    size_t len;

    fill(memory, SIZE, 1);
    struct doca_mmap *map = map_of(dev, memory, SIZE, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    ck_assert_success(doca_mmap_export_pci(map, dev, &desc, &len));
    child_send(self, desc, len);
    child_wait(self, "written");
    ck_assert(filled(memory, SIZE, 2));
    ck_assert_success(doca_mmap_destroy(map));
    ck_assert_success(doca_dev_close(dev));
    child_tell(self, "ended");
    return 0;
}

static int host_of_3(struct child *self, void *arg)
{
    return exports_on(self, HOST_PF0, *(bool *)arg);
}

// ---- the other way round -----------------------------------------------------------------------

static int dpu_exports(struct child *self, void *arg)
{
    return exports_on(self, DPU_P0, *(bool *)arg);
}

static int host_copies(struct child *self, void *arg)
{
    (void)arg;
    return copies_on(self, HOST_PF0);
}

static void pass_on(struct child *from, struct child *to)
{
    uint8_t desc[1024];
    size_t len = child_receive(from, desc, sizeof(desc));
    child_send(to, desc, len);
}

static void play(struct child *owner, struct child *copier)
{
    pass_on(owner, copier);
    child_wait(copier, "written");
    child_tell(owner, "written");
    child_wait(owner, "ended");
    child_tell(copier, "ended");
    child_join(owner);
    child_join(copier);
}

static void run_pair(child_fn host_fn, child_fn dpu_fn, bool brokered)
{
    struct node_pair pair = node_pair_start();
    struct child *host = child_start(pair.host, "host", host_fn, &brokered);
    struct child *dpu = child_start(pair.dpu, "dpu", dpu_fn, &brokered);

    if (dpu_fn == dpu_exports)
        play(dpu, host);
    else
        play(host, dpu);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}

START_TEST(a_dpu_exports_to_its_host)
{
    run_pair(host_copies, dpu_exports, _i);
}
END_TEST

START_TEST(both_sides_of_doca_3)
{
    run_pair(host_of_3, dpu_copies, _i);
}
END_TEST

START_TEST(a_host_of_2_2)
{
    run_pair(host_of_2_2, dpu_copies, _i);
}
END_TEST

START_TEST(a_dpu_of_2_2)
{
    run_pair(host_of_3, dpu_of_2_2, _i);
}
END_TEST

// ---- waiting, stopping, threads ----------------------------------------------------------------

#define PART (SIZE / N_TASKS)

// Brokered bytes: the engine's completions must wake a program that sleeps.
static void sleep_until_done(struct worker *w)
{
    doca_notification_handle_t handle;

    ck_assert_success(doca_pe_get_notification_handle(w->pe, &handle));
    for (;;) {
        struct pollfd fd = {.fd = handle, .events = POLLIN};
        while (doca_pe_progress(w->pe))
            ;
        if (w->n_done)
            return;
        ck_assert_success(doca_pe_request_notification(w->pe));
        ck_assert_int_eq(poll(&fd, 1, HARNESS_LIMIT_MS), 1);
        ck_assert_success(doca_pe_clear_notification(w->pe, 0));
    }
}

// Each task comes back once, whichever way, and those that were done have copied.
static void stop_under_load(struct worker *w, struct import *import)
{
    struct doca_buf *src[N_TASKS], *dst[N_TASKS];
    struct doca_dma_task_memcpy *tasks[N_TASKS];
    size_t part, copied = 0;

    w->n_done = w->n_failed = 0;
    for (unsigned i = 0; i < N_TASKS; i++) {
        src[i] = source(w, import->map, import->address + i * PART, PART);
        dst[i] = target(w, w->map, w->memory + i * PART, PART);
        tasks[i] = submit(w, src[i], dst[i]);
    }
    (void)doca_pe_progress(w->pe);
    ck_assert_error(doca_ctx_stop(w->ctx), DOCA_ERROR_IN_PROGRESS);
    wait_for(w, N_TASKS);
    ck_assert_success(doca_ctx_stop(w->ctx));
    ck_assert_uint_eq(w->n_done + w->n_failed, N_TASKS);
    for (unsigned i = 0; i < N_TASKS; i++) {
        ck_assert_success(doca_buf_get_data_len(dst[i], &part));
        copied += part;
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
        ck_assert_success(doca_buf_dec_refcount(src[i], NULL));
        ck_assert_success(doca_buf_dec_refcount(dst[i], NULL));
    }
    ck_assert_uint_eq(copied, w->n_done * PART);
}

static int dpu_sleeps(struct child *self, void *arg)
{
    struct worker w;
    struct import import;
    (void)arg;

    worker_start(&w, DPU_P0);
    import_it(&w, self, &import);
    struct doca_buf *src = source(&w, import.map, import.address, SIZE);
    struct doca_buf *dst = target(&w, w.map, w.memory, SIZE);
    struct doca_dma_task_memcpy *task = submit(&w, src, dst);
    sleep_until_done(&w);
    ck_assert(filled(w.memory, SIZE, 1));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    ck_assert_success(doca_buf_dec_refcount(src, NULL));
    ck_assert_success(doca_buf_dec_refcount(dst, NULL));
    stop_under_load(&w, &import);
    fill(w.memory, SIZE, 2);
    ck_assert_success(doca_ctx_start(w.ctx));
    ck_assert_success(
        copy(&w, source(&w, w.map, w.memory, SIZE), target(&w, import.map, import.address, SIZE)));
    child_tell(self, "written");
    child_wait(self, "ended");
    ck_assert_success(doca_mmap_destroy(import.map));
    worker_stop(&w);
    return 0;
}

START_TEST(a_program_that_sleeps_and_stops_under_load)
{
    run_pair(host_of_3, dpu_sleeps, true);
}
END_TEST

// Memory of which a program has said nothing can be written to.
static int copies_to_maps(struct child *self, void *arg)
{
    struct worker w;
    struct doca_mmap *silent, *closed;
    uint8_t *memory = pages_new(SIZE);
    (void)self;
    (void)arg;

    worker_start(&w, HOST_PF0);
    ck_assert_success(doca_mmap_create(&silent));
    ck_assert_success(doca_mmap_set_memrange(silent, memory, SIZE / 2));
    ck_assert_success(doca_mmap_add_dev(silent, w.dev));
    ck_assert_success(doca_mmap_start(silent));
    closed = map_of(w.dev, memory + SIZE / 2, SIZE / 2, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    fill(w.memory, SIZE, 3);
    ck_assert_success(copy(&w, source(&w, w.map, w.memory, 100), target(&w, silent, memory, 100)));
    ck_assert(filled(memory, 100, 3));
    ck_assert_error(
        copy(&w, source(&w, w.map, w.memory, 100), target(&w, closed, memory + SIZE / 2, 100)),
        DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_mmap_destroy(silent));
    ck_assert_success(doca_mmap_destroy(closed));
    worker_stop(&w);
    return 0;
}

START_TEST(permissions_that_were_not_set)
{
    struct node_pair pair = node_pair_start();
    child_join(child_start(pair.host, "maps", copies_to_maps, NULL));
    assert_baseline(pair.host);
}
END_TEST

#define N_THREADS 3

static void *copy_much(void *arg)
{
    struct worker *w = arg;
    for (unsigned i = 0; i < 500; i++)
        ck_assert_success(
            copy(w, source(w, w->map, w->memory, 256), target(w, w->map, w->memory + 512, 256)));
    return NULL;
}

static int engines_on_threads(struct child *self, void *arg)
{
    struct worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    (void)self;
    (void)arg;

    for (unsigned i = 0; i < N_THREADS; i++) {
        worker_start(&workers[i], HOST_PF0);
        fill(workers[i].memory, SIZE, i);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, copy_much, &workers[i]), 0);
    for (unsigned i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (unsigned i = 0; i < N_THREADS; i++) {
        ck_assert(filled(workers[i].memory + 512, 256, i));
        worker_stop(&workers[i]);
    }
    return 0;
}

START_TEST(an_engine_for_each_thread)
{
    struct node_pair pair = node_pair_start();
    child_join(child_start(pair.host, "threads", engines_on_threads, NULL));
    assert_baseline(pair.host);
}
END_TEST

#define ENGINES 300u // each has two descriptors

static int many_engines(struct child *self, void *arg)
{
    static struct doca_pe *engines[ENGINES];
    static struct doca_dma *libs[ENGINES];
    struct worker w;
    (void)self;
    (void)arg;

    worker_start(&w, HOST_PF0);
    for (unsigned i = 0; i < ENGINES; i++) {
        ck_assert_success(doca_pe_create(&engines[i]));
        ck_assert_success(doca_dma_create(w.dev, &libs[i]));
        ck_assert_success(doca_pe_connect_ctx(engines[i], doca_dma_as_ctx(libs[i])));
        ck_assert_success(doca_dma_task_memcpy_set_conf(libs[i], done, failed, 1));
        ck_assert_success(doca_ctx_start(doca_dma_as_ctx(libs[i])));
    }
    for (unsigned i = 0; i < ENGINES; i++) {
        ck_assert_success(doca_ctx_stop(doca_dma_as_ctx(libs[i])));
        ck_assert_success(doca_dma_destroy(libs[i]));
        ck_assert_success(doca_pe_destroy(engines[i]));
    }
    worker_stop(&w);
    return 0;
}

START_TEST(more_engines_than_first_places)
{
    struct node_pair pair = node_pair_start();
    child_join(child_start(pair.host, "engines", many_engines, NULL));
    assert_baseline(pair.host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tasks");
    TCase *tcase = tcase_create("tasks");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, both_sides_of_doca_3, 0, 2);
    tcase_add_loop_test(tcase, a_dpu_exports_to_its_host, 0, 2);
    tcase_add_loop_test(tcase, a_host_of_2_2, 0, 2);
    tcase_add_loop_test(tcase, a_dpu_of_2_2, 0, 2);
    tcase_add_test(tcase, a_program_that_sleeps_and_stops_under_load);
    tcase_add_test(tcase, permissions_that_were_not_set);
    tcase_add_test(tcase, an_engine_for_each_thread);
    tcase_add_test(tcase, more_engines_than_first_places);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
