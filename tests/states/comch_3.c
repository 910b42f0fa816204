// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch of DOCA 3: servers and clients. A DPU's own SF lets both ends be in
// one process.

#include "doca_3.h"

#include "client.h"
#include "deadline.h"

#include <check.h>
#include <doca_comch.h>
#include <doca_pe.h>
#include <string.h>

#define NAME "states"

static struct {
    struct doca_dev *dev, *sf;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_comch_connection *of_server, *of_client;
    struct doca_comch_task_send *message;
} w;

static char text[] = "what is sent";

// ---- callbacks -------------------------------------------------------------------------------

static void sent(struct doca_comch_task_send *task, union doca_data data, union doca_data ctx_data)
{
    (void)task, (void)data, (void)ctx_data;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                       struct doca_comch_connection *c)
{
    (void)event, (void)bytes, (void)len, (void)c;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)successful;
    w.of_server = c;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)c, (void)successful;
    w.of_server = NULL;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                        uint32_t id)
{
    (void)event, (void)c, (void)id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                       uint32_t id)
{
    (void)event, (void)c, (void)id;
}

// ---- ends --------------------------------------------------------------------------------------

#define UNTIL(condition)                                                                           \
    do {                                                                                           \
        int64_t deadline = deadline_in(HARNESS_LIMIT_MS);                                          \
        while (!(condition)) {                                                                     \
            ck_assert_msg(now_ms() < deadline, "never: " #condition);                              \
            (void)doca_pe_progress(w.pe);                                                          \
        }                                                                                          \
    } while (0)

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(ctx, &state));
    return state;
}

static void stop(struct doca_ctx *ctx)
{
    (void)doca_ctx_stop(ctx);
    UNTIL(state_of(ctx) == DOCA_CTX_STATE_IDLE);
}

static struct doca_dev *open_sf(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint32_t n;
    ck_assert_success(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_devinfo_get_iface_name(list[i], name, sizeof(name)) == DOCA_SUCCESS &&
            same(name, "p0s0"))
            ck_assert_success(doca_dev_open(list[i], &dev));
    ck_assert_success(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

// That of the SF, which has the address of its PF.
static struct doca_dev_rep *open_rep(void)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;
    ck_assert_success(doca_devinfo_rep_create_list(w.dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal = 0;
        ck_assert_success(doca_devinfo_rep_is_equal_pci_addr(list[i], DPU_P0, &equal));
        if (equal)
            ck_assert_success(doca_dev_rep_open(list[i], &rep));
    }
    ck_assert_success(doca_devinfo_rep_destroy_list(list));
    ck_assert_ptr_nonnull(rep);
    return rep;
}

static struct doca_ctx *server_ctx(void)
{
    return doca_comch_server_as_ctx(w.server);
}

static struct doca_ctx *client_ctx(void)
{
    return doca_comch_client_as_ctx(w.client);
}

static void make(void)
{
    memset(&w, 0, sizeof(w));
    w.dev = client_open(DPU_P0);
    w.sf = open_sf();
    w.rep = open_rep();
    ck_assert_success(doca_pe_create(&w.pe));
}

static void make_server(void)
{
    ck_assert_success(doca_comch_server_create(w.dev, w.rep, NAME, &w.server));
    ck_assert_success(doca_comch_server_task_send_set_conf(w.server, sent, sent, 8));
    ck_assert_success(doca_comch_server_event_msg_recv_register(w.server, on_message));
    ck_assert_success(doca_comch_server_event_connection_status_changed_register(
        w.server, on_connect, on_disconnect));
    ck_assert_success(doca_comch_server_event_consumer_register(w.server, on_consumer, on_expired));
}

static void make_client(void)
{
    ck_assert_success(doca_comch_client_create(w.sf, NAME, &w.client));
    ck_assert_success(doca_comch_client_task_send_set_conf(w.client, sent, sent, 8));
    ck_assert_success(doca_comch_client_event_msg_recv_register(w.client, on_message));
}

static void start_server(void)
{
    ck_assert_success(doca_pe_connect_ctx(w.pe, server_ctx()));
    ck_assert_success(doca_ctx_start(server_ctx()));
}

static void start_client(void)
{
    ck_assert_success(doca_pe_connect_ctx(w.pe, client_ctx()));
    ck_assert_error(doca_ctx_start(client_ctx()), DOCA_ERROR_IN_PROGRESS);
}

static void meet(void)
{
    make_server();
    make_client();
    start_server();
    start_client();
    UNTIL(w.of_server && state_of(client_ctx()) == DOCA_CTX_STATE_RUNNING);
    ck_assert_success(doca_comch_client_get_connection(w.client, &w.of_client));
}

static void end_client(void)
{
    if (!w.client)
        return;
    if (state_of(client_ctx()) != DOCA_CTX_STATE_IDLE)
        stop(client_ctx());
    ck_assert_success(doca_comch_client_destroy(w.client));
    w.client = NULL;
}

static void end_server(void)
{
    if (!w.server)
        return;
    if (state_of(server_ctx()) != DOCA_CTX_STATE_IDLE)
        stop(server_ctx());
    ck_assert_success(doca_comch_server_destroy(w.server));
    w.server = NULL;
}

static void leave(void)
{
    end_client();
    end_server();
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_dev_rep_close(w.rep));
    ck_assert_success(doca_dev_close(w.sf));
    ck_assert_success(doca_dev_close(w.dev));
}

static enum given number(uint64_t *value, uint64_t n)
{
    *value = n;
    return GIVEN;
}

// What functions of both ends have.
static enum given argue_end(const char *function, const char *param, uint64_t *value)
{
    bool of_client = strstr(function, "_client_");

    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(sent);
    if (same(param, "recv_event_cb"))
        return GIVE(on_message);
    if (same(param, "connect_event_cb") || same(param, "disconnect_event_cb"))
        return GIVE(on_connect);
    if (same(param, "new_consumer_event_cb") || same(param, "expired_consumer_event_cb"))
        return GIVE(on_consumer);
    if (same(param, "name"))
        return GIVE(NAME "2");
    if (same(param, "msg"))
        return GIVE(text);
    if (same(param, "repr"))
        return GIVE(w.rep);
    if (same(param, "dev") && strstr(function, "_create"))
        return of_client ? GIVE(w.sf) : GIVE(w.dev);
    if (same(param, "devinfo"))
        return of_client ? GIVE(doca_dev_as_devinfo(w.sf)) : GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "counter_type"))
        return number(value, DOCA_COMCH_COUNTER_SENT_BYTES);
    bool sets = strstr(function, "_set_") != NULL;
    if ((same(param, "size") && sets) || same(param, "num_send_tasks") || same(param, "len") ||
        same(param, "user_data"))
        return number(value, 8);
    return GIVEN_NONE;
}

