// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a task reads and writes is what its buffers said when it was submitted. Here the program
// gives them back right afterwards, and uses them for other memory, or points them elsewhere, or
// changes their data: for each kind of tasks, wherever the bytes are.

#include "computing.h"
#include "unit.h"
#include "workers/workers.h"

#include <doca_ctx.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST ((size_t)400000)
#define ROOM      ((size_t)450000)
#define PIECES    3
#define OTHER     0x5a

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

enum place { LOCAL, LIST, MAPPED, BROKERED, MIXED_LIST, PLACES };
enum change {
    NOTHING,
    GIVEN_BACK,
    INVENTORY_ENDED,
    POINTED_ELSEWHERE,
    DATA_MOVED,
    LISTS_CUT,
    CHANGES
};

// The second half of each is other memory of the same map.
struct side {
    uint8_t *memory;
    struct doca_mmap map, local;
    struct doca_buf *bufs[PIECES], *others[PIECES];
    unsigned n;
};

static const struct computing *with;
static struct doca_pe *pe;
static struct doca_ctx *lib_ctx;
static struct side source, result;
static uint8_t expected[ROOM], other[ROOM];
static size_t n_source, n_expected;
static unsigned n_over;
static doca_error_t status;

static void over(struct doca_task *task)
{
    status = doca_task_get_status(task);
    n_over++;
    doca_task_free(task);
}

static void open_with(const struct computing *computing_with, int workers)
{
    with = computing_with;
    OK(doca_pe_create(&pe));
    lib_ctx = with->open();
    OK(doca_pe_connect_ctx(pe, lib_ctx));
    workers_set_most(workers);
    OK(doca_ctx_start(lib_ctx));
    if (with->begin)
        with->begin();
}

static void close_all(void)
{
    if (with->end)
        with->end();
    OK(doca_ctx_stop(lib_ctx));
    OK(with->close());
    OK(doca_pe_destroy(pe));
}

// ---- buffers -----------------------------------------------------------------------------------

static bool is_far(enum place place, unsigned piece)
{
    return place == MAPPED || place == BROKERED || (place == MIXED_LIST && piece == 1);
}

static struct doca_buf *piece(struct side *side, bool far, size_t from, size_t n, size_t data)
{
    return buffer(far ? &side->map : &side->local,
                  far ? shifted(side->memory + from) : side->memory + from, n, data);
}

// Makes buffers for `n` bytes; all of them, or none, are data.
static void take(struct side *side, enum place place, size_t n, bool data)
{
    size_t brokered = place == MAPPED ? 0 : 2 * ROOM, at = 0;

    side->local = local_map(side->memory, 2 * ROOM);
    brokered_import(&side->map, side->memory, 2 * ROOM, brokered, 0, node_a);
    side->n = place == LIST || place == MIXED_LIST ? PIECES : 1;
    for (unsigned i = 0; i < side->n; i++) {
        size_t share = i + 1 < side->n ? (n - at) / 2 / 4 * 4 : n - at;
        side->bufs[i] = piece(side, is_far(place, i), at, share, data ? share : 0);
        if (i)
            chain(side->bufs[0], side->bufs[i]);
        at += share;
    }
}

static void change(struct side *side, enum place place, enum change what)
{
    for (unsigned i = 0; i < side->n; i++) {
        struct doca_buf *buf = side->bufs[i];
        bool far = is_far(place, i);
        uint8_t *at = side->memory + ROOM + 64 * i;
        if (what == POINTED_ELSEWHERE)
            OK(doca_buf_inventory_buf_reuse_by_addr(buf, far ? shifted(at) : at, 64));
        else if (what == DATA_MOVED)
            OK(doca_buf_set_data(buf, (uint8_t *)buf->head + 1, 0));
    }
    if (what == LISTS_CUT && side->n > 1)
        OK(doca_buf_unchain_list(side->bufs[0], side->bufs[1]));
    if (what == GIVEN_BACK || what == INVENTORY_ENDED)
        drop(side->bufs[0]);
    if (what != GIVEN_BACK)
        return;
    for (unsigned i = 0; i < side->n; i++) // the same elements of the inventory
        side->others[i] = piece(side, is_far(place, i), ROOM + 64 * i, 64, 0);
}

static void check_unchanged(const struct side *side, enum change what)
{
    ck_assert_mem_eq(side->memory + ROOM, other, ROOM);
    for (unsigned i = 0; i < side->n && what != INVENTORY_ENDED; i++)
        ck_assert_uint_eq((what == GIVEN_BACK ? side->others[i] : side->bufs[i])->data_len, 0);
}

