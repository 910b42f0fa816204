// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pools and arrays of buffers.

#include "objects.h"

#include <doca_buf_array.h>
#include EITHER(<doca_bufpool.h>, <doca_buf_pool.h>)

#define SIZE 4096

static uint8_t memory[SIZE];

// ---- pools

enum { FRESH, STARTED, BUSY, ALL_OUT, STOPPED, MAP_STOPPED, MAP_SMALL, NO_RANGE };

static struct {
    struct doca_mmap *mmap;
    struct doca_buf_pool *pool;
    struct doca_buf *bufs[2];
} p;

static void make_pool(size_t element)
{
    BEFORE_3(const union doca_data data = {.u64 = 79};
             ck_assert_success(doca_buf_pool_create(&data, 2, 0, element, 64, p.mmap, &p.pool));)
    OF_3(ck_assert_success(doca_buf_pool_create(2, element, p.mmap, &p.pool));)
}

static void enter_pool(unsigned state)
{
    int taken = state == ALL_OUT ? 2 : state == BUSY ? 1 : 0;

    p.mmap = map_new(NULL, state == NO_RANGE ? NULL : memory, SIZE,
                     state < MAP_STOPPED || state == MAP_SMALL);
    if (state == NO_RANGE)
        return;
    make_pool(state == MAP_SMALL ? SIZE : 64);
    if (state >= STARTED && state <= STOPPED)
        ck_assert_success(doca_buf_pool_start(p.pool));
    for (int i = 0; i < taken; i++)
        ck_assert_success(doca_buf_pool_buf_alloc(p.pool, &p.bufs[i]));
    if (state == STOPPED)
        ck_assert_success(doca_buf_pool_stop(p.pool));
}

static void leave_pool(void)
{
    for (int i = 0; i < 2; i++) {
        if (p.bufs[i])
            ck_assert_success(doca_buf_dec_refcount(p.bufs[i], NULL));
        p.bufs[i] = NULL;
    }
    if (p.pool)
        ck_assert_success(doca_buf_pool_destroy(p.pool));
    p.pool = NULL;
    ck_assert_success(doca_mmap_destroy(p.mmap));
}

static enum given argue_pool(const char *function, const char *param, uint64_t *value)
{
    if (same(param, EITHER("bufpool", "buf_pool")))
        return GIVE_OBJECT(p.pool);
    if (same(param, "mmap"))
        return GIVE(p.mmap);
    *value = same(param, "extensions") ? 0 : 16; // elements, their size, their alignment; data
    return (same(function, FN(doca_buf_pool_create)) && !same(param, "user_data")) ||
                   same(function, "doca_buf_pool_set_user_data") ||
                   same(function, "doca_buf_pool_set_element_alignment")
               ? GIVEN
               : GIVEN_NONE;
}

#define POOL(code)    code, code, code, code, code, code, code, ABSENT
#define WHILE_STOPPED OK, STATE, STATE, STATE, OK, OK, OK, ABSENT
#define NONE_LEFT     EITHER(NO_MEM, CELL(ERROR_EMPTY))
#define STOPS         EITHER(OK, IN_USE) // while buffers are out

static const struct row pool_rows[] = {
    //                 fresh started busy all out stopped, map not started, too small, no range
    {FN(doca_buf_pool_create),
     {OK, OK, OK, OK, OK, OK, OK, EITHER(STATE, INVALID)},
     EITHER("user_data", NULL)},
    {FN(doca_buf_pool_destroy), {OK, OK, IN_USE, IN_USE, OK, OK, OK, ABSENT}},
    {FN(doca_buf_pool_start), {OK, OK, OK, OK, OK, STATE, INIT, ABSENT}},
    {FN(doca_buf_pool_stop), {OK, OK, STOPS, STOPS, OK, OK, OK, ABSENT}},
    {FN(doca_buf_pool_buf_alloc), {STATE, OK, OK, NONE_LEFT, STATE, STATE, STATE, ABSENT}},
    {FN(doca_buf_pool_get_num_elements), {POOL(OK)}},
    {FN(doca_buf_pool_get_num_free_elements), {POOL(OK)}},
    {FN(doca_buf_pool_get_user_data), {POOL(OK)}},
    ROW_OF_3("doca_buf_pool_set_user_data", {WHILE_STOPPED}),
    ROW_OF_3("doca_buf_pool_set_element_alignment", {WHILE_STOPPED}),
    ROW_OF_3("doca_buf_pool_get_element_alignment", {POOL(OK)}),
};

