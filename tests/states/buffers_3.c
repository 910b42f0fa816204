// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers of DOCA 3, and the inventories that they come from.

#include "tables.h"
#include "memory_3.h"

#include "client.h"

#include <check.h>

#define SIZE 4096

static uint8_t memory[SIZE];

struct doca_mmap *map_new_3(void *addr, size_t size, bool started)
{
    struct doca_mmap *mmap;
    ck_assert_success(doca_mmap_create(&mmap));
    if (addr)
        ck_assert_success(doca_mmap_set_memrange(mmap, addr, size));
    if (started)
        ck_assert_success(doca_mmap_start(mmap));
    return mmap;
}

static struct doca_buf_inventory *inventory_new(unsigned elements)
{
    const union doca_data user_data = {.u64 = 78};
    struct doca_buf_inventory *inventory;
    ck_assert_success(doca_buf_inventory_create(elements, &inventory));
    ck_assert_success(doca_buf_inventory_set_user_data(inventory, user_data));
    return inventory;
}

// ---- buffers -----------------------------------------------------------------------------

enum { SINGLE, HEAD, MIDDLE, TAIL, GIVEN_BACK, HOME_STOPPED, MAP_EARLY, SHARED, IMPORTED };

static struct {
    struct doca_dev *dev; // imported only
    struct doca_mmap *mmap;
    uint8_t *address;
    struct doca_buf_inventory *inventory;
    struct doca_buf *single, *list[3];
    struct doca_buf *buf; // one of these
} b;

static struct doca_buf *take(void)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_get_by_data(b.inventory, b.mmap, b.address, 16, &buf));
    return buf;
}

static void enter_buf(unsigned state)
{
    size_t length;

    if (state == IMPORTED) {
        b.dev = client_open(DPU_P0);
        ck_assert_success(
            doca_mmap_create_from_export(NULL, exported_desc, exported_desc_len, b.dev, &b.mmap));
    } else {
        b.mmap = map_new_3(memory, SIZE, state != MAP_EARLY);
    }
    ck_assert_success(doca_mmap_get_memrange(b.mmap, (void **)&b.address, &length));
    b.inventory = inventory_new(5);
    ck_assert_success(doca_buf_inventory_start(b.inventory));
    b.single = take();
    for (int i = 0; i < 3; i++)
        b.list[i] = take();
    for (int i = 1; i < 3; i++)
        ck_assert_success(doca_buf_chain_list(b.list[0], b.list[i]));
    b.buf = state >= HEAD && state <= TAIL ? b.list[state - HEAD] : take();
    if (state == GIVEN_BACK)
        ck_assert_success(doca_buf_dec_refcount(b.buf, NULL));
    if (state == HOME_STOPPED)
        ck_assert_success(doca_buf_inventory_stop(b.inventory));
    if (state == SHARED)
        ck_assert_success(doca_buf_inc_refcount(b.buf, NULL));
}

static void leave_buf(void)
{
    struct doca_buf *all[] = {b.single, b.list[0], b.list[1], b.list[2], b.buf};
    // Whatever lists there are now: heads take theirs along, and nobody is given back twice.
    for (int i = 0; i < 5; i++) {
        uint8_t first;
        while (doca_buf_is_first_in_list(all[i], &first) == DOCA_SUCCESS && first)
            ck_assert_success(doca_buf_dec_refcount(all[i], NULL));
    }
    ck_assert_success(doca_buf_inventory_destroy(b.inventory));
    ck_assert_success(doca_mmap_destroy(b.mmap));
    if (b.dev)
        ck_assert_success(doca_dev_close(b.dev));
    b.dev = NULL;
}

static enum given argue_buf(const char *function, const char *param, uint64_t *value)
{
    bool chains =
        same(function, "doca_buf_chain_list") || same(function, "doca_buf_chain_list_tail");

    if (same(param, "buf") || same(param, "list1") || same(param, "list1_head"))
        return GIVE(b.buf);
    if (same(param, "list1_tail"))
        return GIVE(b.buf == b.list[0] ? b.list[2] : b.buf);
    if (same(param, "list2"))
        return GIVE(chains ? b.single : b.list[2]);
    if (same(param, "addr") || (same(param, "data") && !same(function, "doca_buf_get_data")))
        return GIVE(b.address + 1);
    *value = 1;
    return same(param, "len") && !same(function, "doca_buf_get_len")             ? GIVEN
           : same(param, "data_len") && !same(function, "doca_buf_get_data_len") ? GIVEN
                                                                                 : GIVEN_NONE;
}

#define LIVE OK, OK, OK, OK, INVALID, OK, OK, OK, OK

static const struct row buf_rows[] = {
    //                         single  head  middle tail  given back  stopped early shared imported
    {"doca_buf_inc_refcount", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK, OK}, "refcount"},
    {"doca_buf_dec_refcount", {OK, OK, PERMIT, PERMIT, STATE, OK, OK, OK, OK}, "refcount"},
    {"doca_buf_get_refcount", {LIVE}},
    {"doca_buf_get_len", {LIVE}},
    {"doca_buf_get_head", {LIVE}},
    {"doca_buf_get_data_len", {LIVE}},
    {"doca_buf_get_data", {LIVE}},
    {"doca_buf_set_data", {LIVE}},
    {"doca_buf_set_data_len", {LIVE}},
    {"doca_buf_reset_data_len", {LIVE}},
    {"doca_buf_get_next_in_list", {LIVE}},
    {"doca_buf_get_last_in_list", {LIVE}},
    {"doca_buf_is_last_in_list", {LIVE}},
    {"doca_buf_is_first_in_list", {LIVE}},
    {"doca_buf_is_in_list", {LIVE}},
    {"doca_buf_get_list_len", {LIVE}},
    // Behind it: another single buffer.
    {"doca_buf_chain_list", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK, OK}},
    {"doca_buf_chain_list_tail", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK, OK}},
    // From it: the tail of the list.
    {"doca_buf_unchain_list",
     {INVALID, OK, OK, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID}},
    {"doca_buf_inventory_buf_reuse_by_addr", {LIVE}},
    {"doca_buf_inventory_buf_reuse_by_data", {LIVE}},
};