static void put_back(struct side *side, enum change what)
{
    if (what == LISTS_CUT && side->n > 1)
        drop(side->bufs[1]);
    if (what != GIVEN_BACK && what != INVENTORY_ENDED)
        drop(side->bufs[0]);
    for (unsigned i = 0; i < side->n && what == GIVEN_BACK; i++)
        drop(side->others[i]);
    release(&side->map);
}

// ---- tasks -------------------------------------------------------------------------------------

static size_t length_of(const struct side *side)
{
    size_t n = 0;

    for (unsigned i = 0; i < side->n; i++)
        n += side->bufs[i]->data_len;
    return n;
}

static void run(enum place place, enum change what)
{
    struct doca_buf_inventory *first = inventory;

    if (what == INVENTORY_ENDED) {
        OK(doca_buf_inventory_create(2 * PIECES, &inventory));
        OK(doca_buf_inventory_start(inventory));
    }
    take(&source, place, n_source, true);
    take(&result, place, ROOM, false);
    memset(result.memory, 0, ROOM);
    memset(other, OTHER, ROOM);
    memcpy(source.memory + ROOM, other, ROOM);
    memcpy(result.memory + ROOM, other, ROOM);
    n_over = 0;
    OK(doca_task_submit(with->task(source.bufs[0], result.bufs[0])));
    change(&source, place, what);
    change(&result, place, what);
    if (what == INVENTORY_ENDED)
        OK(doca_buf_inventory_destroy(inventory));
    inventory = first;
    while (!n_over)
        if (!doca_pe_progress(pe))
            serve_all();
    ck_assert_msg(status == DOCA_SUCCESS, "%s, place %d, change %d: %d", with->name, (int)place,
                  (int)what, (int)status);
    if (what == NOTHING || what == LISTS_CUT)
        ck_assert_uint_eq(length_of(&result), n_expected);
    else
        check_unchanged(&result, what);
    ck_assert_mem_eq(result.memory, expected, n_expected);
    put_back(&source, what);
    put_back(&result, what);
}

// What the task makes of its source, and leaves in `expected`.
static void make_expected(const struct computing *of, int workers)
{
    open_with(of, workers);
    take(&source, LOCAL, n_source, true);
    take(&result, LOCAL, ROOM, false);
    n_over = 0;
    OK(doca_task_submit(with->task(source.bufs[0], result.bufs[0])));
    while (!n_over)
        doca_pe_progress(pe);
    OK(status);
    n_expected = result.bufs[0]->data_len;
    memcpy(expected, result.memory, n_expected);
    put_back(&source, NOTHING);
    put_back(&result, NOTHING);
    close_all();
}

static void make_source(const struct computing *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        source.memory[i] = (uint8_t)(i * 7 % 251 & 15);
    n_source = n;
    if (of->input) {
        make_expected(of->input, 0);
        memcpy(source.memory, expected, n_expected);
        n_source = n_expected;
    }
    make_expected(of, 0);
}

// For each kind of tasks: short ones, which are done by the thread that polls, and long ones, which
// workers do where they can.
static void try_all(int kind, size_t n, int workers)
{
    const struct computing *of = kind < n_computing ? &computing[kind] : &copying;

    computing_over = over;
    setup(); // buffers come from there
    source.memory = malloc(2 * ROOM);
    result.memory = malloc(2 * ROOM);
    ck_assert_ptr_nonnull(source.memory);
    ck_assert_ptr_nonnull(result.memory);
    make_source(of, n);
    open_with(of, workers);
    for (enum place place = LOCAL; place < PLACES; place++)
        for (enum change what = NOTHING; what < CHANGES; what++)
            run(place, what);
    close_all();
    free(source.memory);
    free(result.memory);
    teardown();
}

START_TEST(short_tasks)
{
    try_all(_i, 4096, 0);
}
END_TEST

START_TEST(long_tasks)
{
    try_all(_i, SIZE_MOST / 128 * 128, 0);
}
END_TEST

START_TEST(long_tasks_at_workers)
{
    try_all(_i, SIZE_MOST / 128 * 128, 2);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("after_submission");
    tcase_add_loop_test(tcase, short_tasks, 0, n_computing + 1);
    tcase_add_loop_test(tcase, long_tasks, 0, n_computing + 1);
    tcase_add_loop_test(tcase, long_tasks_at_workers, 0, n_computing);
    return unit_run_case("after_submission", tcase);
}
