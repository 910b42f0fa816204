// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers, and the inventories that they come from.

#include "objects.h"

#define SIZE 4096

static uint8_t memory[SIZE];

// ---- buffers

enum {
    SINGLE,
    HEAD,
    MIDDLE,
    TAIL,
    GIVEN_BACK,
    HOME_STOPPED,
    MAP_EARLY,
    UNLISTED, // 1.5: its inventory's buffers cannot be in lists
    SHARED,
    IMPORTED
};

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    uint8_t *address;
    struct doca_buf_inventory *inventory, *unlisted;
    struct doca_buf *single, *list[3];
    struct doca_buf *buf; // one of these
} b;

static struct doca_buf *take(struct doca_buf_inventory *inventory)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_get_by_data(inventory, b.mmap, b.address, 16, &buf));
    return buf;
}

static struct doca_buf *take_unlisted(void)
{
    BEFORE_3(ck_assert_success(
                 doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &b.unlisted));)
    ck_assert_success(doca_buf_inventory_start(b.unlisted));
    return take(b.unlisted);
}

static void enter_buf(unsigned state)
{
    b.dev = client_open(state == IMPORTED ? DPU_P0 : HOST_PF0);
    b.address = state == IMPORTED ? exported_address : memory;
    if (state == IMPORTED)
        ck_assert_success(
            doca_mmap_create_from_export(NULL, exported_desc, exported_desc_len, b.dev, &b.mmap));
    else
        b.mmap = map_new(EACH(b.dev, NULL, NULL), memory, SIZE, state != MAP_EARLY);
    b.inventory = inventory_new(5);
    ck_assert_success(doca_buf_inventory_start(b.inventory));
    b.single = take(b.inventory);
    for (int i = 0; i < 3; i++)
        b.list[i] = take(b.inventory);
    for (int i = 1; i < 3; i++)
        ck_assert_success(doca_buf_chain_list(b.list[0], b.list[i]));
    b.buf = state >= HEAD && state <= TAIL ? b.list[state - HEAD]
            : state == UNLISTED            ? take_unlisted()
                                           : take(b.inventory);
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
    // Whatever lists there are now: heads take theirs along, and none is given back twice.
    for (int i = 0; i < 5; i++) {
        EITHER(bool, uint8_t) first;
        while (doca_buf_is_first_in_list(all[i], &first) == DOCA_SUCCESS && first)
            ck_assert_success(doca_buf_dec_refcount(all[i], NULL));
    }
    ck_assert_success(doca_buf_inventory_destroy(b.inventory));
    if (b.unlisted)
        ck_assert_success(doca_buf_inventory_destroy(b.unlisted));
    ck_assert_success(doca_mmap_destroy(b.mmap));
    ck_assert_success(doca_dev_close(b.dev));
    b.unlisted = NULL;
}

static enum given argue_buf(const char *function, const char *param, uint64_t *value)
{
    bool chains =
        same(function, FN(doca_buf_chain_list)) || same(function, "doca_buf_chain_list_tail");

    if (same(param, "buf") || same(param, "list1") || same(param, "list1_head"))
        return GIVE(b.buf);
    if (same(param, "list1_tail"))
        return GIVE(b.buf == b.list[0] ? b.list[2] : b.buf);
    if (same(param, "list2"))
        return GIVE(chains ? b.single : b.list[2]);
    if (same(param, "dev"))
        return GIVE(b.dev);
    if (same(param, "addr") || (same(param, "data") && !same(function, "doca_buf_get_data")))
        return GIVE(b.address + 1);
    *value = 1;
    return (same(param, "len") && !same(function, "doca_buf_get_len")) ||
                   (same(param, "data_len") && !same(function, "doca_buf_get_data_len")) ||
                   same(param, "doca_access_flags")
               ? GIVEN
               : GIVEN_NONE;
}

#define LIVE(code) code, code, code, code, INVALID, code, code, code, code, code
#define NOT        INVALID // of a list
#define INNER      EITHER(INVALID, PERMIT)

