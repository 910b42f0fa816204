// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA contexts and their tasks, of DOCA 3.

#include "doca_3.h"

#include "client.h"

#include <check.h>
#include <doca_pe.h>
#include <doca_sha.h>

static uint8_t memory[192] = "what is hashed";

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_sha *sha;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_sha_task_hash *hash;
    struct doca_sha_task_partial_hash *part;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_sha_as_ctx(w.sha);
}

static void hash_over(struct doca_sha_task_hash *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

static void part_over(struct doca_sha_task_partial_hash *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED };

static void make(void)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_mmap_create(&w.mmap));
    ck_assert_success(doca_mmap_set_memrange(w.mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_set_permissions(w.mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    ck_assert_success(doca_mmap_add_dev(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(2, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, memory, 128, &w.src));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_addr(w.inventory, w.mmap, memory + 128, 64, &w.dst));
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_sha_create(w.dev, &w.sha));
}

static void make_running(void)
{
    make();
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    ck_assert_success(doca_sha_task_hash_set_conf(w.sha, hash_over, hash_over, 1));
    ck_assert_success(doca_sha_task_partial_hash_set_conf(w.sha, part_over, part_over, 1));
    ck_assert_success(doca_ctx_start(ctx()));
    union doca_data data = {.u64 = 1};
    ck_assert_success(doca_sha_task_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256, w.src, w.dst,
                                                    data, &w.hash));
    ck_assert_success(doca_sha_task_partial_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256, w.src,
                                                            w.dst, data, &w.part));
}

static void submit(struct doca_task *task)
{
    ck_assert_success(doca_task_submit(task));
}

static void stop(void)
{
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w.pe);
}

static void enter_ctx(unsigned state)
{
    if (state < RUNNING)
        make();
    else
        make_running();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    if (state == BUSY)
        submit(doca_sha_task_hash_as_task(w.hash));
    if (state == STOPPED) {
        doca_task_free(doca_sha_task_hash_as_task(w.hash));
        doca_task_free(doca_sha_task_partial_hash_as_task(w.part));
        stop();
    }
}

static void leave(void)
{
    if (w.sha) {
        enum doca_ctx_states state;
        ck_assert_success(doca_ctx_get_state(ctx(), &state));
        if (state != DOCA_CTX_STATE_IDLE)
            stop();
        ck_assert_success(doca_sha_destroy(w.sha));
    }
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.src, NULL));
    ck_assert_success(doca_buf_dec_refcount(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.sha = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool partial = strstr(function, "_partial_hash_");

    if (same(param, "sha"))
        return same(function, "doca_sha_create") ? GIVEN_NONE : GIVE(w.sha);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return partial ? GIVE(w.part) : GIVE(w.hash);
    if (same(param, "src_buf"))
        return GIVE(w.src);
    if (same(param, "dst_buf"))
        return GIVE(w.dst);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return partial ? GIVE(part_over) : GIVE(hash_over);
    *value = DOCA_SHA_ALGORITHM_SHA256; // 1, a good number of everything else as well
    return same(param, "algorithm") || same(param, "log_num_tasks") || same(param, "user_data")
               ? GIVEN
               : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_sha_create"))
        ck_assert_success(doca_sha_destroy(*(struct doca_sha **)(uintptr_t)a[1]));
    else if (same(function, "doca_sha_destroy"))
        w.sha = NULL;
}

#define FIVE(code)                                                                                 \
    {                                                                                              \
        code, code, code, code, code                                                               \
    }

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_sha_create", FIVE(OK), NULL},
    {"doca_sha_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_sha_as_ctx", FIVE(OK), NULL},
    {"doca_sha_cap_task_hash_get_supported", FIVE(OK), NULL},
    {"doca_sha_cap_task_partial_hash_get_supported", FIVE(OK), NULL},
    {"doca_sha_cap_get_max_list_buf_num_elem", FIVE(OK), NULL},
    {"doca_sha_cap_get_max_src_buf_size", FIVE(OK), NULL},
    {"doca_sha_cap_get_min_dst_buf_size", FIVE(OK), NULL},
    {"doca_sha_cap_get_partial_hash_block_size", FIVE(OK), NULL},
    {"doca_sha_cap_get_max_num_tasks", FIVE(OK), NULL},
    {"doca_sha_task_hash_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_sha_task_partial_hash_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_sha_task_hash_alloc_init", {STATE, STATE, OK, OK, STATE}, "src_buf dst_buf"},
    {"doca_sha_task_partial_hash_alloc_init", {STATE, STATE, OK, OK, STATE}, "src_buf dst_buf"},
};

const struct group group_shas_3 = {
    .name = "sha",
    .states = {"made", "connected", "running", "busy", "stopped"},
    .rows = ctx_rows,
    .n_rows = sizeof(ctx_rows) / sizeof(ctx_rows[0]),
    .probe = "doca_sha_task_hash_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};

// ---- tasks ------------------------------------------------------------------------------

enum { ALLOCATED, IN_FLIGHT, ONCE_DONE, FREED };

static void enter_task(unsigned state)
{
    make_running();
    if (state == IN_FLIGHT || state == ONCE_DONE) {
        submit(doca_sha_task_hash_as_task(w.hash));
        submit(doca_sha_task_partial_hash_as_task(w.part));
    }
    while (state == ONCE_DONE && doca_pe_progress(w.pe))
        ;
    if (state == FREED) {
        doca_task_free(doca_sha_task_hash_as_task(w.hash));
        doca_task_free(doca_sha_task_partial_hash_as_task(w.part));
    }
}

#define FOUR(code)                                                                                 \
    {                                                                                              \
        code, code, code, code                                                                     \
    }

static const struct row task_rows[] = {
    // allocated, in flight, done once, freed
    {"doca_sha_task_hash_as_task", FOUR(OK), NULL},
    {"doca_sha_task_hash_set_src", {OK, INVALID, OK, OK}, NULL},
    {"doca_sha_task_hash_get_src", FOUR(OK), NULL},
    {"doca_sha_task_hash_set_dst", {OK, INVALID, OK, OK}, NULL},
    {"doca_sha_task_hash_get_dst", FOUR(OK), NULL},
    {"doca_sha_task_hash_set_algorithm", {OK, INVALID, OK, OK}, NULL},
    {"doca_sha_task_hash_get_algorithm", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_as_task", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_reset", {OK, INVALID, OK, OK}, NULL},
    {"doca_sha_task_partial_hash_set_src", {OK, INVALID, OK, OK}, NULL},
    {"doca_sha_task_partial_hash_get_src", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_set_dst", {OK, STATE, OK, OK}, NULL},
    {"doca_sha_task_partial_hash_get_dst", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_set_algorithm", {OK, STATE, STATE, OK}, NULL},
    {"doca_sha_task_partial_hash_get_algorithm", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_set_is_final_buf", {STATE, STATE, OK, STATE}, NULL},
    {"doca_sha_task_partial_hash_get_is_final", FOUR(OK), NULL},
    {"doca_sha_task_partial_hash_get_has_result", FOUR(OK), NULL},
};

const struct group group_sha_tasks_3 = {
    .name = "sha task",
    .states = {"allocated", "in flight", "done once", "freed"},
    .rows = task_rows,
    .n_rows = sizeof(task_rows) / sizeof(task_rows[0]),
    .probe = "doca_sha_task_hash_set_src",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};
