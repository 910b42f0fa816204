// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers, and the inventories and pools that they come from. No device is needed.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_bufpool.h>

#define SIZE 4096

static uint8_t memory[SIZE];

static struct doca_mmap *map_new(bool ranged, bool started)
{
    struct doca_mmap *mmap;
    ck_assert_success(doca_mmap_create(NULL, &mmap));
    if (ranged)
        ck_assert_success(doca_mmap_set_memrange(mmap, memory, SIZE));
    if (started)
        ck_assert_success(doca_mmap_start(mmap));
    return mmap;
}

static struct doca_buf_inventory *inventory_new(unsigned elements)
{
    const union doca_data user_data = {.u64 = 78};
    struct doca_buf_inventory *inventory;
    ck_assert_success(doca_buf_inventory_create(&user_data, elements, 0, &inventory));
    return inventory;
}

// ---- buffers -----------------------------------------------------------------------------

enum { SINGLE, HEAD, MIDDLE, TAIL, GIVEN_BACK, HOME_STOPPED, MAP_EARLY, IMPORTED };

static struct {
    struct doca_dev *dev; // imported only
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *single, *list[3];
    struct doca_buf *buf; // one of these
} b;

static struct doca_buf *take(void)
{
    struct doca_buf *buf;
    void *address;
    size_t length;
    ck_assert_success(doca_mmap_get_memrange(b.mmap, &address, &length));
    ck_assert_success(doca_buf_inventory_buf_by_data(b.inventory, b.mmap, address, 16, &buf));
    return buf;
}

static void enter_buf(unsigned state)
{
    if (state == IMPORTED) {
        b.dev = client_open(DPU_P0);
        ck_assert_success(
            doca_mmap_create_from_export(NULL, exported_desc, exported_desc_len, b.dev, &b.mmap));
    } else {
        b.mmap = map_new(true, state != MAP_EARLY);
    }
    b.inventory = inventory_new(5);
    ck_assert_success(doca_buf_inventory_start(b.inventory));
    b.single = take();
    for (int i = 0; i < 3; i++)
        b.list[i] = take();
    for (int i = 1; i < 3; i++)
        ck_assert_success(doca_buf_list_chain(b.list[0], b.list[i]));
    b.buf = state >= HEAD && state <= TAIL ? b.list[state - HEAD] : take();
    if (state == GIVEN_BACK)
        ck_assert_success(doca_buf_refcount_rm(b.buf, NULL));
    if (state == HOME_STOPPED)
        ck_assert_success(doca_buf_inventory_stop(b.inventory));
}

static void leave_buf(void)
{
    struct doca_buf *all[] = {b.single, b.list[0], b.list[1], b.list[2], b.buf};
    // Whatever lists there are now: heads take theirs along, and nobody is given back twice.
    for (int i = 0; i < 5; i++) {
        bool first;
        if (doca_buf_list_is_first(all[i], &first) == DOCA_SUCCESS && first)
            ck_assert_success(doca_buf_refcount_rm(all[i], NULL));
    }
    ck_assert_success(doca_buf_inventory_destroy(b.inventory));
    ck_assert_success(doca_mmap_destroy(b.mmap));
    if (b.dev)
        ck_assert_success(doca_dev_close(b.dev));
    b.dev = NULL;
}

static enum given argue_buf(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "buf") || same(param, "list1"))
        return GIVE(b.buf);
    if (same(param, "list2"))
        return GIVE(same(function, "doca_buf_list_chain") ? b.single : b.list[2]);
    if (same(param, "data") && same(function, "doca_buf_set_data"))
        return GIVE(memory + 1);
    *value = 1;
    return same(param, "data_len") && same(function, "doca_buf_set_data") ? GIVEN : GIVEN_NONE;
}

#define LIVE(code) code, code, code, code, INVALID, code, code, code

static const struct row buf_rows[] = {
    //                         single  head  middle tail  given back  stopped map early imported
    {"doca_buf_refcount_add", ANY(UNSUPP), "buf refcount"},
    {"doca_buf_refcount_rm", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK}, "refcount"},
    {"doca_buf_get_refcount", {LIVE(OK)}},
    {"doca_buf_get_len", {LIVE(OK)}},
    {"doca_buf_get_head", {LIVE(OK)}},
    {"doca_buf_get_data_len", {LIVE(OK)}},
    {"doca_buf_get_data", {LIVE(OK)}},
    {"doca_buf_set_data", {LIVE(OK)}},
    {"doca_buf_reset_data_len", {LIVE(OK)}},
    {"doca_buf_list_next", {LIVE(OK)}},
    {"doca_buf_list_last", {LIVE(OK)}},
    {"doca_buf_list_is_last", {LIVE(OK)}},
    {"doca_buf_list_is_first", {LIVE(OK)}},
    {"doca_buf_is_in_list", {LIVE(OK)}},
    {"doca_buf_list_num_elements", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK}},
    // Behind it: another single buffer.
    {"doca_buf_list_chain", {OK, OK, INVALID, INVALID, INVALID, OK, OK, OK}},
    // From it: the tail of the list.
    {"doca_buf_list_unchain", {INVALID, OK, OK, INVALID, INVALID, INVALID, INVALID, INVALID}},
};

