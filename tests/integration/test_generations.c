// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two generations in one process: a program of DOCA 3 that links a library of DOCA 2.2. Each has
// devices, maps, buffers, work in flight and sync events of its own, which do not disturb each
// other's, and each keeps the rules of its generation.

#include "library_2_2.h"

#include "child.h"
#include "client.h"
#include "deadline.h"
#include "env.h"
#include "nodes.h"
#include "run.h"

#include <doca_pe.h>
#include <doca_sync_event.h>
#include <string.h>

#define N    LIBRARY_JOBS
#define SIZE LIBRARY_SIZE

// ---- the program of DOCA 3 ----------------------------------------------------------------------

struct program {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    struct doca_sync_event *event;
    uint8_t *memory;
    unsigned done, failed;
};

static void put_buffers(struct doca_dma_task_memcpy *task)
{
    ck_assert_success(
        doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL));
    ck_assert_success(doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    ((struct program *)ctx.ptr)->done++;
    put_buffers(task);
}

static void on_failure(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    ((struct program *)ctx.ptr)->failed++;
    put_buffers(task);
}

static void open_memory(struct program *p)
{
    p->memory = pages_new(SIZE);
    ck_assert_success(doca_mmap_create(&p->map));
    ck_assert_success(doca_mmap_set_memrange(p->map, p->memory, SIZE));
    ck_assert_success(doca_mmap_set_permissions(p->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                            DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    ck_assert_success(doca_mmap_add_dev(p->map, p->dev));
    ck_assert_success(doca_mmap_start(p->map));
    ck_assert_success(doca_buf_inventory_create(2 * N, &p->inventory));
    ck_assert_success(doca_buf_inventory_start(p->inventory));
}

static void program_open(struct program *p, const char *pci_address)
{
    *p = (struct program){.dev = client_open(pci_address)};
    open_memory(p);
    ck_assert_success(doca_sync_event_create(&p->event));
    ck_assert_success(doca_sync_event_add_publisher_location_cpu(p->event, p->dev));
    ck_assert_success(doca_sync_event_add_subscriber_location_cpu(p->event, p->dev));
    ck_assert_success(doca_sync_event_start(p->event));
    ck_assert_success(doca_pe_create(&p->pe));
    ck_assert_success(doca_dma_create(p->dev, &p->dma));
    p->ctx = doca_dma_as_ctx(p->dma);
    ck_assert_success(doca_pe_connect_ctx(p->pe, p->ctx));
    ck_assert_success(doca_ctx_set_user_data(p->ctx, (union doca_data){.ptr = p}));
    ck_assert_success(doca_dma_task_memcpy_set_conf(p->dma, on_done, on_failure, N));
    ck_assert_success(doca_ctx_start(p->ctx));
}

static void program_close(struct program *p)
{
    while (doca_ctx_stop(p->ctx) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(p->pe);
    ck_assert_success(doca_dma_destroy(p->dma));
    ck_assert_success(doca_pe_destroy(p->pe));
    ck_assert_success(doca_sync_event_stop(p->event));
    ck_assert_success(doca_sync_event_destroy(p->event));
    ck_assert_success(doca_buf_inventory_destroy(p->inventory));
    ck_assert_success(doca_mmap_destroy(p->map));
    ck_assert_success(doca_dev_close(p->dev));
}

static void submit(struct program *p, struct doca_mmap *map, void *from, void *to, size_t n)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst;
    const union doca_data none = {0};
    ck_assert_success(
        n ? doca_buf_inventory_buf_get_by_data(p->inventory, map, from, n, &src)
          : doca_buf_inventory_buf_get_by_addr(p->inventory, map, from, LIBRARY_PIECE, &src));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_addr(p->inventory, p->map, to, n ? n : LIBRARY_PIECE, &dst));
    ck_assert_success(doca_dma_task_memcpy_alloc_init(p->dma, src, dst, none, &task));
    ck_assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
}

static void submit_all(struct program *p)
{
    for (size_t i = 0; i < N; i++)
        submit(p, p->map, p->memory + i * LIBRARY_PIECE, p->memory + (N + i) * LIBRARY_PIECE,
               LIBRARY_PIECE);
}

static void wait_for(struct program *p, unsigned n)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (p->done + p->failed < n) {
        (void)doca_pe_progress(p->pe);
        ck_assert_msg(now_ms() < deadline, "a task hangs");
    }
}

static doca_error_t fetch(struct program *p, const void *desc, size_t desc_len, size_t n)
{
    struct doca_mmap *map;
    void *address;
    size_t length;

    doca_error_t r = doca_mmap_create_from_export(NULL, desc, desc_len, p->dev, &map);
    if (r != DOCA_SUCCESS)
        return r;
    ck_assert_success(doca_mmap_get_memrange(map, &address, &length));
    p->done = p->failed = 0;
    submit(p, map, address, p->memory, n);
    wait_for(p, 1);
    ck_assert_success(doca_mmap_destroy(map));
    return p->done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

// ---- in one process -----------------------------------------------------------------------------

// Both have work in flight; each engine brings only its own.
static void work_together(struct program *p, struct library *l, uint8_t seed)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    unsigned theirs = 0;
    uint8_t *memory = library_memory(l);

    p->done = p->failed = 0;
    memset(p->memory, seed, SIZE / 2);
    memset(memory, seed + 1, SIZE / 2);
    submit_all(p);
    library_submit(l);
    while (p->done < N || theirs < N) {
        theirs += library_retrieve(l);
        (void)doca_pe_progress(p->pe);
        ck_assert_msg(now_ms() < deadline, "%u of ours and %u of theirs", p->done, theirs);
    }
    ck_assert_uint_eq(p->done, N);
    ck_assert_uint_eq(theirs, N);
    ck_assert_uint_eq(p->failed + library_retrieve(l), 0);
    ck_assert(memcmp(p->memory, p->memory + SIZE / 2, SIZE / 2) == 0);
    ck_assert(memcmp(memory, memory + SIZE / 2, SIZE / 2) == 0);
    ck_assert_int_ne(p->memory[SIZE - 1], memory[SIZE - 1]);
}