GROUP(bufs) = {
    .name = "buf",
    .states = {"single", "head", "middle", "tail", "given back", "inventory stopped",
               "map not started", "with two references", "imported"},
    .on_dpu = 1 << IMPORTED,
    ROWS(buf_rows),
    .probe = "doca_buf_dec_refcount",
    .enter = enter_buf,
    .leave = leave_buf,
    .argument = argue_buf,
};

// ---- inventories ---------------------------------------------------------------------------

enum { FRESH, STARTED, BUSY, ALL_OUT, STOPPED, STOPPED_BUSY, EARLY };

static struct {
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory, *other;
    struct doca_buf *bufs[2], *source;
} v;

static void enter_inventory(unsigned state)
{
    int taken = state == ALL_OUT ? 2 : state == BUSY || state == STOPPED_BUSY ? 1 : 0;

    v.mmap = map_new_3(memory, SIZE, state != EARLY);
    v.other = inventory_new(1);
    ck_assert_success(doca_buf_inventory_start(v.other));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(v.other, v.mmap, memory, 16, &v.source));
    v.inventory = inventory_new(2);
    if (state >= STARTED)
        ck_assert_success(doca_buf_inventory_start(v.inventory));
    for (int i = 0; i < taken; i++)
        ck_assert_success(
            doca_buf_inventory_buf_get_by_data(v.inventory, v.mmap, memory, 16, &v.bufs[i]));
    if (state == STOPPED || state == STOPPED_BUSY)
        ck_assert_success(doca_buf_inventory_stop(v.inventory));
}

static void leave_inventory(void)
{
    for (int i = 0; i < 2; i++) {
        if (v.bufs[i])
            ck_assert_success(doca_buf_dec_refcount(v.bufs[i], NULL));
        v.bufs[i] = NULL;
    }
    ck_assert_success(doca_buf_dec_refcount(v.source, NULL));
    ck_assert_success(doca_buf_inventory_destroy(v.other));
    if (v.inventory)
        ck_assert_success(doca_buf_inventory_destroy(v.inventory));
    ck_assert_success(doca_mmap_destroy(v.mmap));
}

static enum given argue_inventory(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "inventory"))
        return same(function, "doca_buf_inventory_create") ? GIVEN_NONE : GIVE(v.inventory);
    if (same(param, "src_buf"))
        return GIVE(v.source);
    if (same(param, "mmap"))
        return GIVE(v.mmap);
    if (same(param, "addr") || same(param, "data"))
        return GIVE(memory);
    *value = 16;
    return same(param, "len") || same(param, "data_len") || same(param, "num_elements") ||
                   same(function, "doca_buf_inventory_set_user_data")
               ? GIVEN
               : GIVEN_NONE;
}

static const struct life inventory_lives[] = {
    {"doca_buf_inventory_create", "doca_buf_inventory_destroy", &v.inventory},
    {"doca_buf_inventory_buf_dup", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_get_by_args", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_get_by_addr", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_get_by_data", NULL, &v.bufs[1]},
    {NULL},
};

#define TAKES INVALID, OK, OK, NO_MEM, INVALID, INVALID, OK

static const struct row inventory_rows[] = {
    //                             fresh started busy all out stopped, stopped busy, map not started
    {"doca_buf_inventory_create", ANY(OK)},
    {"doca_buf_inventory_destroy", {OK, OK, IN_USE, IN_USE, OK, IN_USE, OK}},
    {"doca_buf_inventory_start", ANY(OK)},
    {"doca_buf_inventory_stop", ANY(OK)},
    {"doca_buf_inventory_buf_get_by_args", {TAKES}, "data"},
    {"doca_buf_inventory_buf_get_by_addr", {TAKES}},
    {"doca_buf_inventory_buf_get_by_data", {TAKES}},
    {"doca_buf_inventory_buf_dup", {STATE, OK, OK, NO_MEM, STATE, STATE, OK}},
    {"doca_buf_inventory_set_user_data", {OK, STATE, STATE, STATE, OK, OK, STATE}},
    {"doca_buf_inventory_expand", ANY(OK)},
    {"doca_buf_inventory_get_num_elements", ANY(OK)},
    {"doca_buf_inventory_get_num_free_elements", ANY(OK)},
    {"doca_buf_inventory_get_user_data", ANY(OK)},
};

GROUP(inventories) = {
    .name = "inventory",
    .states = {"fresh", "started", "with a buffer out", "all out", "stopped",
               "stopped with a buffer out", "started, its map not"},
    ROWS(inventory_rows),
    .probe = "doca_buf_inventory_buf_dup",
    .enter = enter_inventory,
    .leave = leave_inventory,
    .argument = argue_inventory,
    .lives = inventory_lives,
};