GROUP(bufs) = {
    .name = "buf",
    .states = {"single", "head", "middle", "tail", "given back", "inventory stopped",
               "map not started", "imported"},
    .on_dpu = 1 << IMPORTED,
    ROWS(buf_rows),
    .probe = "doca_buf_refcount_rm",
    .enter = enter_buf,
    .leave = leave_buf,
    .argument = argue_buf,
};

// ---- inventories ---------------------------------------------------------------------------

enum { FRESH, STARTED, BUSY, EMPTY, STOPPED, STOPPED_BUSY, EARLY };

static struct {
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory, *other;
    struct doca_buf *bufs[2], *source;
} v;

static void enter_inventory(unsigned state)
{
    int taken = state == EMPTY ? 2 : state == BUSY || state == STOPPED_BUSY ? 1 : 0;

    v.mmap = map_new(true, state != EARLY);
    v.other = inventory_new(1);
    ck_assert_success(doca_buf_inventory_start(v.other));
    ck_assert_success(doca_buf_inventory_buf_by_data(v.other, v.mmap, memory, 16, &v.source));
    v.inventory = inventory_new(2);
    if (state >= STARTED)
        ck_assert_success(doca_buf_inventory_start(v.inventory));
    for (int i = 0; i < taken; i++)
        ck_assert_success(
            doca_buf_inventory_buf_by_data(v.inventory, v.mmap, memory, 16, &v.bufs[i]));
    if (state == STOPPED || state == STOPPED_BUSY)
        ck_assert_success(doca_buf_inventory_stop(v.inventory));
}

static void leave_inventory(void)
{
    for (int i = 0; i < 2; i++) {
        if (v.bufs[i])
            ck_assert_success(doca_buf_refcount_rm(v.bufs[i], NULL));
        v.bufs[i] = NULL;
    }
    ck_assert_success(doca_buf_refcount_rm(v.source, NULL));
    ck_assert_success(doca_buf_inventory_destroy(v.other));
    if (v.inventory)
        ck_assert_success(doca_buf_inventory_destroy(v.inventory));
    ck_assert_success(doca_mmap_destroy(v.mmap));
}

static bool starts_with(const char *text, const char *prefix)
{
    return __builtin_strncmp(text, prefix, __builtin_strlen(prefix)) == 0;
}

static enum given argue_inventory(const char *function, const char *param, uint64_t *value)
{
    bool takes = starts_with(function, "doca_buf_inventory_buf_by_");

    if (same(param, "inventory"))
        return GIVE(v.inventory);
    if (same(param, "src_buf"))
        return GIVE(v.source);
    if (same(param, "mmap"))
        return GIVE(v.mmap);
    if (takes && (same(param, "addr") || same(param, "data")))
        return GIVE(memory);
    *value = same(param, "extensions") ? 0 : 16;
    return same(param, "len") || same(param, "data_len") || same(param, "extensions") ||
                   same(param, "num_elements")
               ? GIVEN
               : GIVEN_NONE;
}

static const struct life inventory_lives[] = {
    {"doca_buf_inventory_create", "doca_buf_inventory_destroy", &v.inventory},
    {"doca_buf_inventory_buf_dup", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_by_args", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_by_addr", NULL, &v.bufs[1]},
    {"doca_buf_inventory_buf_by_data", NULL, &v.bufs[1]},
    {NULL},
};

#define TAKES INVALID, OK, OK, NO_MEM, INVALID, INVALID, OK

