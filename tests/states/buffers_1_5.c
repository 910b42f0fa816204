// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers of the 1.5 interface, and the inventories that they come from.

#include "tables.h"

#include "client.h"

#include <check.h>

#define SIZE 4096

static uint8_t memory[SIZE];

static struct doca_mmap *map_new(struct doca_dev *dev)
{
    struct doca_mmap *mmap;
    ck_assert_success(doca_mmap_create(NULL, &mmap));
    ck_assert_success(doca_mmap_start(mmap));
    ck_assert_success(doca_mmap_dev_add(mmap, dev));
    ck_assert_success(doca_mmap_populate(mmap, memory, SIZE, 4096, NULL, NULL));
    return mmap;
}

static struct doca_buf_inventory *inventory_new(unsigned elements, uint32_t extensions)
{
    const union doca_data user_data = {.u64 = 78};
    struct doca_buf_inventory *inventory;
    ck_assert_success(doca_buf_inventory_create(&user_data, elements, extensions, &inventory));
    return inventory;
}

// ---- buffers -----------------------------------------------------------------------------

enum { SINGLE, HEAD, MIDDLE, TAIL, GIVEN_BACK, HOME_STOPPED, IMPORTED, UNLISTED };

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory, *unlisted;
    struct doca_buf *single, *list[3];
    struct doca_buf *buf; // one of these
    void *address;
} b;

static struct doca_buf *take(struct doca_buf_inventory *inventory)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_data(inventory, b.mmap, b.address, 16, &buf));
    return buf;
}

static void enter_buf(unsigned state)
{
    b.dev = client_open(state == IMPORTED ? DPU_P0 : HOST_PF0);
    b.address = memory;
    if (state == IMPORTED) {
        ck_assert_success(
            doca_mmap_create_from_export(NULL, exported_desc, exported_desc_len, b.dev, &b.mmap));
        b.address = exported_address;
    } else {
        b.mmap = map_new(b.dev);
    }
    b.inventory = inventory_new(5, DOCA_BUF_EXTENSION_LINKED_LIST);
    b.unlisted = inventory_new(1, DOCA_BUF_EXTENSION_NONE);
    ck_assert_success(doca_buf_inventory_start(b.inventory));
    ck_assert_success(doca_buf_inventory_start(b.unlisted));
    b.single = take(b.inventory);
    for (int i = 0; i < 3; i++)
        b.list[i] = take(b.inventory);
    for (int i = 1; i < 3; i++)
        ck_assert_success(doca_buf_list_chain(b.list[0], b.list[i]));
    b.buf = state >= HEAD && state <= TAIL ? b.list[state - HEAD]
                                           : take(state == UNLISTED ? b.unlisted : b.inventory);
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
    ck_assert_success(doca_buf_inventory_destroy(b.unlisted));
    ck_assert_success(doca_mmap_destroy(b.mmap));
    ck_assert_success(doca_dev_close(b.dev));
}

static enum given argue_buf(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "buf") || same(param, "list1"))
        return GIVE(b.buf);
    if (same(param, "list2"))
        return GIVE(same(function, "doca_buf_list_chain") ? b.single : b.list[2]);
    if (same(param, "dev"))
        return GIVE(b.dev);
    if (same(param, "data") && same(function, "doca_buf_set_data"))
        return GIVE((uint8_t *)b.address + 15);
    *value = 1;
    return same(param, "doca_access_flags") ||
                   (same(param, "data_len") && same(function, "doca_buf_set_data"))
               ? GIVEN
               : GIVEN_NONE;
}

#define LIVE(code) code, code, code, code, INVALID, code, code, code

static const struct row buf_rows[] = {
    // single head middle tail given-back stopped imported unlisted
    {"doca_buf_refcount_add", ANY(UNSUPP), "buf refcount"},
    {"doca_buf_refcount_rm", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK}, "refcount"},
    {"doca_buf_get_refcount", {LIVE(OK)}},
    {"doca_buf_get_len", {LIVE(OK)}},
    {"doca_buf_get_lkey", {LIVE(UNSUPP)}}, // a software function
    {"doca_buf_get_head", {LIVE(OK)}},
    {"doca_buf_get_data_len", {LIVE(OK)}},
    {"doca_buf_get_data", {LIVE(OK)}},
    {"doca_buf_set_data", {LIVE(OK)}},
    {"doca_buf_list_next", {LIVE(OK)}},
    {"doca_buf_list_last", {LIVE(OK)}},
    {"doca_buf_list_is_last", {LIVE(OK)}},
    {"doca_buf_list_is_first", {LIVE(OK)}},
    {"doca_buf_list_num_elements", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK}},
    // Behind it: another single buffer.
    {"doca_buf_list_chain", {OK, OK, INVALID, INVALID, INVALID, OK, OK, PERMIT}},
    // From it: the tail of the list.
    {"doca_buf_list_unchain", {INVALID, OK, OK, INVALID, INVALID, INVALID, INVALID, PERMIT}},
};