// A job of 2.2 that fails is that job's failure; a task of DOCA 3 that fails stops its context.
static void keep_their_rules(struct program *p, struct library *l)
{
    enum doca_ctx_states state;
    p->done = p->failed = 0;
    submit(p, p->map, p->memory, p->memory + LIBRARY_PIECE, 0);
    ck_assert_error(library_fail(l), DOCA_ERROR_INVALID_VALUE);
    wait_for(p, 1);
    ck_assert_uint_eq(p->failed, 1);
    while (doca_pe_progress(p->pe))
        ;
    ck_assert_success(doca_ctx_get_state(p->ctx, &state));
    ck_assert_int_eq(state, DOCA_CTX_STATE_IDLE);
    library_work(l);
    ck_assert_success(doca_ctx_start(p->ctx));
}

static void count(struct program *p, struct library *l)
{
    uint64_t value;
    ck_assert_success(doca_sync_event_update_set(p->event, 100));
    ck_assert_uint_eq(library_count(l, 5), 5);
    ck_assert_success(doca_sync_event_get(p->event, &value));
    ck_assert_uint_eq(value, 100);
}

static int both_generations(struct child *self, void *arg)
{
    const bool library_first = *(const int *)arg;
    struct library *l = library_first ? library_open(DPU_P0) : NULL;
    struct program p;

    (void)self;
    program_open(&p, DPU_P0);
    if (!l)
        l = library_open(DPU_P0);
    work_together(&p, l, 1);
    keep_their_rules(&p, l);
    count(&p, l);
    work_together(&p, l, 3);
    // Either works without the other one.
    if (library_first) {
        library_close(l);
        submit_all(&p);
        p.done = p.failed = 0;
        wait_for(&p, N);
        ck_assert_uint_eq(p.done, N);
        program_close(&p);
        return 0;
    }
    program_close(&p);
    library_work(l);
    library_close(l);
    return 0;
}

START_TEST(a_library_of_2_2_in_a_program_of_3)
{
    struct node_pair pair = node_pair_start();
    int library_first = _i;
    child_join(child_start(pair.dpu, "both", both_generations, &library_first));
    assert_baseline(pair.dpu);
}
END_TEST

// ---- across PCI
// ----------------------------------------------------------------------------------

struct handout {
    size_t of_program_size, of_library_size;
    uint8_t of_program[1024], of_library[1024];
};

static int both_export(struct child *self, void *arg)
{
    struct handout out;
    struct program p;
    const void *desc;

    (void)arg;
    program_open(&p, HOST_PF0);
    struct library *l = library_open(HOST_PF0);
    memset(p.memory, 'p', SIZE);
    memset(library_memory(l), 'l', SIZE);
    ck_assert_success(doca_mmap_export_pci(p.map, p.dev, &desc, &out.of_program_size));
    ck_assert_uint_le(out.of_program_size, sizeof(out.of_program));
    memcpy(out.of_program, desc, out.of_program_size);
    out.of_library_size = library_export(l, out.of_library, sizeof(out.of_library));
    child_send(self, &out, sizeof(out));
    child_wait(self, "close one");
    library_close(l);
    child_tell(self, "closed");
    child_wait(self, "end");
    program_close(&p);
    return 0;
}

// Each reads what the other generation exported.
static int both_import(struct child *self, void *arg)
{
    struct handout in;
    struct program p;

    (void)arg;
    ck_assert_uint_eq(child_receive(self, &in, sizeof(in)), sizeof(in));
    program_open(&p, DPU_P0);
    struct library *l = library_open(DPU_P0);
    ck_assert_success(fetch(&p, in.of_library, in.of_library_size, SIZE));
    ck_assert_success(library_fetch(l, in.of_program, in.of_program_size, SIZE));
    for (size_t i = 0; i < SIZE; i++)
        ck_assert_msg(p.memory[i] == 'l' && library_memory(l)[i] == 'p', "byte %zu differs", i);
    child_tell(self, "read");
    child_wait(self, "closed");
    ck_assert_error(fetch(&p, in.of_library, in.of_library_size, SIZE), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(library_fetch(l, in.of_program, in.of_program_size, SIZE));
    library_close(l);
    program_close(&p);
    return 0;
}

START_TEST(each_imports_what_the_other_exports)
{
    struct node_pair pair = node_pair_start();
    struct handout handout;
    struct child *host = child_start(pair.host, "host", both_export, NULL);
    struct child *dpu = child_start(pair.dpu, "dpu", both_import, NULL);

    ck_assert_uint_eq(child_receive(host, &handout, sizeof(handout)), sizeof(handout));
    child_send(dpu, &handout, sizeof(handout));
    child_wait(dpu, "read");
    child_tell(host, "close one");
    child_wait(host, "closed");
    child_tell(dpu, "closed");
    child_join(dpu);
    child_tell(host, "end");
    child_join(host);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generations");
    TCase *tcase = tcase_create("generations");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, a_library_of_2_2_in_a_program_of_3, 0, 2);
    tcase_add_test(tcase, each_imports_what_the_other_exports);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