static const struct row inventory_rows[] = {
    //                             fresh started busy empty stopped stopped busy, map not started
    {"doca_buf_inventory_create", ANY(OK), "user_data"},
    {"doca_buf_inventory_destroy", {OK, OK, PERMIT, PERMIT, OK, PERMIT, OK}},
    {"doca_buf_inventory_start", ANY(OK)},
    {"doca_buf_inventory_stop", ANY(OK)},
    {"doca_buf_inventory_buf_by_args", {TAKES}, "data"},
    {"doca_buf_inventory_buf_by_addr", {TAKES}},
    {"doca_buf_inventory_buf_by_data", {TAKES}},
    {"doca_buf_inventory_buf_dup", {PERMIT, OK, OK, NO_MEM, PERMIT, PERMIT, OK}},
    {"doca_buf_inventory_get_num_elements", ANY(OK)},
    {"doca_buf_inventory_get_num_free_elements", ANY(OK)},
    {"doca_buf_inventory_get_user_data", ANY(OK)},
};

GROUP(inventories) = {
    .name = "inventory",
    .states = {"fresh", "started", "with a buffer out", "empty", "stopped",
               "stopped with a buffer out", "started, its map not"},
    ROWS(inventory_rows),
    .probe = "doca_buf_inventory_buf_dup",
    .enter = enter_inventory,
    .leave = leave_inventory,
    .argument = argue_inventory,
    .lives = inventory_lives,
};

// ---- pools -----------------------------------------------------------------------------------

enum { MAP_STOPPED = STOPPED_BUSY, NO_RANGE };

static struct {
    struct doca_mmap *mmap;
    struct doca_bufpool *pool;
    struct doca_buf *bufs[2];
} p;

static void enter_pool(unsigned state)
{
    const union doca_data user_data = {.u64 = 79};
    int taken = state == EMPTY ? 2 : state == BUSY ? 1 : 0;

    p.mmap = map_new(state != NO_RANGE, state < MAP_STOPPED);
    if (state == NO_RANGE)
        return;
    ck_assert_success(doca_bufpool_create(&user_data, 2, 0, 64, 64, p.mmap, &p.pool));
    if (state >= STARTED && state <= STOPPED)
        ck_assert_success(doca_bufpool_start(p.pool));
    for (int i = 0; i < taken; i++)
        ck_assert_success(doca_bufpool_buf_alloc(p.pool, &p.bufs[i]));
    if (state == STOPPED)
        ck_assert_success(doca_bufpool_stop(p.pool));
}

static void leave_pool(void)
{
    for (int i = 0; i < 2; i++) {
        if (p.bufs[i])
            ck_assert_success(doca_buf_refcount_rm(p.bufs[i], NULL));
        p.bufs[i] = NULL;
    }
    if (p.pool)
        ck_assert_success(doca_bufpool_destroy(p.pool));
    p.pool = NULL;
    ck_assert_success(doca_mmap_destroy(p.mmap));
}

static enum given argue_pool(const char *function, const char *param, uint64_t *value)
{
    bool creates = same(function, "doca_bufpool_create");

    if (same(param, "bufpool"))
        return creates ? GIVEN_NONE : GIVE_OBJECT(p.pool);
    if (same(param, "mmap"))
        return GIVE(p.mmap);
    *value = same(param, "extensions") ? 0 : 16; // elements, their size, their alignment
    return creates && !same(param, "user_data") ? GIVEN : GIVEN_NONE;
}

#define POOL(code) code, code, code, code, code, code, ABSENT

static const struct row pool_rows[] = {
    //                       fresh started busy empty stopped map stopped, without range
    {"doca_bufpool_create", {OK, OK, OK, OK, OK, OK, STATE}, "user_data"},
    {"doca_bufpool_destroy", {OK, OK, IN_USE, IN_USE, OK, OK, ABSENT}},
    {"doca_bufpool_start", {OK, OK, OK, OK, OK, STATE, ABSENT}},
    {"doca_bufpool_stop", {POOL(OK)}},
    {"doca_bufpool_buf_alloc", {STATE, OK, OK, NO_MEM, STATE, STATE, ABSENT}},
    {"doca_bufpool_get_num_elements", {POOL(OK)}},
    {"doca_bufpool_get_num_free_elements", {POOL(OK)}},
    {"doca_bufpool_get_user_data", {POOL(OK)}},
};

GROUP(bufpools) = {
    .name = "bufpool",
    .states = {"fresh", "started", "with a buffer out", "empty", "stopped", "map not started",
               "map without range"},
    ROWS(pool_rows),
    .probe = "doca_bufpool_buf_alloc",
    .enter = enter_pool,
    .leave = leave_pool,
    .argument = argue_pool,
    LIVES({"doca_bufpool_create", "doca_bufpool_destroy", &p.pool},
          {"doca_bufpool_buf_alloc", NULL, &p.bufs[1]}),
};
