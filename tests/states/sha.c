// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA contexts and their sessions.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_sha.h>

enum { FRESH, STARTED, ATTACHED, SESSIONS };

static struct {
    struct doca_dev *dev;
    struct doca_sha *sha;
    struct doca_workq *workq;
    struct doca_sha_partial_session *sessions[2];
} w;

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_sha_create(&w.sha));
    ck_assert_success(doca_workq_create(1, &w.workq));
    if (state >= STARTED) {
        ck_assert_success(doca_ctx_dev_add(doca_sha_as_ctx(w.sha), w.dev));
        ck_assert_success(doca_ctx_start(doca_sha_as_ctx(w.sha)));
    }
    if (state >= ATTACHED)
        ck_assert_success(doca_ctx_workq_add(doca_sha_as_ctx(w.sha), w.workq));
    for (unsigned i = 0; i < 2 && state == SESSIONS; i++)
        ck_assert_success(doca_sha_partial_session_create(w.sha, w.workq, &w.sessions[i]));
}

static void leave(void)
{
    for (unsigned i = 0; i < 2; i++)
        if (w.sessions[i])
            ck_assert_success(doca_sha_partial_session_destroy(w.sha, w.workq, w.sessions[i]));
    if (w.sha)
        doca_ctx_workq_rm(doca_sha_as_ctx(w.sha), w.workq); // refused where it was not added
    ck_assert_success(doca_workq_destroy(w.workq));
    if (w.sha)
        ck_assert_success(doca_sha_destroy(w.sha));
    ck_assert_success(doca_dev_close(w.dev));
    w.sha = NULL;
    w.sessions[0] = w.sessions[1] = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "ctx"))
        return same(function, "doca_sha_create") ? GIVEN_NONE : GIVE(w.sha);
    if (same(param, "workq"))
        return GIVE(w.workq);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "session") && same(function, "doca_sha_partial_session_create"))
        return GIVEN_NONE;
    if (same(param, "session") || same(param, "from_session"))
        return GIVE_OBJECT(w.sessions[0]);
    if (same(param, "to_session"))
        return GIVE_OBJECT(w.sessions[1]);
    *value = DOCA_SHA_JOB_SHA256;
    return same(param, "job_type") ? GIVEN : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_sha_partial_session_create"))
        ck_assert_success(doca_sha_partial_session_destroy(
            w.sha, w.workq, *(struct doca_sha_partial_session **)(uintptr_t)a[2]));
    else if (same(function, "doca_sha_partial_session_destroy"))
        w.sessions[0] = NULL;
}

static const struct row rows[] = {
    // fresh, started, with a work queue, with sessions
    {"doca_sha_create", ANY(OK)},
    {"doca_sha_destroy", {OK, OK, IN_USE, IN_USE}},
    {"doca_sha_job_get_supported", ANY(OK)},
    {"doca_sha_get_max_list_buf_num_elem", ANY(OK)},
    {"doca_sha_get_max_src_buffer_size", ANY(OK)},
    {"doca_sha_get_min_dst_buffer_size", ANY(OK)},
    {"doca_sha_get_hardware_supported", ANY(OK)},
    {"doca_sha_as_ctx", ANY(OK)},
    {"doca_sha_partial_session_create", {INVALID, INVALID, OK, OK}},
    {"doca_sha_partial_session_destroy", {ABSENT, ABSENT, ABSENT, OK}},
    {"doca_sha_partial_session_copy", {ABSENT, ABSENT, ABSENT, OK}},
};

GROUP(shas) = {
    .name = "sha",
    .states = {"fresh", "started", "with a work queue", "with sessions"},
    ROWS(rows),
    .probe = "doca_sha_partial_session_create",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIVES({"doca_sha_create", "doca_sha_destroy", &w.sha}),
    .succeeded = succeeded,
};