GROUP(pools) = {
    .name = "pool",
    .states = {"fresh", "started", "with a buffer out", "all out", "stopped", "map not started",
               EITHER("", "map too small"), "map without range"},
    ROWS(pool_rows),
    .probe = FN(doca_buf_pool_buf_alloc),
    .enter = enter_pool,
    .leave = leave_pool,
    .argument = argue_pool,
    LIFETIMES({FN(doca_buf_pool_create), FN(doca_buf_pool_destroy), &p.pool},
              {FN(doca_buf_pool_buf_alloc), NULL, &p.bufs[1]}),
};

// ---- arrays

enum { ARR_FRESH, ARR_CONFIGURED, ARR_MAP_STOPPED, ARR_STARTED, ARR_STOPPED, ARR_NO_RANGE };

static struct {
    struct doca_mmap *mmap;
    struct doca_buf_arr *arr;
} a;

static void enter_arr(unsigned state)
{
    a.mmap = map_new(NULL, state == ARR_NO_RANGE ? NULL : memory, SIZE,
                     state != ARR_NO_RANGE && state != ARR_MAP_STOPPED);
    OF_2_2(if (state == ARR_NO_RANGE) return;)
    ck_assert_success(doca_buf_arr_create(EITHER(a.mmap, 4), &a.arr));
    if (state >= ARR_CONFIGURED && state <= ARR_STOPPED) {
        OF_2_2(ck_assert_success(doca_buf_arr_set_params(a.arr, 64, 4, 0));)
        OF_3(ck_assert_success(doca_buf_arr_set_params(a.arr, a.mmap, 64, 0));)
    }
    if (state == ARR_STARTED || state == ARR_STOPPED)
        ck_assert_success(doca_buf_arr_start(a.arr));
    if (state == ARR_STOPPED)
        ck_assert_success(doca_buf_arr_stop(a.arr));
}

static void leave_arr(void)
{
    if (a.arr)
        ck_assert_success(doca_buf_arr_destroy(a.arr));
    a.arr = NULL;
    ck_assert_success(doca_mmap_destroy(a.mmap));
}

static enum given argue_arr(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "buf_arr"))
        return GIVE_OBJECT(a.arr);
    if (same(param, "mmap"))
        return GIVE(a.mmap);
    *value = same(param, "start_offset") ? 0 : 32;
    return same(param, "num_elem") || same(function, "doca_buf_arr_set_params") ? GIVEN
                                                                                : GIVEN_NONE;
}

#define RANGELESS(code) EITHER(ABSENT, code)
#define HANDLE          STATE, STATE, STATE, UNSUPP, STATE, RANGELESS(STATE)
#define TARGET          UNSUPP, UNSUPP, UNSUPP, STATE, UNSUPP, RANGELESS(UNSUPP)
#define STARTED_ONCE    EITHER(PERMIT, STATE)

static const struct row arr_rows[] = {
    //                  fresh, configured, map not started, started, stopped, map without range
    {"doca_buf_arr_create", {OK, OK, OK, OK, OK, EITHER(INVALID, OK)}},
    {"doca_buf_arr_set_target_gpu", {TARGET}},
    {"doca_buf_arr_set_params", {OK, OK, OK, STATE, OK, RANGELESS(INVALID)}},
    {"doca_buf_arr_start", {STATE, OK, STATE, STARTED_ONCE, STARTED_ONCE, RANGELESS(STATE)}},
    {"doca_buf_arr_stop", {OK, OK, OK, OK, OK, RANGELESS(OK)}},
    {"doca_buf_arr_destroy", {OK, OK, OK, OK, OK, RANGELESS(OK)}},
    {"doca_buf_arr_get_gpu_handle", {HANDLE}},
    ROW_OF_3("doca_buf_arr_set_target_dpa", {TARGET}),
    ROW_OF_3("doca_buf_arr_get_dpa_handle", {HANDLE}),
};

GROUP(buf_arrays) = {
    .name = "buf_arr",
    .states = {"fresh", "configured", "map not started", "started", "stopped", "map without range"},
    ROWS(arr_rows),
    .probe = "doca_buf_arr_start",
    .enter = enter_arr,
    .leave = leave_arr,
    .argument = argue_arr,
    LIFETIMES({"doca_buf_arr_create", "doca_buf_arr_destroy", &a.arr}),
};