GROUP(bufs) = {
    .name = "buf",
    .states = {"single", "head", "middle", "tail", "given back", "inventory stopped", "imported",
               "without lists"},
    .on_dpu = 1 << IMPORTED,
    ROWS(buf_rows),
    .probe = "doca_buf_refcount_rm",
    .enter = enter_buf,
    .leave = leave_buf,
    .argument = argue_buf,
};

// ---- inventories ---------------------------------------------------------------------------

enum { FRESH, RUNNING, BUSY, EMPTY, STOPPED, STOPPED_BUSY, MAP_STOPPED };

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory, *other;
    struct doca_buf *bufs[2], *source;
} v;

static void enter_inventory(unsigned state)
{
    int taken = state == EMPTY ? 2 : state == BUSY || state == STOPPED_BUSY ? 1 : 0;

    v.dev = client_open(HOST_PF0);
    v.mmap = map_new(v.dev);
    v.other = inventory_new(1, 0);
    ck_assert_success(doca_buf_inventory_start(v.other));
    ck_assert_success(doca_buf_inventory_buf_by_data(v.other, v.mmap, memory, 16, &v.source));
    v.inventory = inventory_new(2, 0);
    if (state >= RUNNING)
        ck_assert_success(doca_buf_inventory_start(v.inventory));
    for (int i = 0; i < taken; i++)
        ck_assert_success(
            doca_buf_inventory_buf_by_data(v.inventory, v.mmap, memory, 16, &v.bufs[i]));
    if (state == STOPPED || state == STOPPED_BUSY)
        ck_assert_success(doca_buf_inventory_stop(v.inventory));
    if (state == MAP_STOPPED)
        ck_assert_success(doca_mmap_stop(v.mmap));
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
    ck_assert_success(doca_dev_close(v.dev));
}

// Which argument receives a buffer; 0 if none does.
static unsigned taken_at(const char *function)
{
    if (same(function, "doca_buf_inventory_buf_by_args"))
        return 6;
    if (same(function, "doca_buf_inventory_buf_dup"))
        return 2;
    return same(function, "doca_buf_inventory_buf_by_addr") ||
                   same(function, "doca_buf_inventory_buf_by_data")
               ? 4
               : 0;
}

static enum given argue_inventory(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "inventory"))
        return GIVE(v.inventory);
    if (same(param, "src_buf"))
        return GIVE(v.source);
    if (same(param, "mmap"))
        return GIVE(v.mmap);
    if (taken_at(function) && (same(param, "addr") || same(param, "data")))
        return GIVE(memory);
    *value = same(param, "extensions") ? DOCA_BUF_EXTENSION_LINKED_LIST : 16;
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

#define TAKES PERMIT, OK, OK, NO_MEM, PERMIT, PERMIT, PERMIT

static const struct row inventory_rows[] = {
    //                             fresh started busy empty stopped stopped-busy map-stopped
    {"doca_buf_inventory_create", ANY(OK), "user_data"},
    {"doca_buf_inventory_destroy", {OK, OK, PERMIT, PERMIT, OK, PERMIT, OK}},
    {"doca_buf_inventory_start", ANY(OK)},
    {"doca_buf_inventory_stop", ANY(OK)},
    {"doca_buf_inventory_buf_by_args", {TAKES}, "data"},
    {"doca_buf_inventory_buf_by_addr", {TAKES}},
    {"doca_buf_inventory_buf_by_data", {TAKES}},
    {"doca_buf_inventory_buf_dup", {PERMIT, OK, OK, NO_MEM, PERMIT, PERMIT, INVALID}},
    {"doca_buf_inventory_get_num_elements", ANY(OK)},
    {"doca_buf_inventory_get_num_free_elements", ANY(OK)},
    {"doca_buf_inventory_get_user_data", ANY(OK)},
    {"doca_buf_inventory_get_list_supported", ANY(OK)},
};

GROUP(inventories) = {
    .name = "inventory",
    .states = {"fresh", "started", "busy", "empty", "stopped", "stopped and busy", "map stopped"},
    ROWS(inventory_rows),
    .probe = "doca_buf_inventory_destroy",
    .enter = enter_inventory,
    .leave = leave_inventory,
    .argument = argue_inventory,
    .lives = inventory_lives,
};
