// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding contexts, their matrices and tasks, of DOCA 3.

#include "tables.h"
#include "task_world_3.h"

#include "client.h"

#include <check.h>
#include <doca_erasure_coding.h>

static uint32_t indices[] = {1};

static struct {
    struct doca_ec *ec;
    struct doca_ec_matrix *matrix;
    struct doca_ec_task_galois_mul *galois_mul;
    struct doca_ec_task_create *create;
    struct doca_ec_task_update *update;
    struct doca_ec_task_recover *recover;
} w;

static struct doca_ctx *ctx(void)
{
    return w.ec ? doca_ec_as_ctx(w.ec) : NULL;
}

TASK_CALLBACK(galois_mul_over, doca_ec_task_galois_mul)
TASK_CALLBACK(create_over, doca_ec_task_create)
TASK_CALLBACK(update_over, doca_ec_task_update)
TASK_CALLBACK(recover_over, doca_ec_task_recover)

// Four blocks of data, two of redundancy.
static void create(void)
{
    ck_assert_success(doca_ec_create(tw.dev, &w.ec));
    ck_assert_success(doca_ec_matrix_create(w.ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &w.matrix));
}

static void configure(void)
{
    ck_assert_success(doca_ec_task_galois_mul_set_conf(w.ec, galois_mul_over, galois_mul_over, 2));
    ck_assert_success(doca_ec_task_create_set_conf(w.ec, create_over, create_over, 2));
    ck_assert_success(doca_ec_task_update_set_conf(w.ec, update_over, update_over, 2));
    ck_assert_success(doca_ec_task_recover_set_conf(w.ec, recover_over, recover_over, 2));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    ck_assert_success(
        doca_ec_task_galois_mul_allocate_init(w.ec, w.matrix, tw.src, tw.dst, data, &w.galois_mul));
    ck_assert_success(
        doca_ec_task_create_allocate_init(w.ec, w.matrix, tw.src, tw.dst, data, &w.create));
    ck_assert_success(
        doca_ec_task_update_allocate_init(w.ec, w.matrix, tw.src, tw.dst, data, &w.update));
    ck_assert_success(
        doca_ec_task_recover_allocate_init(w.ec, w.matrix, tw.src, tw.dst, data, &w.recover));
}

static void submit(void)
{
    ck_assert_success(doca_task_submit(doca_ec_task_galois_mul_as_task(w.galois_mul)));
    ck_assert_success(doca_task_submit(doca_ec_task_create_as_task(w.create)));
    ck_assert_success(doca_task_submit(doca_ec_task_update_as_task(w.update)));
    ck_assert_success(doca_task_submit(doca_ec_task_recover_as_task(w.recover)));
}

static void free_tasks(void)
{
    doca_task_free(doca_ec_task_galois_mul_as_task(w.galois_mul));
    doca_task_free(doca_ec_task_create_as_task(w.create));
    doca_task_free(doca_ec_task_update_as_task(w.update));
    doca_task_free(doca_ec_task_recover_as_task(w.recover));
}

static void destroy(void)
{
    if (w.ec)
        ck_assert_success(doca_ec_destroy(w.ec));
    if (w.matrix)
        ck_assert_success(doca_ec_matrix_destroy(w.matrix));
    w.ec = NULL;
    w.matrix = NULL;
}

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool allocates = strstr(function, "_allocate_init");

    if (same(param, "ec"))
        return same(function, "doca_ec_create") ? GIVEN_NONE : GIVE(w.ec);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "matrix"))
        return same(function, "doca_ec_matrix_destroy") ? GIVE(w.matrix) : GIVEN_NONE;
    if (strstr(param, "_matrix"))
        return GIVE(w.matrix);
    if (same(param, "task") && strstr(function, "_task_galois_mul_") && !allocates)
        return GIVE(w.galois_mul);
    if (strstr(param, "_completion_cb") && strstr(function, "_task_galois_mul_"))
        return GIVE(galois_mul_over);
    if (same(param, "task") && strstr(function, "_task_create_") && !allocates)
        return GIVE(w.create);
    if (strstr(param, "_completion_cb") && strstr(function, "_task_create_"))
        return GIVE(create_over);
    if (same(param, "task") && strstr(function, "_task_update_") && !allocates)
        return GIVE(w.update);
    if (strstr(param, "_completion_cb") && strstr(function, "_task_update_"))
        return GIVE(update_over);
    if (same(param, "task") && strstr(function, "_task_recover_") && !allocates)
        return GIVE(w.recover);
    if (strstr(param, "_completion_cb") && strstr(function, "_task_recover_"))
        return GIVE(recover_over);
    if (same(param, "original_data_blocks") || same(param, "original_updated_and_rdnc_blocks") ||
        same(param, "available_blocks"))
        return GIVE(tw.src);
    if (same(param, "rdnc_blocks") || same(param, "updated_rdnc_blocks") ||
        same(param, "recovered_data_blocks"))
        return GIVE(tw.dst);
    if (same(param, "data"))
        return GIVE(tw.memory);
    if (strstr(param, "_indices"))
        return GIVE(indices);
    *value = 1; // numbers, a type of matrix, and data of the program
    bool number = strstr(param, "_count") || same(param, "type") || same(param, "num_tasks") ||
                  same(param, "n_updates") || same(param, "n_missing") || same(param, "user_data");
    return number ? GIVEN : GIVEN_NONE;
}

