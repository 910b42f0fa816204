// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding contexts, their matrices, and their tasks, of DOCA 3.

#include "task_world.h"

#include <doca_erasure_coding.h>
#include <string.h>

static uint32_t indices[] = {1};

static struct {
    struct doca_ec *ec;
    struct doca_ec_matrix *matrix;
} w;

static struct doca_ctx *ctx(void)
{
    return w.ec ? doca_ec_as_ctx(w.ec) : NULL;
}

// Four blocks of data, two of redundancy.
static void create(void)
{
    BEFORE_3(ck_assert_success(doca_ec_create(&w.ec));)
    OF_3(ck_assert_success(doca_ec_create(tw.dev, &w.ec));)
    ck_assert_success(doca_ec_matrix_create(w.ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &w.matrix));
}

static const struct lifetime lifetimes[] = {
    {"doca_ec_create", "doca_ec_destroy", &w.ec},
    {"doca_ec_matrix_create", "doca_ec_matrix_destroy", &w.matrix},
    {FN(doca_ec_matrix_create_from_raw), "doca_ec_matrix_destroy", NULL},
    {FN(doca_ec_matrix_create_update), "doca_ec_matrix_destroy", NULL},
    {FN(doca_ec_matrix_create_recover), "doca_ec_matrix_destroy", NULL},
    {NULL},
};

// What functions of matrices take.
static enum given argue_matrix(const char *param, uint64_t *value)
{
    if (same(param, "matrix") || strstr(param, "_matrix"))
        return GIVE(w.matrix);
    if (same(param, "data"))
        return GIVE(tw.memory);
    if (strstr(param, "_indices"))
        return GIVE(indices);
    *value = 1;
    return same(param, "type") || strstr(param, "_count") || same(param, "n_updates") ||
                   same(param, "n_missing")
               ? GIVEN
               : GIVEN_NONE;
}

#if GENERATION == 3
// In the order of tw.tasks.
static const char *const kinds[] = {"_task_galois_mul_", "_task_create_", "_task_update_",
                                    "_task_recover_"};

TASK_CALLBACK(galois_mul_over, doca_ec_task_galois_mul)
TASK_CALLBACK(create_over, doca_ec_task_create)
TASK_CALLBACK(update_over, doca_ec_task_update)
TASK_CALLBACK(recover_over, doca_ec_task_recover)

#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_ec_task_##name##_set_conf(w.ec, name##_over, name##_over, 2))
#define TAKE(name)                                                                                 \
    do {                                                                                           \
        struct doca_ec_task_##name *task;                                                          \
        ck_assert_success(doca_ec_task_##name##_allocate_init(                                     \
            w.ec, w.matrix, tw.src, tw.dst, (union doca_data){.u64 = 1}, &task));                  \
        tw.tasks[tw.n_tasks++] = doca_ec_task_##name##_as_task(task);                              \
    } while (0)

static void configure(void)
{
    CONFIGURE(galois_mul);
    CONFIGURE(create);
    CONFIGURE(update);
    CONFIGURE(recover);
}

static void allocate(void)
{
    TAKE(galois_mul);
    TAKE(create);
    TAKE(update);
    TAKE(recover);
}

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    static void *const over[] = {galois_mul_over, create_over, update_over, recover_over};
    unsigned kind = 0;

    while (kind < 3 && !strstr(function, kinds[kind]))
        kind++;
    if (same(param, "ec"))
        return GIVE(w.ec);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_allocate_init"))
        return GIVE(tw.tasks[kind]);
    if (strstr(param, "_completion_cb"))
        return GIVE(over[kind]);
    if (same(param, "original_data_blocks") || same(param, "original_updated_and_rdnc_blocks") ||
        same(param, "available_blocks"))
        return GIVE(tw.src);
    if (same(param, "rdnc_blocks") || same(param, "updated_rdnc_blocks") ||
        same(param, "recovered_data_blocks"))
        return GIVE(tw.dst);
    *value = 1;
    return same(param, "num_tasks") || same(param, "user_data") ? GIVEN
                                                                : argue_matrix(param, value);
}
#else
TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "ctx") || same(param, "ec"))
        return GIVE(w.ec);
    if (same(param, "devinfo"))
        return task_world_argument(param, value);
    *value = DOCA_EC_JOB_CREATE;
    return same(param, "job_type") ? GIVEN : argue_matrix(param, value);
}
#endif

