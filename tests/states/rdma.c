// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA instances. Where one is connected, it is to another one of this process.

#include "objects.h"

#include <doca_rdma.h>
#include <string.h>

enum { FRESH, CONFIGURED, STARTED, CONNECTED, FULL, FAILED, STOPPED };

static struct {
    struct doca_dev *dev;
    struct doca_rdma *rdma, *other;
    struct doca_workq *workq;
    struct doca_rdma_job_send job;
    uint8_t details[256]; // the other one's
    size_t details_size;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_rdma_as_ctx(w.rdma);
}

static void start_other(void)
{
    const void *details;
    ck_assert_success(doca_rdma_create(&w.other));
    ck_assert_success(doca_ctx_dev_add(doca_rdma_as_ctx(w.other), w.dev));
    ck_assert_success(doca_ctx_start(doca_rdma_as_ctx(w.other)));
    ck_assert_success(doca_rdma_export(w.other, &details, &w.details_size));
    ck_assert_uint_le(w.details_size, sizeof(w.details));
    memcpy(w.details, details, w.details_size);
}

static void start(void)
{
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(doca_ctx_workq_add(ctx(), w.workq));
}

// The other side goes while a job is pending, which fails.
static void make_fail(void)
{
    struct doca_event event = {0};
    ck_assert_success(doca_workq_submit(w.workq, &w.job.base));
    ck_assert_success(doca_ctx_stop(doca_rdma_as_ctx(w.other)));
    ck_assert_error(doca_workq_progress_retrieve(w.workq, &event, 0), DOCA_ERROR_IO_FAILED);
}

static void stop(void)
{
    ck_assert_success(doca_ctx_workq_rm(ctx(), w.workq));
    ck_assert_success(doca_ctx_stop(ctx()));
}

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_workq_create(4, &w.workq));
    ck_assert_success(doca_rdma_create(&w.rdma));
    start_other();
    w.job = (struct doca_rdma_job_send){.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = ctx()}};
    if (state >= CONFIGURED)
        ck_assert_success(doca_ctx_dev_add(ctx(), w.dev));
    if (state == FULL)
        ck_assert_success(doca_rdma_set_send_queue_size(w.rdma, 1));
    if (state >= STARTED)
        start();
    if (state >= CONNECTED)
        ck_assert_success(doca_rdma_connect(w.rdma, w.details, w.details_size));
    if (state == FULL)
        ck_assert_success(doca_workq_submit(w.workq, &w.job.base));
    if (state == FAILED)
        make_fail();
    if (state == STOPPED)
        stop();
}

static void leave(void)
{
    // Refused where it was not added, or was not started.
    if (w.rdma) {
        doca_ctx_workq_rm(ctx(), w.workq);
        doca_ctx_stop(ctx());
        ck_assert_success(doca_rdma_destroy(w.rdma));
    }
    doca_ctx_stop(doca_rdma_as_ctx(w.other));
    ck_assert_success(doca_rdma_destroy(w.other));
    ck_assert_success(doca_workq_destroy(w.workq));
    ck_assert_success(doca_dev_close(w.dev));
    memset(&w, 0, sizeof(w));
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "rdma"))
        return same(function, "doca_rdma_create") ? GIVEN_NONE : GIVE(w.rdma);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "remote_rdma_conn_details"))
        return GIVE(w.details);
    if (same(param, "workq"))
        return GIVE(w.workq);
    if (same(param, "job"))
        return GIVE(&w.job);
    // These are asked for, or set.
    if (strstr(function, "_set_") || same(param, "job_type") || same(param, "transport_type") ||
        same(param, "start_index") || same(param, "num_entries") ||
        same(param, "remote_rdma_conn_details_size")) {
        if (same(function, "doca_rdma_get_transport_type"))
            return GIVEN_NONE;
        *value = same(param, "job_type")                        ? DOCA_RDMA_JOB_READ
                 : same(param, "transport_type")                ? DOCA_RDMA_TRANSPORT_RC
                 : same(param, "start_index")                   ? 0
                 : same(param, "remote_rdma_conn_details_size") ? w.details_size
                                                                : 1;
        return GIVEN;
    }
    return GIVEN_NONE;
}

#define SETS          OK, OK, STATE, STATE, STATE, STATE, OK
#define GETS          STATE, OK, OK, OK, OK, OK, OK
#define SETTING(name) ROW("doca_rdma_set_" name, {SETS}), ROW("doca_rdma_get_" name, {GETS})

static const struct row rows[] = {
    //             fresh, configured, started, connected, full, failed, stopped
    {"doca_rdma_create", ANY(OK)},
    {"doca_rdma_destroy", {OK, OK, STATE, STATE, STATE, STATE, OK}},
    {"doca_rdma_as_ctx", ANY(OK)},
    {"doca_rdma_export", {STATE, STATE, OK, OK, OK, OK, STATE}},
    {"doca_rdma_connect", {STATE, STATE, OK, STATE, STATE, STATE, STATE}},
    {"doca_workq_submit", {FOUND, FOUND, STATE, OK, NO_MEM, STATE, FOUND}},
    {"doca_rdma_job_get_supported", ANY(OK)},
    {"doca_rdma_get_max_recv_queue_size", ANY(OK)},
    {"doca_rdma_get_max_send_queue_size", ANY(OK)},
    {"doca_rdma_get_max_message_size", ANY(OK)},
    {"doca_rdma_get_max_buf_chain_len", ANY(OK)},
    {"doca_rdma_get_gid_table_size", ANY(OK)},
    {"doca_rdma_get_gid", ANY(OK)},
    {"doca_rdma_get_transport_type_supported", ANY(OK)},
    SETTING("send_queue_size"),
    SETTING("recv_queue_size"),
    SETTING("transport_type"),
    SETTING("mtu"),
    {"doca_rdma_set_permissions", {STATE, OK, STATE, STATE, STATE, STATE, OK}},
    SETTING("grh_enabled"),
    SETTING("gid_index"),
    SETTING("recv_buf_chain_len"),
    SETTING("sl"),
    {"doca_rdma_get_permissions", {GETS}},
    {"doca_rdma_get_state", {GETS}},
};

GROUP(rdma) = {
    .name = "rdma",
    .states = {"fresh", "configured", "started", "connected", "with a full queue", "failed",
               "stopped"},
    ROWS(rows),
    .probe = "doca_workq_submit",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIFETIMES({"doca_rdma_create", "doca_rdma_destroy", &w.rdma}),
};
