// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA contexts and their tasks, of DOCA 3.

#include "tables.h"
#include "task_world_3.h"

#include "client.h"

#include <check.h>
#include <doca_sha.h>

static struct {
    struct doca_sha *sha;
    struct doca_sha_task_hash *hash;
    struct doca_sha_task_partial_hash *part;
} w;

static struct doca_ctx *ctx(void)
{
    return w.sha ? doca_sha_as_ctx(w.sha) : NULL;
}

TASK_CALLBACK(hash_over, doca_sha_task_hash)
TASK_CALLBACK(part_over, doca_sha_task_partial_hash)

static void create(void)
{
    ck_assert_success(doca_sha_create(tw.dev, &w.sha));
}

static void configure(void)
{
    ck_assert_success(doca_sha_task_hash_set_conf(w.sha, hash_over, hash_over, 1));
    ck_assert_success(doca_sha_task_partial_hash_set_conf(w.sha, part_over, part_over, 1));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    ck_assert_success(doca_sha_task_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256, tw.src,
                                                    tw.dst, data, &w.hash));
    ck_assert_success(doca_sha_task_partial_hash_alloc_init(w.sha, DOCA_SHA_ALGORITHM_SHA256,
                                                            tw.src, tw.dst, data, &w.part));
}

static void submit(void)
{
    ck_assert_success(doca_task_submit(doca_sha_task_hash_as_task(w.hash)));
    ck_assert_success(doca_task_submit(doca_sha_task_partial_hash_as_task(w.part)));
}

static void free_tasks(void)
{
    doca_task_free(doca_sha_task_hash_as_task(w.hash));
    doca_task_free(doca_sha_task_partial_hash_as_task(w.part));
}

static void destroy(void)
{
    if (w.sha)
        ck_assert_success(doca_sha_destroy(w.sha));
    w.sha = NULL;
}

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool partial = strstr(function, "_partial_hash_");

    if (same(param, "sha"))
        return same(function, "doca_sha_create") ? GIVEN_NONE : GIVE(w.sha);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return partial ? GIVE(w.part) : GIVE(w.hash);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return partial ? GIVE(part_over) : GIVE(hash_over);
    *value = DOCA_SHA_ALGORITHM_SHA256; // 1, a good number of everything else as well
    return same(param, "algorithm") || same(param, "log_num_tasks") || same(param, "user_data")
               ? GIVEN
               : GIVEN_NONE;
}

static const struct life lives[] = {
    {"doca_sha_create", "doca_sha_destroy", &w.sha},
    {NULL},
};

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_sha_create", ANY(OK)},
    {"doca_sha_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_sha_as_ctx", ANY(OK)},
    {"doca_sha_cap_task_hash_get_supported", ANY(OK)},
    {"doca_sha_cap_task_partial_hash_get_supported", ANY(OK)},
    {"doca_sha_cap_get_max_list_buf_num_elem", ANY(OK)},
    {"doca_sha_cap_get_max_src_buf_size", ANY(OK)},
    {"doca_sha_cap_get_min_dst_buf_size", ANY(OK)},
    {"doca_sha_cap_get_partial_hash_block_size", ANY(OK)},
    {"doca_sha_cap_get_max_num_tasks", ANY(OK)},
    {"doca_sha_task_hash_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_sha_task_partial_hash_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_sha_task_hash_alloc_init", {STATE, STATE, OK, OK, STATE}, "src_buf dst_buf"},
    {"doca_sha_task_partial_hash_alloc_init", {STATE, STATE, OK, OK, STATE}, "src_buf dst_buf"},
};

GROUP(shas) = {
    .name = "sha",
    .states = CONTEXT_STATES,
    ROWS(ctx_rows),
    .probe = "doca_sha_task_hash_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};

// ---- tasks ------------------------------------------------------------------------------

static const struct row task_rows[] = {
    // allocated, in flight, done once, freed
    {"doca_sha_task_hash_as_task", ANY(OK)},
    {"doca_sha_task_hash_set_src", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_src", ANY(OK)},
    {"doca_sha_task_hash_set_dst", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_dst", ANY(OK)},
    {"doca_sha_task_hash_set_algorithm", {OK, INVALID, OK, OK}},
    {"doca_sha_task_hash_get_algorithm", ANY(OK)},
    {"doca_sha_task_partial_hash_as_task", ANY(OK)},
    {"doca_sha_task_partial_hash_reset", {OK, INVALID, OK, OK}},
    {"doca_sha_task_partial_hash_set_src", {OK, INVALID, OK, OK}},
    {"doca_sha_task_partial_hash_get_src", ANY(OK)},
    {"doca_sha_task_partial_hash_set_dst", {OK, STATE, OK, OK}},
    {"doca_sha_task_partial_hash_get_dst", ANY(OK)},
    {"doca_sha_task_partial_hash_set_algorithm", {OK, STATE, STATE, OK}},
    {"doca_sha_task_partial_hash_get_algorithm", ANY(OK)},
    {"doca_sha_task_partial_hash_set_is_final_buf", {STATE, STATE, OK, STATE}},
    {"doca_sha_task_partial_hash_get_is_final", ANY(OK)},
    {"doca_sha_task_partial_hash_get_has_result", ANY(OK)},
};

GROUP(sha_tasks) = {
    .name = "sha task",
    .states = TASK_STATES,
    ROWS(task_rows),
    .probe = "doca_sha_task_hash_set_src",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};