// What all kinds of tasks have.
#define KIND(name, pointers)                                                                       \
    ROW_OF_3("doca_ec_cap_task_" name "_is_supported", ANY(OK)),                                   \
        ROW_OF_3("doca_ec_task_" name "_set_conf", {OK, OK, STATE, STATE, OK}),                    \
        ROW_OF_3("doca_ec_task_" name "_allocate_init", {STATE, STATE, OK, OK, STATE}, pointers)

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped, started
    {"doca_ec_create", ANY(OK)},
    {"doca_ec_destroy", {OK, OK, EITHER(IN_USE, STATE), STATE, OK, OK}},
    {"doca_ec_as_ctx", ANY(OK)},
    {FN(doca_ec_cap_get_max_block_size), ANY(OK)},
    {FN(doca_ec_cap_get_max_buf_list_len), ANY(OK)},
    {"doca_ec_matrix_create", ANY(OK)},
    {FN(doca_ec_matrix_create_from_raw), ANY(OK)},
    {FN(doca_ec_matrix_create_update), ANY(OK)},
    {FN(doca_ec_matrix_create_recover), ANY(OK)},
    ROW_OF_2_2("doca_ec_matrix_destroy", ANY(OK)),
    ROW_OF_2_2("doca_ec_job_get_supported", ANY(OK)),
    KIND("galois_mul", "coding_matrix src_buf dst_buf"),
    KIND("create", "coding_matrix original_data_blocks rdnc_blocks"),
    KIND("update", "update_matrix original_updated_and_rdnc_blocks updated_rdnc_blocks"),
    KIND("recover", "recover_matrix available_blocks recovered_data_blocks"),
};

GROUP(ecs) = {
    .name = "erasure_coding",
    .left_out = WITHOUT_ISAL,
    .states = {CONTEXT_STATES},
    ROWS(ctx_rows),
    .probe = EITHER("doca_ec_destroy", "doca_ec_task_create_set_conf"),
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

#if GENERATION == 3
// Setters return nothing; what they leave alone is tested where values are.
#define TASK(name) "doca_ec_task_" name, ANY(OK)
// A field that may be without a value.
#define FIELD(task, name) ROW(TASK(task "_set_" name), name), ROW(TASK(task "_get_" name))

static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_ec_matrix_destroy", {OK, INVALID, OK, OK}},
    {TASK("galois_mul_as_task")},
    FIELD("galois_mul", "coding_matrix"),
    FIELD("galois_mul", "src_buf"),
    FIELD("galois_mul", "dst_buf"),
    {TASK("create_as_task")},
    FIELD("create", "coding_matrix"),
    FIELD("create", "original_data_blocks"),
    FIELD("create", "rdnc_blocks"),
    {TASK("update_as_task")},
    FIELD("update", "update_matrix"),
    FIELD("update", "original_updated_and_rdnc_blocks"),
    FIELD("update", "updated_rdnc_blocks"),
    {TASK("recover_as_task")},
    FIELD("recover", "recover_matrix"),
    FIELD("recover", "available_blocks"),
    {TASK("recover_set_recovered_data_blocks"), "recovered_data_blocks"},
    {TASK("recover_get_recovered_data")},
};

GROUP(ec_tasks) = {
    .name = "erasure_coding task",
    .left_out = WITHOUT_ISAL,
    .states = {TASK_STATES},
    ROWS(task_rows),
    .probe = "doca_ec_task_create_set_rdnc_blocks",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};
#endif
