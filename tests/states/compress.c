// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression contexts.

#include "generation.h"

#include "client.h"

#include <check.h>
#include <doca_compress.h>

enum { FRESH, STARTED, ATTACHED };

static struct {
    struct doca_dev *dev;
    struct doca_compress *compress;
    struct doca_workq *workq;
} w;

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_compress_create(&w.compress));
    ck_assert_success(doca_workq_create(1, &w.workq));
    if (state >= STARTED) {
        ck_assert_success(doca_ctx_dev_add(doca_compress_as_ctx(w.compress), w.dev));
        ck_assert_success(doca_ctx_start(doca_compress_as_ctx(w.compress)));
    }
    if (state >= ATTACHED)
        ck_assert_success(doca_ctx_workq_add(doca_compress_as_ctx(w.compress), w.workq));
}

static void leave(void)
{
    if (w.compress)
        doca_ctx_workq_rm(doca_compress_as_ctx(w.compress), w.workq); // refused if it was not added
    ck_assert_success(doca_workq_destroy(w.workq));
    if (w.compress)
        ck_assert_success(doca_compress_destroy(w.compress));
    ck_assert_success(doca_dev_close(w.dev));
    w.compress = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "compress"))
        return same(function, "doca_compress_create") ? GIVEN_NONE : GIVE(w.compress);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    *value = DOCA_COMPRESS_DEFLATE_JOB;
    return same(param, "job_type") ? GIVEN : GIVEN_NONE;
}

static const struct row rows[] = {
    // fresh, started, attached
    {"doca_compress_create", ANY(OK)},
    {"doca_compress_destroy", {OK, OK, IN_USE}},
    {"doca_compress_as_ctx", ANY(OK)},
    {"doca_compress_job_get_supported", ANY(OK)},
    {FN(doca_compress_get_max_buf_size), ANY(OK)},
    {"doca_compress_get_max_list_buf_num_elem", ANY(OK)},
};

GROUP(compressions) = {
    .name = "compression",
    .left_out = WITHOUT_ISAL,
    .states = {"fresh", "started", "attached"},
    ROWS(rows),
    .probe = "doca_compress_get_max_list_buf_num_elem",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIVES({"doca_compress_create", "doca_compress_destroy", &w.compress}),
};