static const struct life lives[] = {
    {"doca_ec_create", "doca_ec_destroy", &w.ec},
    {"doca_ec_matrix_create", "doca_ec_matrix_destroy", &w.matrix},
    {"doca_ec_matrix_create_from_raw", "doca_ec_matrix_destroy", NULL},
    {"doca_ec_matrix_create_update", "doca_ec_matrix_destroy", NULL},
    {"doca_ec_matrix_create_recover", "doca_ec_matrix_destroy", NULL},
    {NULL},
};

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_ec_create", ANY(OK)},
    {"doca_ec_destroy", {OK, OK, STATE, STATE, OK}},
    {"doca_ec_as_ctx", ANY(OK)},
    {"doca_ec_cap_get_max_block_size", ANY(OK)},
    {"doca_ec_cap_get_max_buf_list_len", ANY(OK)},
    {"doca_ec_matrix_create", ANY(OK)},
    {"doca_ec_matrix_create_from_raw", ANY(OK)},
    {"doca_ec_matrix_create_update", ANY(OK)},
    {"doca_ec_matrix_create_recover", ANY(OK)},
    {"doca_ec_cap_task_galois_mul_is_supported", ANY(OK)},
    {"doca_ec_task_galois_mul_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_ec_task_galois_mul_allocate_init",
     {STATE, STATE, OK, OK, STATE},
     "coding_matrix src_buf dst_buf"},
    {"doca_ec_cap_task_create_is_supported", ANY(OK)},
    {"doca_ec_task_create_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_ec_task_create_allocate_init",
     {STATE, STATE, OK, OK, STATE},
     "coding_matrix original_data_blocks rdnc_blocks"},
    {"doca_ec_cap_task_update_is_supported", ANY(OK)},
    {"doca_ec_task_update_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_ec_task_update_allocate_init",
     {STATE, STATE, OK, OK, STATE},
     "update_matrix original_updated_and_rdnc_blocks updated_rdnc_blocks"},
    {"doca_ec_cap_task_recover_is_supported", ANY(OK)},
    {"doca_ec_task_recover_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_ec_task_recover_allocate_init",
     {STATE, STATE, OK, OK, STATE},
     "recover_matrix available_blocks recovered_data_blocks"},
};

GROUP(ecs) = {
    .name = "erasure_coding",
    .left_out = WITHOUT_ISAL,
    .states = CONTEXT_STATES,
    ROWS(ctx_rows),
    .probe = "doca_ec_task_create_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};

// ---- tasks ---------------------------------------------------------------------

// Setters return nothing; what they leave alone is tested where values are.
static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_ec_matrix_destroy", ANY(OK)}, // nothing has begun before a poll
    {"doca_ec_task_galois_mul_as_task", ANY(OK)},
    {"doca_ec_task_galois_mul_set_coding_matrix", ANY(OK), "coding_matrix"},
    {"doca_ec_task_galois_mul_get_coding_matrix", ANY(OK)},
    {"doca_ec_task_galois_mul_set_src_buf", ANY(OK), "src_buf"},
    {"doca_ec_task_galois_mul_get_src_buf", ANY(OK)},
    {"doca_ec_task_galois_mul_set_dst_buf", ANY(OK), "dst_buf"},
    {"doca_ec_task_galois_mul_get_dst_buf", ANY(OK)},
    {"doca_ec_task_create_as_task", ANY(OK)},
    {"doca_ec_task_create_set_coding_matrix", ANY(OK), "coding_matrix"},
    {"doca_ec_task_create_get_coding_matrix", ANY(OK)},
    {"doca_ec_task_create_set_original_data_blocks", ANY(OK), "original_data_blocks"},
    {"doca_ec_task_create_get_original_data_blocks", ANY(OK)},
    {"doca_ec_task_create_set_rdnc_blocks", ANY(OK), "rdnc_blocks"},
    {"doca_ec_task_create_get_rdnc_blocks", ANY(OK)},
    {"doca_ec_task_update_as_task", ANY(OK)},
    {"doca_ec_task_update_set_update_matrix", ANY(OK), "update_matrix"},
    {"doca_ec_task_update_get_update_matrix", ANY(OK)},
    {"doca_ec_task_update_set_original_updated_and_rdnc_blocks", ANY(OK),
     "original_updated_and_rdnc_blocks"},
    {"doca_ec_task_update_get_original_updated_and_rdnc_blocks", ANY(OK)},
    {"doca_ec_task_update_set_updated_rdnc_blocks", ANY(OK), "updated_rdnc_blocks"},
    {"doca_ec_task_update_get_updated_rdnc_blocks", ANY(OK)},
    {"doca_ec_task_recover_as_task", ANY(OK)},
    {"doca_ec_task_recover_set_recover_matrix", ANY(OK), "recover_matrix"},
    {"doca_ec_task_recover_get_recover_matrix", ANY(OK)},
    {"doca_ec_task_recover_set_available_blocks", ANY(OK), "available_blocks"},
    {"doca_ec_task_recover_get_available_blocks", ANY(OK)},
    {"doca_ec_task_recover_set_recovered_data_blocks", ANY(OK), "recovered_data_blocks"},
    {"doca_ec_task_recover_get_recovered_data", ANY(OK)},
};

GROUP(ec_tasks) = {
    .name = "erasure_coding task",
    .left_out = WITHOUT_ISAL,
    .states = TASK_STATES,
    ROWS(task_rows),
    .probe = "doca_ec_task_create_set_rdnc_blocks",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};