static const struct row buf_rows[] = {
    //           single  head  middle  tail  given back  stopped  early  unlisted  shared  imported
    ROW_BEFORE_3(FN(doca_buf_inc_refcount), ANY(UNSUPP), "buf refcount"),
    ROW_OF_3("doca_buf_inc_refcount", {OK, OK, PERMIT, PERMIT, INVALID, OK, OK, OK, OK, OK},
             "refcount"),
    {FN(doca_buf_dec_refcount),
     {OK, OK, PERMIT, PERMIT, EITHER(INVALID, STATE), OK, OK, OK, OK, OK},
     "refcount"},
    {"doca_buf_get_refcount", {LIVE(OK)}},
    {"doca_buf_get_len", ANY(OK)},      // also when given back
    {"doca_buf_get_head", ANY(OK)},     // also when given back
    {"doca_buf_get_data_len", ANY(OK)}, // also when given back
    {"doca_buf_get_data", ANY(OK)},     // also when given back
    {"doca_buf_set_data", {LIVE(OK)}},
    {FN(doca_buf_get_next_in_list), {LIVE(OK)}},
    {FN(doca_buf_get_last_in_list), {LIVE(OK)}},
    {FN(doca_buf_is_last_in_list), {LIVE(OK)}},
    {FN(doca_buf_is_first_in_list), {LIVE(OK)}},
    {FN(doca_buf_get_list_len),
     {OK, OK, EITHER(PERMIT, OK), EITHER(PERMIT, OK), INVALID, OK, OK, OK, OK, OK}},
    // Behind it: another single buffer.
    {FN(doca_buf_chain_list), {OK, OK, INNER, INNER, INVALID, OK, OK, PERMIT, OK, OK}},
    ROW_OF_3("doca_buf_chain_list_tail", {OK, OK, INNER, INNER, INVALID, OK, OK, PERMIT, OK, OK}),
    // From it: the tail of the list.
    {FN(doca_buf_unchain_list), {NOT, OK, OK, NOT, INVALID, NOT, NOT, PERMIT, NOT, NOT}},
    ROW_OF_1_5("doca_buf_get_lkey", {LIVE(UNSUPP)}), // a software function
    ROW_SINCE_2_2("doca_buf_reset_data_len", {LIVE(OK)}),
    ROW_SINCE_2_2("doca_buf_is_in_list", {LIVE(OK)}),
    ROW_OF_3("doca_buf_set_data_len", {LIVE(OK)}),
    ROW_OF_3("doca_buf_inventory_buf_reuse_by_addr", {LIVE(OK)}),
    ROW_OF_3("doca_buf_inventory_buf_reuse_by_data", {LIVE(OK)}),
};

GROUP(bufs) = {
    .name = "buf",
    .states = {"single", "head", "middle", "tail", "given back", "inventory stopped",
               EACH("", "map not started", "map not started"), EACH("without lists", "", ""),
               EITHER("", "with two references"), "imported"},
    .on_dpu = 1 << IMPORTED,
    ROWS(buf_rows),
    .probe = FN(doca_buf_dec_refcount),
    .enter = enter_buf,
    .leave = leave_buf,
    .argument = argue_buf,
};

// ---- inventories

enum { FRESH, STARTED, BUSY, ALL_OUT, STOPPED, STOPPED_BUSY, EARLY, MAP_STOPPED };

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory, *other;
    struct doca_buf *bufs[2], *source;
} v;

static struct doca_buf *take_from(struct doca_buf_inventory *inventory)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_get_by_data(inventory, v.mmap, memory, 16, &buf));
    return buf;
}

