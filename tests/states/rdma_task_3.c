// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of RDMA of DOCA 3.

#include "tables.h"
#include "rdma_world_3.h"

enum { ALLOCATED, IN_FLIGHT, FLUSHED, FREED };

static void free_all(void)
{
    unsigned i = 0;
#define FREE(name) doca_task_free(doca_rdma_task_##name##_as_task(rw.tasks[i++]));
    RDMA_KINDS(FREE)
}

static void enter(unsigned state)
{
    rw_make(1);
    rw_start();
    rw_export();
    rw_connect(true, false);
    rw_allocate();
    if (state == IN_FLIGHT || state == FLUSHED)
        rw_submit();
    if (state == FLUSHED)
        rw_stop(rw.rdma);
    if (state == FREED)
        free_all();
}

// Setters return nothing; what they leave alone is tested where values are.
#define TASK(function)    ROW("doca_rdma_task_" function, ANY(OK))
#define FIELD(name, what) TASK(name "_set_" what), TASK(name "_get_" what)
#define KIND(name)        TASK(name "_as_task"), FIELD(name, "rdma_connection")

static const struct row rows[] = {
    // allocated, in flight, flushed, freed
    TASK("receive_as_task"),
    FIELD("receive", "dst_buf"),
    TASK("receive_get_result_opcode"),
    TASK("receive_get_result_len"),
    TASK("receive_get_result_immediate_data"),
    // Nothing has come.
    {"doca_rdma_task_receive_get_result_rdma_connection", ANY(INVALID)},
    KIND("send"),
    FIELD("send", "src_buf"),
    KIND("send_imm"),
    FIELD("send_imm", "src_buf"),
    FIELD("send_imm", "immediate_data"),
    KIND("read"),
    FIELD("read", "src_buf"),
    FIELD("read", "dst_buf"),
    TASK("read_get_result_len"),
    KIND("write"),
    FIELD("write", "src_buf"),
    FIELD("write", "dst_buf"),
    KIND("write_imm"),
    FIELD("write_imm", "src_buf"),
    FIELD("write_imm", "dst_buf"),
    FIELD("write_imm", "immediate_data"),
    KIND("atomic_cmp_swp"),
    FIELD("atomic_cmp_swp", "dst_buf"),
    FIELD("atomic_cmp_swp", "result_buf"),
    FIELD("atomic_cmp_swp", "cmp_data"),
    FIELD("atomic_cmp_swp", "swap_data"),
    KIND("atomic_fetch_add"),
    FIELD("atomic_fetch_add", "dst_buf"),
    FIELD("atomic_fetch_add", "result_buf"),
    FIELD("atomic_fetch_add", "add_data"),
    KIND("remote_net_sync_event_get"),
    FIELD("remote_net_sync_event_get", "sync_event"),
    FIELD("remote_net_sync_event_get", "dst_buf"),
    TASK("remote_net_sync_event_get_get_result_len"),
    KIND("remote_net_sync_event_notify_set"),
    FIELD("remote_net_sync_event_notify_set", "sync_event"),
    FIELD("remote_net_sync_event_notify_set", "src_buf"),
    KIND("remote_net_sync_event_notify_add"),
    FIELD("remote_net_sync_event_notify_add", "sync_event"),
    FIELD("remote_net_sync_event_notify_add", "result_buf"),
    FIELD("remote_net_sync_event_notify_add", "add_data"),
};

GROUP(rdma_tasks) = {
    .name = "RDMA task",
    .states = {"allocated", "in flight", "flushed", "freed"},
    ROWS(rows),
    .enter = enter,
    .leave = rw_leave,
    .argument = rw_argue,
    .lifetimes = rw_lifetimes,
};
