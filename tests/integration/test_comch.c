// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch: servers and clients on the two nodes, what they tell each other, and how they end. With
// descriptors between the nodes, and without.

#include "comch_end.h"
#include "nodes.h"

#include <string.h>

#define NAME    "echo"
#define LONGEST 4080u
#define TASKS   300u // more than fit on the way at once
#define CLIENTS 3u

// ---- a server or a client

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    free(task_data.ptr);
    end_over(task, task_data, ctx_data);
}

static void send_bytes(struct end *e, struct doca_comch_connection *to, const void *bytes,
                       uint32_t len)
{
    void *copy = malloc(len);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, len);
    struct doca_task *task = end_task(e, to, copy, len);
    doca_task_set_user_data(task, (union doca_data){.ptr = copy});
    OK(doca_task_submit(task));
    memset(copy, 0xff, len); // it is ours again, even if the task has to wait
}

// The server sends everything back. A client expects the numbers 0, 1, 2 in front of messages.
static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                       struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    unsigned number;
    ck_assert_ptr_nonnull(event);
    if (e->server) {
        union doca_data data = doca_comch_connection_get_user_data(from);
        data.u64++;
        OK(doca_comch_connection_set_user_data(from, data));
        send_bytes(e, from, bytes, len);
    } else {
        memcpy(&number, bytes, sizeof(number));
        ck_assert_uint_eq(number, e->got);
        ck_assert_uint_eq(len, number % 7 ? sizeof(number) : LONGEST);
    }
    e->got++;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert_uint_eq(doca_comch_connection_get_user_data(c).u64, 0);
    end_come(event, c, successful);
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *c, uint8_t successful)
{
    REFUSED(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(c));
    end_leave(event, c, successful);
}

#define SERVER(on_message)                                                                         \
    {                                                                                              \
        .name = NAME, .serves = true, .size = LONGEST, .queue = 10, .tasks = 2 * TASKS,            \
        .over = over, .hear = on_message, .come = on_connect, .leave = on_disconnect               \
    }

static const struct end_plan server_plan = SERVER(on_message);
static const struct end_plan client_plan = {
    .name = NAME, .size = LONGEST, .queue = 10, .tasks = TASKS, .over = over, .hear = on_message};

// ---- talking

static void serves(struct end *e)
{
    child_wait(e->self, "serve");
    OK(doca_ctx_start(e->ctx));
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_RUNNING);
    UNTIL(e, e->left == CLIENTS);
    ck_assert_uint_eq(e->came, CLIENTS);
    ck_assert_uint_eq(e->got, CLIENTS * TASKS);
    ck_assert_uint_eq(e->sent, CLIENTS * TASKS);
}

static void check_counters(struct doca_comch_connection *c)
{
    uint64_t value = 0, bytes = 0;
    OK(doca_comch_connection_update_info(c));
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value));
    ck_assert_uint_eq(value, TASKS);
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_RECV_MESSAGES, &value));
    ck_assert_uint_eq(value, TASKS);
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_SENT_BYTES, &bytes));
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
    ck_assert_uint_eq(value, bytes);
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_comch_connection_get_counter(c, (enum doca_comch_counter)9, &value));
}

static void talks(struct end *e)
{
    static uint8_t bytes[LONGEST];
    child_tell(e->self, "starts");
    struct doca_comch_connection *c = end_start_client(e);
    for (unsigned i = 0; i < TASKS; i++) {
        memcpy(bytes, &i, sizeof(i));
        send_bytes(e, c, bytes, i % 7 ? sizeof(i) : LONGEST);
    }
    struct doca_comch_task_send *more;
    REFUSED(DOCA_ERROR_NO_MEMORY,
            doca_comch_client_task_send_alloc_init(e->client, c, bytes, 1, &more));
    UNTIL(e, e->got == TASKS);
    UNTIL(e, e->sent == TASKS);
    check_counters(c);
}

