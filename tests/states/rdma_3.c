// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3: contexts, connections and addresses.

#include "tables.h"
#include "rdma_world_3.h"

#include <doca_rdma_bridge.h>
#include <string.h>

// ---- contexts

enum { MADE, CONFIGURED, RUNNING, BUSY, FULL, STOPPED };

static void enter_context(unsigned state)
{
    rw_make(state == FULL ? 1 : 4);
    if (state == CONFIGURED)
        ck_assert_success(doca_pe_connect_ctx(rw.pe, doca_rdma_as_ctx(rw.rdma)));
    if (state < RUNNING)
        return;
    rw_start();
    rw_export();
    if (state == BUSY) {
        rw_listen();
        rw_connect(true, false); // tasks wait for the other side
        rw_allocate();
        rw_submit();
    }
    if (state == STOPPED)
        rw_stop(rw.rdma);
}

#define SETS          OK, OK, STATE, STATE, STATE, OK
#define SETTING(name) ROW("doca_rdma_set_" name, {SETS}), ROW("doca_rdma_get_" name, ANY(OK))
#define RUNS          STATE, STATE, OK, OK, OK, STATE
#define NEVER(function, pointers)                                                                  \
    {                                                                                              \
        function, ANY(UNSUPP), pointers                                                            \
    }
// What all kinds of tasks have; that of a receive takes no connection.
#define KIND(name) KIND_WITH(name, ABSENT, "src_buf dst_buf result_buf")
#define KIND_WITH(name, before, may_be_null)                                                       \
    ROW("doca_rdma_cap_task_" name "_is_supported", ANY(OK)),                                      \
        ROW("doca_rdma_task_" name "_set_conf", {SETS}),                                           \
        ROW("doca_rdma_task_" name "_allocate_init", {before, before, OK, OK, OK, STATE},          \
            may_be_null)

static const struct row context_rows[] = {
    // made, configured, running, busy, full, stopped
    {"doca_rdma_create", ANY(OK)},
    {"doca_rdma_destroy", {SETS}},
    {"doca_rdma_as_ctx", ANY(OK)},
    {"doca_rdma_export", {STATE, STATE, OK, OK, CELL(ERROR_FULL), STATE}},
    {"doca_rdma_start_listen_to_port", {RUNS}},
    {"doca_rdma_stop_listen_to_port", {INVALID, INVALID, INVALID, OK, INVALID, INVALID}},
    {"doca_rdma_connect_to_addr", {STATE, STATE, OK, OK, ABORTED, STATE}},
    // No id is of a software function.
    {"doca_rdma_bridge_prepare_connection", {STATE, STATE, UNSUPP, UNSUPP, UNSUPP, STATE}},
    {"doca_rdma_cap_get_max_recv_queue_size", ANY(OK)},
    {"doca_rdma_cap_get_max_send_queue_size", ANY(OK)},
    {"doca_rdma_cap_get_max_send_buf_list_len", ANY(OK)},
    {"doca_rdma_cap_get_max_message_size", ANY(OK)},
    {"doca_rdma_cap_get_gid_table_size", ANY(OK)},
    {"doca_rdma_cap_get_gid", ANY(OK)},
    {"doca_rdma_cap_transport_type_is_supported", ANY(OK)},
    SETTING("send_queue_size"),
    SETTING("recv_queue_size"),
    SETTING("max_send_buf_list_len"),
    SETTING("transport_type"),
    SETTING("mtu"),
    SETTING("permissions"),
    SETTING("grh_enabled"),
    SETTING("gid_index"),
    SETTING("sl"),
    SETTING("connection_request_timeout"),
    SETTING("max_num_connections"),
    SETTING("rnr_retry_count"),
    {"doca_rdma_set_connection_state_callbacks", {SETS}, "doca_rdma_connect_request_cb"},
    {"doca_rdma_cap_task_receive_get_max_dst_buf_list_len", ANY(OK)},
    {"doca_rdma_task_receive_set_dst_buf_list_len", {SETS}},
    {"doca_rdma_task_receive_get_dst_buf_list_len", ANY(OK)},
    KIND_WITH("receive", STATE, "dst_buf"),
    KIND("send"),
    KIND("send_imm"),
    KIND("read"),
    KIND("write"),
    KIND("write_imm"),
    KIND("atomic_cmp_swp"),
    KIND("atomic_fetch_add"),
    KIND("remote_net_sync_event_get"),
    KIND("remote_net_sync_event_notify_set"),
    KIND("remote_net_sync_event_notify_add"),
    NEVER("doca_rdma_get_dpa_handle", "rdma dpa_rdma"),
    NEVER("doca_rdma_get_gpu_handle", "rdma gpu_rdma"),
    NEVER("doca_rdma_dpa_completion_attach", "rdma dpa_comp"),
};