static void enter_inventory(unsigned state)
{
    int taken = state == ALL_OUT ? 2 : state == BUSY || state == STOPPED_BUSY ? 1 : 0;

    v.dev = client_open(HOST_PF0);
    v.mmap = map_new(EACH(v.dev, NULL, NULL), memory, SIZE, state != EARLY);
    v.other = inventory_new(1);
    ck_assert_success(doca_buf_inventory_start(v.other));
    v.source = take_from(v.other);
    v.inventory = inventory_new(2);
    if (state >= STARTED)
        ck_assert_success(doca_buf_inventory_start(v.inventory));
    for (int i = 0; i < taken; i++)
        v.bufs[i] = take_from(v.inventory);
    if (state == STOPPED || state == STOPPED_BUSY)
        ck_assert_success(doca_buf_inventory_stop(v.inventory));
    if (state == MAP_STOPPED)
        ck_assert_success(doca_mmap_stop(v.mmap));
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
    ck_assert_success(doca_dev_close(v.dev));
}

static enum given argue_inventory(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "inventory"))
        return GIVE(v.inventory);
    if (same(param, "src_buf"))
        return GIVE(v.source);
    if (same(param, "mmap"))
        return GIVE(v.mmap);
    if (same(param, "addr") || same(param, "data"))
        return GIVE(memory);
    *value = same(param, "extensions") ? EACH(DOCA_BUF_EXTENSION_LINKED_LIST, 0, 0) : 16;
    return same(param, "len") || same(param, "data_len") || same(param, "extensions") ||
                   same(param, "num_elements") || same(function, "doca_buf_inventory_set_user_data")
               ? GIVEN
               : GIVEN_NONE;
}

#define OUT    EITHER(PERMIT, IN_USE)         // while buffers are out
#define NO     EACH(PERMIT, INVALID, INVALID) // while it is stopped
#define FRESH  EACH(PERMIT, INVALID, OK)      // while it was not started yet
#define TAKES  FRESH, OK, OK, NO_MEM, NO, NO, OK, NO
#define NO_DUP EITHER(PERMIT, STATE)

static const struct row inventory_rows[] = {
    //             fresh  started  busy  all out  stopped  stopped busy  map not started  map
    //             stopped
    {"doca_buf_inventory_create", ANY(OK), EITHER("user_data", NULL)},
    {"doca_buf_inventory_destroy", {OK, OK, OUT, OUT, OK, OUT, OK, OK}},
    {"doca_buf_inventory_start", ANY(OK)},
    {"doca_buf_inventory_stop", ANY(OK)},
    {FN(doca_buf_inventory_buf_get_by_args), {TAKES}, "data"},
    {FN(doca_buf_inventory_buf_get_by_addr), {TAKES}},
    {FN(doca_buf_inventory_buf_get_by_data), {TAKES}},
    {"doca_buf_inventory_buf_dup",
     {EITHER(PERMIT, OK), OK, OK, NO_MEM, NO_DUP, NO_DUP, OK, INVALID}},
    {"doca_buf_inventory_get_num_elements", ANY(OK)},
    {"doca_buf_inventory_get_num_free_elements", ANY(OK)},
    {"doca_buf_inventory_get_user_data", ANY(OK)},
    ROW_OF_1_5("doca_buf_inventory_get_list_supported", ANY(OK)),
    ROW_OF_3("doca_buf_inventory_set_user_data", {OK, STATE, STATE, STATE, OK, OK, STATE, STATE}),
    ROW_OF_3("doca_buf_inventory_expand", ANY(OK)),
};

GROUP(inventories) = {
    .name = "inventory",
    .states = {"fresh", "started", "with a buffer out", "all out", "stopped",
               "stopped with a buffer out",
               EACH("", "started, its map not", "started, its map not"),
               EACH("map stopped", "", "")},
    ROWS(inventory_rows),
    .probe = "doca_buf_inventory_buf_dup",
    .enter = enter_inventory,
    .leave = leave_inventory,
    .argument = argue_inventory,
    LIFETIMES({"doca_buf_inventory_create", "doca_buf_inventory_destroy", &v.inventory},
              {"doca_buf_inventory_buf_dup", NULL, &v.bufs[1]},
              {FN(doca_buf_inventory_buf_get_by_args), NULL, &v.bufs[1]},
              {FN(doca_buf_inventory_buf_get_by_addr), NULL, &v.bufs[1]},
              {FN(doca_buf_inventory_buf_get_by_data), NULL, &v.bufs[1]}),
};