#define FIVE(code)                                                                                 \
    {                                                                                              \
        code, code, code, code, code                                                               \
    }

// ---- servers -----------------------------------------------------------------------------------

enum { MADE, CONNECTED, RUNNING, SERVING, STOPPED };

static void enter_server(unsigned state)
{
    make();
    if (state == SERVING) {
        meet();
        return;
    }
    make_server();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, server_ctx()));
    if (state >= RUNNING)
        start_server();
    if (state == STOPPED)
        ck_assert_success(doca_ctx_stop(server_ctx()));
}

static enum given argue_server(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "comch_server"))
        return strstr(function, "_create") ? GIVEN_NONE : GIVE(w.server);
    if (same(param, "connection") || same(param, "comch_connection") || same(param, "peer"))
        return GIVE_OBJECT(w.of_server);
    return argue_end(function, param, value);
}

static void server_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_comch_server_create"))
        ck_assert_success(doca_comch_server_destroy(*(struct doca_comch_server **)(uintptr_t)a[3]));
    else if (same(function, "doca_comch_server_destroy"))
        w.server = NULL;
}

#define SETS                                                                                       \
    {                                                                                              \
        OK, OK, STATE, STATE, OK                                                                   \
    }
#define OF_A_CLIENT                                                                                \
    {                                                                                              \
        ABSENT, ABSENT, ABSENT, OK, ABSENT                                                         \
    }