GROUP(rdmas) = {
    .name = "RDMA context",
    .states = {"made", "configured", "running", "busy", "full", "stopped"},
    ROWS(context_rows),
    .probe = "doca_rdma_set_sl",
    .enter = enter_context,
    .leave = rw_leave,
    .argument = rw_argue,
    .lifetimes = rw_lifetimes,
};

// ---- connections

enum { EXPORTED, WAITING, CONNECTED, GONE, REQUESTED, ACCEPTED, ESTABLISHED, REJECTED };

static void enter_called(unsigned state)
{
    rw_listen();
    rw_call();
    if (state == REJECTED)
        ck_assert_success(doca_rdma_connection_reject(rw.connection));
    else if (state > REQUESTED)
        ck_assert_success(doca_rdma_connection_accept(rw.connection, NULL, 0));
    if (state == ESTABLISHED)
        RW_UNTIL(rw.established);
}

static void enter_connection(unsigned state)
{
    rw_make(2);
    rw_start();
    if (state >= REQUESTED) {
        enter_called(state);
        return;
    }
    rw_export();
    rw_connect(state >= WAITING, state >= CONNECTED);
    if (state == GONE) {
        ck_assert_success(doca_rdma_connection_disconnect(rw.connection));
        while (doca_pe_progress(rw.pe))
            ;
    }
}

#define OF_A_REQUEST INVALID, INVALID, INVALID, INVALID, OK, INVALID, INVALID, INVALID

static const struct row connection_rows[] = {
    // exported, waiting, connected, gone, requested, accepted, established, rejected
    {"doca_rdma_connect", {OK, STATE, STATE, INVALID, STATE, STATE, STATE, INVALID}},
    {"doca_rdma_connection_accept", {OF_A_REQUEST}},
    {"doca_rdma_connection_reject", {OF_A_REQUEST}},
    {"doca_rdma_connection_disconnect", {INVALID, OK, OK, INVALID, INVALID, INVALID, OK, INVALID}},
    {"doca_rdma_connection_set_user_data", ANY(OK)},
    {"doca_rdma_connection_get_user_data", ANY(OK)},
    {"doca_rdma_connection_get_id", ANY(OK)},
    {"doca_rdma_connection_get_addr", {INVALID, INVALID, INVALID, INVALID, OK, OK, OK, INVALID}},
    {"doca_rdma_bridge_accept", ANY(UNSUPP)},
    {"doca_rdma_bridge_established", ANY(UNSUPP)},
};

GROUP(rdma_connections) = {
    .name = "RDMA connection",
    .states = {"exported", "waiting", "connected", "gone", "requested", "accepted", "established",
               "rejected"},
    ROWS(connection_rows),
    .probe = "doca_rdma_connection_disconnect",
    .enter = enter_connection,
    .leave = rw_leave,
    .argument = rw_argue,
    .lifetimes = rw_lifetimes,
};

// ---- addresses

static struct doca_rdma_addr *own;

static void enter_addr(unsigned state)
{
    rw_make(1);
    own = rw.addr;
    if (!state)
        return;
    rw_start();
    rw_listen();
    rw_call();
    ck_assert_success(doca_rdma_connection_get_addr(rw.connection, &rw.addr));
}

static void leave_addr(void)
{
    if (rw.addr)
        rw.addr = own;
    rw_leave();
}

static const struct row addr_rows[] = {
    // the program's, a connection's
    {"doca_rdma_addr_create", ANY(OK)},
    {"doca_rdma_addr_destroy", {OK, STATE}},
    {"doca_rdma_addr_get_params", ANY(OK)},
};

GROUP(rdma_addrs) = {
    .name = "RDMA address",
    .states = {"the program's", "a connection's"},
    ROWS(addr_rows),
    .probe = "doca_rdma_addr_destroy",
    .enter = enter_addr,
    .leave = leave_addr,
    .argument = rw_argue,
    .lifetimes = rw_lifetimes,
};

// ---- what programs with verbs of their own ask for

static void enter_bridge(unsigned state)
{
    (void)state;
    rw_make(1);
}

static enum given argue_bridge(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev") && !strstr(function, "_open_dev"))
        return GIVE(rw.dev);
    if (same(param, "pd") && strstr(function, "_open_dev"))
        return GIVE(NULL); // there is no other here
    if (same(param, "buf"))
        return GIVE(rw.local);
    if (same(param, "mmap"))
        return GIVE(rw.mmap);
    return GIVEN_NONE;
}

// Of software functions, which have no verbs.
static const struct row bridge_rows[] = {
    {"doca_rdma_bridge_get_dev_pd", {STATE}},
    {"doca_rdma_bridge_get_buf_mkey", {UNSUPP}},
    {"doca_rdma_bridge_get_mmap_mkey_from_pd", {FOUND}},
    {"doca_rdma_bridge_open_dev_from_pd", {INVALID}},
};

GROUP(rdma_bridges) = {
    .name = "RDMA bridge",
    .states = {"a software function's"},
    ROWS(bridge_rows),
    .enter = enter_bridge,
    .leave = rw_leave,
    .argument = argue_bridge,
};