// Clients come before their server, and find it.
START_TEST(clients_and_server_talk)
{
    struct child *client[CLIENTS];
    struct child *server = end_make_in(&server_plan, "server", serves);
    for (unsigned i = 0; i < CLIENTS; i++) {
        client[i] = end_make_in(&client_plan, "client", talks);
        child_wait(client[i], "starts");
    }
    child_tell(server, "serve");
    for (unsigned i = 0; i < CLIENTS; i++)
        child_join(client[i]);
    child_join(server);
}
END_TEST

// ---- ends

static void serves_until_gone(struct end *e)
{
    UNTIL(e, e->came == 1);
    // It ends when its client has gone.
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_STOPPING);
    REFUSED(DOCA_ERROR_IN_USE, doca_comch_server_destroy(e->server));
    child_tell(e->self, "stopping");
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->left, 1);
}

START_TEST(a_client_that_dies_is_a_disconnect)
{
    struct child *server = end_start_in(&server_plan, "server", serves_until_gone);
    struct child *client = end_start_in(&client_plan, "client", end_stay);
    child_wait(server, "stopping");
    child_kill(client);
    child_join(server);
}
END_TEST

static void serves_one(struct end *e)
{
    UNTIL(e, e->came == 1);
    end_stay(e);
}

static void outlives_server(struct end *e)
{
    struct doca_task *held = end_task(e, e->connection, "x", 1);
    child_tell(e->self, "connected");
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    doca_task_free(held);
    // It may try again, and be stopped while it does.
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
    for (int i = 0; i < 3; i++)
        end_sleep(e), doca_pe_progress(e->pe);
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_STARTING);
    OK(doca_ctx_stop(e->ctx));
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_IDLE);
}

START_TEST(a_server_that_dies_stops_its_clients)
{
    struct child *server = end_start_in(&server_plan, "server", serves_one);
    struct child *client = end_start_in(&client_plan, "client", outlives_server);
    child_wait(client, "connected");
    child_kill(server);
    child_join(client);
}
END_TEST

static bool has_client;

static void serves_until_deserted(struct end *e)
{
    if (has_client) {
        UNTIL(e, e->came == 1);
        child_tell(e->self, "connected");
        child_wait(e->self, "docad has gone");
        while (doca_pe_progress(e->pe))
            ;
        ck_assert_int_eq(e->state, DOCA_CTX_STATE_RUNNING); // its client has it
        child_tell(e->self, "still serving");
    }
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->left, has_client);
    OK(doca_ctx_stop(e->ctx));
}

// Without docad no client can come any more: the program is told when the last one has gone.
START_TEST(a_server_ends_that_nobody_can_reach)
{
    struct child *client = NULL;
    has_client = _i;
    struct child *server = end_start_in(&server_plan, "server", serves_until_deserted);
    if (has_client) {
        client = end_start_in(&client_plan, "client", end_stay);
        child_wait(server, "connected");
    }
    daemon_kill(nodes.dpu);
    if (has_client) {
        child_tell(server, "docad has gone");
        child_wait(server, "still serving");
        child_kill(client);
    }
    child_join(server);
    daemon_restart(nodes.dpu); // it clears up
}
END_TEST

static void turn_away(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                      struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    (void)event, (void)bytes, (void)len;
    e->got++;
    OK(doca_comch_server_disconnect(e->server, from));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(e->server, from));
    // A task for it fails, and nothing else does.
    send_bytes(e, from, "late", 4);
}

