// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffer arrays.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_buf_array.h>

enum { NO_RANGE, FRESH, CONFIGURED, MAP_STOPPED, STARTED, STOPPED };

static uint8_t memory[4096];

static struct {
    struct doca_mmap *mmap;
    struct doca_buf_arr *arr;
} a;

static void enter_arr(unsigned state)
{
    ck_assert_success(doca_mmap_create(NULL, &a.mmap));
    if (state == NO_RANGE)
        return;
    ck_assert_success(doca_mmap_set_memrange(a.mmap, memory, sizeof(memory)));
    if (state != MAP_STOPPED)
        ck_assert_success(doca_mmap_start(a.mmap));
    ck_assert_success(doca_buf_arr_create(a.mmap, &a.arr));
    if (state >= CONFIGURED)
        ck_assert_success(doca_buf_arr_set_params(a.arr, 64, 4, 0));
    if (state >= STARTED)
        ck_assert_success(doca_buf_arr_start(a.arr));
    if (state == STOPPED)
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
        return same(function, "doca_buf_arr_create") ? GIVEN_NONE : GIVE_OBJECT(a.arr);
    if (same(param, "mmap"))
        return GIVE(a.mmap);
    *value = same(param, "start_offset") ? 0 : 32;
    return same(function, "doca_buf_arr_set_params") ? GIVEN : GIVEN_NONE;
}

static const struct row arr_rows[] = {
    //                  without range, fresh, configured, map not started, started, stopped
    {"doca_buf_arr_create", {INVALID, OK, OK, OK, OK, OK}},
    {"doca_buf_arr_set_target_gpu", {ABSENT, UNSUPP, UNSUPP, UNSUPP, STATE, UNSUPP}},
    {"doca_buf_arr_set_params", {ABSENT, OK, OK, OK, STATE, OK}},
    {"doca_buf_arr_start", {ABSENT, STATE, OK, STATE, PERMIT, PERMIT}},
    {"doca_buf_arr_stop", {ABSENT, OK, OK, OK, OK, OK}},
    {"doca_buf_arr_destroy", {ABSENT, OK, OK, OK, OK, OK}},
    {"doca_buf_arr_get_gpu_handle", {ABSENT, STATE, STATE, STATE, UNSUPP, STATE}},
};

GROUP(buf_arrays) = {
    .name = "buf_arr",
    .states = {"map without range", "fresh", "configured", "map not started", "started", "stopped"},
    ROWS(arr_rows),
    .probe = "doca_buf_arr_start",
    .enter = enter_arr,
    .leave = leave_arr,
    .argument = argue_arr,
    LIVES({"doca_buf_arr_create", "doca_buf_arr_destroy", &a.arr}),
};
