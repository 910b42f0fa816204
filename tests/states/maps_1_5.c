// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps of the 1.5 interface.

#include "objects.h"

#include <stdlib.h>
#include <sys/mman.h>

#define SIZE 8192

enum { FRESH, BEGUN, CHUNK, READY, BUSY, TWO, EXPORTED, STOPPED, IMPORTED };

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    void *desc;
    uint8_t *memory;
} m;

static void fill(unsigned state)
{
    size_t size;

    ck_assert_success(doca_mmap_set_max_num_chunks(m.mmap, 4));
    if (state >= BEGUN)
        ck_assert_success(doca_mmap_start(m.mmap));
    if (state >= CHUNK)
        ck_assert_success(doca_mmap_populate(m.mmap, m.memory, 4096, 4096, NULL, NULL));
    if (state >= READY)
        ck_assert_success(doca_mmap_dev_add(m.mmap, m.dev));
    if (state == BUSY)
        ck_assert_success(
            doca_buf_inventory_buf_by_addr(m.inventory, m.mmap, m.memory, 16, &m.buf));
    if (state == TWO)
        ck_assert_success(doca_mmap_populate(m.mmap, m.memory + 4096, 100, 4096, NULL, NULL));
    if (state == EXPORTED)
        ck_assert_success(doca_mmap_export(m.mmap, m.dev, &m.desc, &size));
    if (state == STOPPED)
        ck_assert_success(doca_mmap_stop(m.mmap));
}

static void enter_mmap(unsigned state)
{
    const union doca_data user_data = {.u64 = 77};

    m.memory = pages_new(SIZE);
    m.dev = client_open(state == IMPORTED ? DPU_P0 : HOST_PF0);
    ck_assert_success(doca_buf_inventory_create(NULL, 1, 0, &m.inventory));
    ck_assert_success(doca_buf_inventory_start(m.inventory));
    if (state == IMPORTED) {
        ck_assert_success(doca_mmap_create_from_export(&user_data, exported_desc, exported_desc_len,
                                                       m.dev, &m.mmap));
        return;
    }
    ck_assert_success(doca_mmap_create(&user_data, &m.mmap));
    fill(state);
}

static void leave_mmap(void)
{
    if (m.buf)
        ck_assert_success(doca_buf_refcount_rm(m.buf, NULL));
    ck_assert_success(doca_buf_inventory_destroy(m.inventory));
    if (m.mmap)
        ck_assert_success(doca_mmap_destroy(m.mmap));
    ck_assert_success(doca_dev_close(m.dev));
    munmap(m.memory, SIZE);
    free(m.desc);
    m.buf = NULL;
    m.mmap = NULL;
    m.desc = NULL;
}

static enum given argue_mmap(const char *function, const char *param, uint64_t *value)
{
    static const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"len", 16}, {"pg_sz", 4096}};

    if (same(param, "mmap"))
        return GIVE(m.mmap);
    if (same(param, "dev"))
        return GIVE(m.dev);
    if (same(function, "doca_mmap_create_from_export")) {
        if (same(param, "export_desc"))
            return GIVE(exported_desc);
        *value = exported_desc_len;
        return same(param, "export_desc_len") ? GIVEN : GIVEN_NONE;
    }
    if (same(param, "addr"))
        return GIVE(m.memory + 6000);
    if (same(param, "free_cb"))
        return GIVE(NULL);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *value = numbers[i].value;
        if (same(param, numbers[i].name))
            return GIVEN;
    }
    *value = 8;
    return same(function, "doca_mmap_set_max_num_chunks") ||
                   same(function, "doca_mmap_set_max_num_devices")
               ? GIVEN
               : GIVEN_NONE;
}

static void mmap_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_mmap_export"))
        m.desc = *(void **)(uintptr_t)a[2];
}

#define BEFORE OK, PERMIT, PERMIT, PERMIT, PERMIT, PERMIT, PERMIT, PERMIT, PERMIT

// clang-format off
static const struct row mmap_rows[] = {
    //                        fresh    started  chunk    ready   busy    two     exported stopped imported
    {"doca_mmap_create", ANY(OK), "user_data"},
    {"doca_mmap_create_from_export",
                             {UNSUPP,  UNSUPP,  UNSUPP,  UNSUPP, UNSUPP, UNSUPP, UNSUPP,  UNSUPP, OK},
                          "user_data"},
    {"doca_mmap_destroy",    {OK,      OK,      OK,      OK,     PERMIT, OK,     OK,      OK,     OK}},
    {"doca_mmap_start",      {OK,      PERMIT,  PERMIT,  PERMIT, PERMIT, PERMIT, PERMIT,  OK,     PERMIT}},
    {"doca_mmap_stop",       {PERMIT,  OK,      OK,      OK,     OK,     OK,     OK,      PERMIT, PERMIT}},
    {"doca_mmap_dev_add",    {PERMIT,  OK,      OK,      IN_USE, IN_USE, IN_USE, PERMIT,  PERMIT, PERMIT}},
    {"doca_mmap_dev_rm",     {PERMIT,  INVALID, INVALID, OK,     OK,     OK,     PERMIT,  PERMIT, PERMIT}},
    {"doca_mmap_populate",   {PERMIT,  OK,      OK,      OK,     OK,     OK,     PERMIT,  PERMIT, PERMIT},
                          "free_cb opaque"},
    {"doca_mmap_export",     {PERMIT,  INVALID, INVALID, OK,     OK,     UNSUPP, PERMIT,  PERMIT, PERMIT}},
    {"doca_mmap_set_max_num_chunks", {BEFORE}},
    {"doca_mmap_set_max_num_devices", {BEFORE}},
    {"doca_mmap_get_user_data", ANY(OK)},
    {"doca_mmap_get_max_num_chunks", ANY(OK)},
    {"doca_mmap_get_max_num_devices", ANY(OK)},
    {"doca_mmap_get_num_bufs", ANY(OK)},
    {"doca_mmap_get_exported", ANY(OK)},
    {"doca_mmap_get_from_export", ANY(OK)},
};
// clang-format on

GROUP(mmaps) = {
    .name = "mmap",
    .states = {"fresh", "started", "with a chunk", "ready", "with buffers", "with two chunks",
               "exported", "stopped", "imported"},
    .on_dpu = 1 << IMPORTED,
    ROWS(mmap_rows),
    .probe = "doca_mmap_start",
    .enter = enter_mmap,
    .leave = leave_mmap,
    .argument = argue_mmap,
    LIFETIMES({"doca_mmap_create", "doca_mmap_destroy", &m.mmap},
              {"doca_mmap_create_from_export", "doca_mmap_destroy", NULL}),
    .succeeded = mmap_succeeded,
};
