// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch of DOCA 3: servers and clients.

#include "comch_world_3.h"
#include "tables.h"

#include <string.h>

static char text[] = "what is sent";

// What functions of both ends have.
static enum given argue_end(const char *function, const char *param, uint64_t *value)
{
    bool of_client = strstr(function, "_client_");

    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(cw_sent);
    if (same(param, "recv_event_cb"))
        return GIVE(cw_on_message);
    if (same(param, "connect_event_cb") || same(param, "disconnect_event_cb"))
        return GIVE(cw_on_connect);
    if (same(param, "new_consumer_event_cb") || same(param, "expired_consumer_event_cb"))
        return GIVE(cw_on_consumer);
    if (same(param, "name"))
        return GIVE(COMCH_NAME "2");
    if (same(param, "msg"))
        return GIVE(text);
    if (same(param, "repr"))
        return GIVE(cw.rep);
    if (same(param, "dev") && strstr(function, "_create"))
        return of_client ? GIVE(cw.sf) : GIVE(cw.dev);
    if (same(param, "devinfo"))
        return of_client ? GIVE(doca_dev_as_devinfo(cw.sf)) : GIVE(doca_dev_as_devinfo(cw.dev));
    if (same(param, "counter_type"))
        return cw_number(value, DOCA_COMCH_COUNTER_SENT_BYTES);
    bool sets = strstr(function, "_set_") != NULL;
    if ((same(param, "size") && sets) || same(param, "num_send_tasks") || same(param, "len") ||
        same(param, "user_data"))
        return cw_number(value, 8);
    return GIVEN_NONE;
}

// ---- servers

enum { MADE, CONNECTED, RUNNING, SERVING, STOPPED };

static void enter_server(unsigned state)
{
    cw_make();
    if (state == SERVING) {
        cw_meet();
        return;
    }
    cw_make_server();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(cw.pe, cw_server_ctx()));
    if (state >= RUNNING)
        cw_start_server();
    if (state == STOPPED)
        ck_assert_success(doca_ctx_stop(cw_server_ctx()));
}

static enum given argue_server(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "comch_server"))
        return strstr(function, "_create") ? GIVEN_NONE : GIVE(cw.server);
    if (same(param, "connection") || same(param, "comch_connection") || same(param, "peer"))
        return GIVE_OBJECT(cw.of_server);
    return argue_end(function, param, value);
}

#define SETS        OK, OK, STATE, STATE, OK
#define OF_A_CLIENT ABSENT, ABSENT, ABSENT, OK, ABSENT

static const struct row server_rows[] = {
    // made, connected, running, serving, stopped
    {"doca_comch_server_create", ANY(OK)},
    {"doca_comch_server_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_comch_server_as_ctx", ANY(OK)},
    {"doca_comch_server_set_max_msg_size", {SETS}},
    {"doca_comch_server_get_max_msg_size", ANY(OK)},
    {"doca_comch_server_set_recv_queue_size", {SETS}},
    {"doca_comch_server_get_recv_queue_size", ANY(OK)},
    {"doca_comch_server_get_device", ANY(OK)},
    {"doca_comch_server_get_device_rep", ANY(OK)},
    {"doca_comch_server_disconnect", {OF_A_CLIENT}},
    {"doca_comch_server_task_send_set_conf", {SETS}},
    {"doca_comch_server_task_send_alloc_init", {OF_A_CLIENT}},
    {"doca_comch_server_event_msg_recv_register", {SETS}},
    {"doca_comch_server_event_connection_status_changed_register", {SETS}},
    {"doca_comch_server_event_consumer_register", {SETS}},
    {"doca_comch_server_get_server_ctx", {OF_A_CLIENT}},
    {"doca_comch_connection_set_user_data", {OF_A_CLIENT}},
    {"doca_comch_connection_get_user_data", {OF_A_CLIENT}},
    {"doca_comch_connection_update_info", {OF_A_CLIENT}},
    {"doca_comch_connection_get_counter", {OF_A_CLIENT}},
    {"doca_comch_cap_server_is_supported", ANY(OK)},
    {"doca_comch_cap_get_max_name_len", ANY(OK)},
    {"doca_comch_cap_get_max_msg_size", ANY(OK)},
    {"doca_comch_cap_get_max_recv_queue_size", ANY(OK)},
    {"doca_comch_cap_get_max_clients", ANY(OK)},
    {"doca_comch_cap_get_max_send_tasks", ANY(OK)},
};

GROUP(comch_servers) = {
    .name = "comch server",
    .states = {"made", "connected", "running", "serving", "stopped"},
    .on_dpu = 0x1f,
    ROWS(server_rows),
    .probe = "doca_comch_server_set_max_msg_size",
    .enter = enter_server,
    .leave = cw_leave,
    .argument = argue_server,
    LIFETIMES({"doca_comch_server_create", "doca_comch_server_destroy", &cw.server}),
};

// ---- clients

enum { SEEKING = RUNNING, TALKING, LEFT };

static void enter_client(unsigned state)
{
    cw_make();
    if (state >= TALKING) {
        cw_meet();
        if (state == LEFT)
            cw_stop(cw_client_ctx());
        else
            ck_assert_success(doca_comch_client_task_send_alloc_init(cw.client, cw.of_client, text,
                                                                     4, &cw.message));
        return;
    }
    cw_make_client();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(cw.pe, cw_client_ctx()));
    if (state == SEEKING)
        cw_start_client();
}

static enum given argue_client(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "comch_client"))
        return strstr(function, "_create") ? GIVEN_NONE : GIVE(cw.client);
    if (same(function, "doca_comch_client_get_connection"))
        return GIVEN_NONE;
    if (same(param, "connection") || same(param, "peer"))
        return GIVE_OBJECT(cw.of_client);
    if (same(function, "doca_comch_task_send_as_task"))
        return GIVE_OBJECT(cw.message);
    return argue_end(function, param, value);
}

static const struct row client_rows[] = {
    // made, connected, seeking, talking, left
    {"doca_comch_client_create", ANY(OK)},
    {"doca_comch_client_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_comch_client_as_ctx", ANY(OK)},
    {"doca_comch_client_set_max_msg_size", {SETS}},
    {"doca_comch_client_get_max_msg_size", ANY(OK)},
    {"doca_comch_client_set_recv_queue_size", {SETS}},
    {"doca_comch_client_get_recv_queue_size", ANY(OK)},
    {"doca_comch_client_get_device", ANY(OK)},
    {"doca_comch_client_get_connection", {STATE, STATE, STATE, OK, STATE}},
    {"doca_comch_client_task_send_set_conf", {SETS}},
    {"doca_comch_client_task_send_alloc_init", {ABSENT, ABSENT, ABSENT, OK, STATE}},
    {"doca_comch_task_send_as_task", {OF_A_CLIENT}},
    {"doca_comch_client_event_msg_recv_register", {SETS}},
    {"doca_comch_client_event_consumer_register", {SETS}},
    {"doca_comch_client_get_client_ctx", {ABSENT, ABSENT, ABSENT, OK, OK}},
    {"doca_comch_cap_client_is_supported", ANY(OK)},
};

GROUP(comch_clients) = {
    .name = "comch client",
    .states = {"made", "connected", "seeking", "talking", "left"},
    .on_dpu = 0x1f,
    ROWS(client_rows),
    .probe = "doca_comch_client_set_max_msg_size",
    .enter = enter_client,
    .leave = cw_leave,
    .argument = argue_client,
    LIFETIMES({"doca_comch_client_create", "doca_comch_client_destroy", &cw.client}),
};