static void disconnects(struct end *e)
{
    UNTIL(e, e->left == 2 && e->failed == 2);
    ck_assert_int_eq(e->last, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_uint_eq(e->came, 2);
    ck_assert_uint_eq(e->got, 2);
}

static void is_disconnected(struct end *e)
{
    for (int i = 0; i < 2; i++) {
        send_bytes(e, end_start_client(e), "hello", 5);
        UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    }
}

START_TEST(a_server_disconnects)
{
    static const struct end_plan turns_away = SERVER(turn_away);
    struct child *server = end_start_in(&turns_away, "server", disconnects);
    child_join(end_make_in(&client_plan, "client", is_disconnected));
    child_join(server);
}
END_TEST

// ---- what is refused

static void refuses(struct end *e)
{
    struct doca_comch_client *none = NULL;
    struct doca_comch_task_send *task;
    char too_long[200];
    uint32_t n = 0;

    struct doca_devinfo *info = doca_dev_as_devinfo(e->dev);
    OK(doca_comch_cap_client_is_supported(info));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_server_is_supported(info));
    OK(doca_comch_cap_get_max_name_len(info, &n));
    memset(too_long, 'x', sizeof(too_long));
    too_long[n] = 0;
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(e->dev, too_long, &none));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(e->dev, "", &none));
    too_long[n - 1] = 0;
    OK(doca_comch_client_create(e->dev, too_long, &none));
    REFUSED(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_client_as_ctx(none)));
    OK(doca_pe_connect_ctx(e->pe, doca_comch_client_as_ctx(none)));
    // No function for messages.
    REFUSED(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_client_as_ctx(none)));
    OK(doca_comch_client_destroy(none));
    OK(doca_comch_cap_get_max_msg_size(info, &n));
    ck_assert_uint_ge(n, LONGEST);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(e->client, n + 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(e->client, 0));
    OK(doca_comch_client_get_recv_queue_size(e->client, &n));
    ck_assert_uint_eq(n, 10);
    OK(doca_comch_client_set_max_msg_size(e->client, 8));
    struct doca_comch_connection *c = end_start_client(e);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_comch_client_set_max_msg_size(e->client, 9));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_comch_client_task_send_alloc_init(e->client, c, "123456789", 9, &task));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_comch_client_task_send_alloc_init(e->client, c, "", 0, &task));
    REFUSED(DOCA_ERROR_IN_USE, doca_comch_client_destroy(e->client));
}

static void server_refuses(struct end *e)
{
    struct doca_comch_server *second;
    struct doca_comch_client *client;

    struct doca_devinfo *info = doca_dev_as_devinfo(e->dev);
    OK(doca_comch_cap_server_is_supported(info));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(info));
    REFUSED(DOCA_ERROR_INITIALIZATION, doca_comch_client_create(e->dev, NAME, &client));
    OK(doca_ctx_start(e->ctx));
    // The name is taken.
    OK(doca_comch_server_create(e->dev, e->rep, NAME, &second));
    OK(doca_comch_server_event_msg_recv_register(second, on_message));
    OK(doca_pe_connect_ctx(e->pe, doca_comch_server_as_ctx(second)));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(doca_comch_server_as_ctx(second)));
    OK(doca_comch_server_destroy(second));
    child_tell(e->self, "serving");
    UNTIL(e, e->left == 1);
}

START_TEST(wrong_values_are_refused)
{
    struct child *server = end_make_in(&server_plan, "server", server_refuses);
    child_wait(server, "serving");
    child_join(end_make_in(&client_plan, "client", refuses));
    child_join(server);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch");
    TCase *near = case_near_shared(suite), *apart = case_apart_shared(suite);
    tcase_add_test(near, clients_and_server_talk);
    tcase_add_test(near, a_client_that_dies_is_a_disconnect);
    tcase_add_test(near, a_server_that_dies_stops_its_clients);
    tcase_add_test(near, a_server_disconnects);
    tcase_add_test(near, wrong_values_are_refused);
    // Over a link without descriptors, where docad relays.
    tcase_add_test(apart, clients_and_server_talk);
    tcase_add_test(apart, a_client_that_dies_is_a_disconnect);
    tcase_add_test(apart, a_server_that_dies_stops_its_clients);
    tcase_add_test(apart, a_server_disconnects);
    tcase_add_loop_test(case_near(suite), a_server_ends_that_nobody_can_reach, 0, 2);
    return run_suite(suite);
}