static const struct row server_rows[] = {
    // made, connected, running, serving, stopped
    {"doca_comch_server_create", FIVE(OK), NULL},
    {"doca_comch_server_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_comch_server_as_ctx", FIVE(OK), NULL},
    {"doca_comch_server_set_max_msg_size", SETS, NULL},
    {"doca_comch_server_get_max_msg_size", FIVE(OK), NULL},
    {"doca_comch_server_set_recv_queue_size", SETS, NULL},
    {"doca_comch_server_get_recv_queue_size", FIVE(OK), NULL},
    {"doca_comch_server_get_device", FIVE(OK), NULL},
    {"doca_comch_server_get_device_rep", FIVE(OK), NULL},
    {"doca_comch_server_disconnect", OF_A_CLIENT, NULL},
    {"doca_comch_server_task_send_set_conf", SETS, NULL},
    {"doca_comch_server_task_send_alloc_init", OF_A_CLIENT, NULL},
    {"doca_comch_server_event_msg_recv_register", SETS, NULL},
    {"doca_comch_server_event_connection_status_changed_register", SETS, NULL},
    {"doca_comch_server_event_consumer_register", SETS, NULL},
    {"doca_comch_server_get_server_ctx", OF_A_CLIENT, NULL},
    {"doca_comch_connection_set_user_data", OF_A_CLIENT, NULL},
    {"doca_comch_connection_get_user_data", OF_A_CLIENT, NULL},
    {"doca_comch_connection_update_info", OF_A_CLIENT, NULL},
    {"doca_comch_connection_get_counter", OF_A_CLIENT, NULL},
    {"doca_comch_cap_server_is_supported", FIVE(OK), NULL},
    {"doca_comch_cap_get_max_name_len", FIVE(OK), NULL},
    {"doca_comch_cap_get_max_msg_size", FIVE(OK), NULL},
    {"doca_comch_cap_get_max_recv_queue_size", FIVE(OK), NULL},
    {"doca_comch_cap_get_max_clients", FIVE(OK), NULL},
    {"doca_comch_cap_get_max_send_tasks", FIVE(OK), NULL},
};

const struct group group_comch_servers_3 = {
    .name = "comch server",
    .states = {"made", "connected", "running", "serving", "stopped"},
    .on_dpu = 0x1f,
    .rows = server_rows,
    .n_rows = sizeof(server_rows) / sizeof(server_rows[0]),
    .probe = "doca_comch_server_set_max_msg_size",
    .enter = enter_server,
    .leave = leave,
    .argument = argue_server,
    .succeeded = server_succeeded,
};

// ---- clients -----------------------------------------------------------------------------------

enum { SEEKING = RUNNING, TALKING, LEFT };

static void enter_client(unsigned state)
{
    make();
    if (state >= TALKING) {
        meet();
        if (state == LEFT)
            stop(client_ctx());
        else
            ck_assert_success(
                doca_comch_client_task_send_alloc_init(w.client, w.of_client, text, 4, &w.message));
        return;
    }
    make_client();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, client_ctx()));
    if (state == SEEKING)
        start_client();
}

static enum given argue_client(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "comch_client"))
        return strstr(function, "_create") ? GIVEN_NONE : GIVE(w.client);
    if (same(function, "doca_comch_client_get_connection"))
        return GIVEN_NONE;
    if (same(param, "connection") || same(param, "peer"))
        return GIVE_OBJECT(w.of_client);
    if (same(function, "doca_comch_task_send_as_task"))
        return GIVE_OBJECT(w.message);
    return argue_end(function, param, value);
}

static void client_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_comch_client_create"))
        ck_assert_success(doca_comch_client_destroy(*(struct doca_comch_client **)(uintptr_t)a[2]));
    else if (same(function, "doca_comch_client_destroy"))
        w.client = NULL;
}

static const struct row client_rows[] = {
    // made, connected, seeking, talking, left
    {"doca_comch_client_create", FIVE(OK), NULL},
    {"doca_comch_client_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_comch_client_as_ctx", FIVE(OK), NULL},
    {"doca_comch_client_set_max_msg_size", SETS, NULL},
    {"doca_comch_client_get_max_msg_size", FIVE(OK), NULL},
    {"doca_comch_client_set_recv_queue_size", SETS, NULL},
    {"doca_comch_client_get_recv_queue_size", FIVE(OK), NULL},
    {"doca_comch_client_get_device", FIVE(OK), NULL},
    {"doca_comch_client_get_connection", {STATE, STATE, STATE, OK, STATE}, NULL},
    {"doca_comch_client_task_send_set_conf", SETS, NULL},
    {"doca_comch_client_task_send_alloc_init", {ABSENT, ABSENT, ABSENT, OK, STATE}, NULL},
    {"doca_comch_task_send_as_task", OF_A_CLIENT, NULL},
    {"doca_comch_client_event_msg_recv_register", SETS, NULL},
    {"doca_comch_client_event_consumer_register", SETS, NULL},
    {"doca_comch_client_get_client_ctx", {ABSENT, ABSENT, ABSENT, OK, OK}, NULL},
    {"doca_comch_cap_client_is_supported", FIVE(OK), NULL},
};

const struct group group_comch_clients_3 = {
    .name = "comch client",
    .states = {"made", "connected", "seeking", "talking", "left"},
    .on_dpu = 0x1f,
    .rows = client_rows,
    .n_rows = sizeof(client_rows) / sizeof(client_rows[0]),
    .probe = "doca_comch_client_set_max_msg_size",
    .enter = enter_client,
    .leave = leave,
    .argument = argue_client,
    .succeeded = client_succeeded,
};
