// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding contexts and their matrices.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_erasure_coding.h>

enum { FRESH, STARTED, ATTACHED };

static uint8_t elements[4] = {1, 2, 3, 4};
static uint32_t indices[] = {1};

static struct {
    struct doca_dev *dev;
    struct doca_ec *ec;
    struct doca_workq *workq;
    struct doca_matrix *matrix;
} w;

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_ec_create(&w.ec));
    ck_assert_success(doca_workq_create(1, &w.workq));
    ck_assert_success(doca_ec_matrix_create(w.ec, DOCA_CODING_MATRIX_CAUCHY, 2, 2, &w.matrix));
    if (state >= STARTED) {
        ck_assert_success(doca_ctx_dev_add(doca_ec_as_ctx(w.ec), w.dev));
        ck_assert_success(doca_ctx_start(doca_ec_as_ctx(w.ec)));
    }
    if (state >= ATTACHED)
        ck_assert_success(doca_ctx_workq_add(doca_ec_as_ctx(w.ec), w.workq));
}

static void leave(void)
{
    if (w.ec)
        doca_ctx_workq_rm(doca_ec_as_ctx(w.ec), w.workq); // refused where it was not added
    ck_assert_success(doca_workq_destroy(w.workq));
    if (w.ec)
        ck_assert_success(doca_ec_destroy(w.ec));
    if (w.matrix)
        ck_assert_success(doca_ec_matrix_destroy(w.matrix));
    ck_assert_success(doca_dev_close(w.dev));
    w.ec = NULL;
    w.matrix = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "ctx") || same(param, "ec"))
        return same(function, "doca_ec_create") ? GIVEN_NONE : GIVE(w.ec);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "coding_matrix") ||
        (same(param, "matrix") && same(function, "doca_ec_matrix_destroy")))
        return GIVE(w.matrix);
    if (same(param, "data"))
        return GIVE(elements);
    if (strstr(param, "_indices"))
        return GIVE(indices);
    *value = same(param, "job_type") ? DOCA_EC_JOB_CREATE : 1;
    bool number = same(param, "job_type") || same(param, "type") || strstr(param, "_count") ||
                  same(param, "n_updates") || same(param, "n_missing");
    return number ? GIVEN : GIVEN_NONE;
}

static const struct life lives[] = {
    {"doca_ec_create", "doca_ec_destroy", &w.ec},
    {"doca_ec_matrix_create", "doca_ec_matrix_destroy", &w.matrix},
    {"doca_ec_matrix_from_raw", "doca_ec_matrix_destroy", NULL},
    {"doca_ec_update_matrix_create", "doca_ec_matrix_destroy", NULL},
    {"doca_ec_recover_matrix_create", "doca_ec_matrix_destroy", NULL},
    {NULL},
};

static const struct row rows[] = {
    // fresh, started, with a work queue
    {"doca_ec_create", ANY(OK)},
    {"doca_ec_destroy", {OK, OK, IN_USE}},
    {"doca_ec_as_ctx", ANY(OK)},
    {"doca_ec_job_get_supported", ANY(OK)},
    {"doca_ec_get_max_buffer_size", ANY(OK)},
    {"doca_ec_get_max_list_buf_num_elem", ANY(OK)},
    {"doca_ec_matrix_create", ANY(OK)},
    {"doca_ec_matrix_from_raw", ANY(OK)},
    {"doca_ec_update_matrix_create", ANY(OK)},
    {"doca_ec_recover_matrix_create", ANY(OK)},
    {"doca_ec_matrix_destroy", ANY(OK)},
};

GROUP(ecs) = {
    .name = "erasure_coding",
    .left_out = WITHOUT_ISAL,
    .states = {"fresh", "started", "with a work queue"},
    ROWS(rows),
    .probe = "doca_ec_destroy",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};
