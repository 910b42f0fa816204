// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lives of programs of DOCA 3: an RDMA connection by address, an event that RDMA tasks of the
// other side change, and a connection of Comch.

#include "fault_lives.h"

#include "deadline.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#include <arpa/inet.h>
#include <check.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"
#define PORT     13579
#define SERVICE  "faults3"
#define LIMIT_MS 20000

#define DO(call)                                                                                   \
    do {                                                                                           \
        if ((call) != DOCA_SUCCESS)                                                                \
            return false;                                                                          \
    } while (0)

// All that a side of any life has.
struct side {
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_ctx *ctx; // of one of these three:
    struct doca_rdma *rdma;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    enum doca_ctx_states state;
    struct doca_rdma_connection *connection;
    struct doca_sync_event *event;
    struct doca_sync_event_remote_net *remote;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    bool event_started, posted;
    unsigned established, refused, disconnected, received, done, failed;
};

static uint64_t words_in_map[512]; // a page, where the linker likes

static void *side_new(void)
{
    static struct side side;
    memset(&side, 0, sizeof(side));
    return &side;
}

// Progresses until the condition is true.
// A client of Comch tries so often, and once in less than this.
#define TRIES  20
#define TRY_MS 250

#define UNTIL(s, condition)                                                                        \
    do {                                                                                           \
        int64_t deadline_ = deadline_in(LIMIT_MS);                                                 \
        while (!(condition)) {                                                                     \
            ck_assert_msg(now_ms() < deadline_, "for ever not: %s", #condition);                   \
            if (!doca_pe_progress((s)->pe))                                                        \
                sched_yield();                                                                     \
        }                                                                                          \
    } while (0)

static void drop(struct doca_buf *buf)
{
    if (buf)
        doca_buf_dec_refcount(buf, NULL);
}

static void end_context(struct side *s)
{
    if (s->state != DOCA_CTX_STATE_IDLE && s->state != DOCA_CTX_STATE_STOPPING)
        (void)doca_ctx_stop(s->ctx);
    if (s->state != DOCA_CTX_STATE_IDLE)
        UNTIL(s, s->state == DOCA_CTX_STATE_IDLE);
    drop(s->from);
    drop(s->to);
    if (s->rdma)
        ck_assert_int_eq(doca_rdma_destroy(s->rdma), DOCA_SUCCESS);
    if (s->server)
        ck_assert_int_eq(doca_comch_server_destroy(s->server), DOCA_SUCCESS);
    if (s->client)
        ck_assert_int_eq(doca_comch_client_destroy(s->client), DOCA_SUCCESS);
    if (s->pe)
        ck_assert_int_eq(doca_pe_destroy(s->pe), DOCA_SUCCESS);
}

static void side_end(void *side)
{
    struct side *s = side;

    end_context(s);
    if (s->remote)
        doca_sync_event_remote_net_destroy(s->remote);
    if (s->event_started)
        doca_sync_event_stop(s->event);
    if (s->event)
        doca_sync_event_destroy(s->event);
    if (s->inventory)
        doca_buf_inventory_destroy(s->inventory);
    if (s->map)
        doca_mmap_destroy(s->map);
    if (s->rep)
        doca_dev_rep_close(s->rep);
    if (s->dev)
        doca_dev_close(s->dev);
}

// ---- steps ------------------------------------------------------------------------------------

static bool open_dev(struct side *s, const char *pci)
{
    struct doca_devinfo **list;
    uint32_t n;
    uint8_t equal;
    doca_error_t r = DOCA_ERROR_NOT_FOUND;

    DO(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && r == DOCA_ERROR_NOT_FOUND; i++)
        if (doca_devinfo_is_equal_pci_addr(list[i], pci, &equal) == DOCA_SUCCESS && equal)
            r = doca_dev_open(list[i], &s->dev);
    doca_devinfo_destroy_list(list);
    return r == DOCA_SUCCESS;
}

static bool open_rep(struct side *s, const char *pci)
{
    struct doca_devinfo_rep **list;
    uint32_t n;
    uint8_t equal;
    doca_error_t r = DOCA_ERROR_NOT_FOUND;

    DO(doca_devinfo_rep_create_list(s->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
    for (uint32_t i = 0; i < n && r == DOCA_ERROR_NOT_FOUND; i++)
        if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci, &equal) == DOCA_SUCCESS && equal)
            r = doca_dev_rep_open(list[i], &s->rep);
    doca_devinfo_rep_destroy_list(list);
    return r == DOCA_SUCCESS;
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                     enum doca_ctx_states next)
{
    struct side *s = data.ptr;
    (void)ctx, (void)prev;
    s->state = next;
}

static bool connect_engine(struct side *s, struct doca_ctx *ctx)
{
    s->ctx = ctx;
    DO(doca_pe_create(&s->pe));
    DO(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = s}));
    DO(doca_ctx_set_state_changed_cb(ctx, on_state));
    DO(doca_pe_connect_ctx(s->pe, ctx));
    return true;
}

static bool open_memory(struct side *s)
{
    DO(doca_mmap_create(&s->map));
    DO(doca_mmap_set_memrange(s->map, words_in_map, sizeof(words_in_map)));
    DO(doca_mmap_set_permissions(s->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    DO(doca_mmap_add_dev(s->map, s->dev));
    DO(doca_mmap_start(s->map));
    DO(doca_buf_inventory_create(2, &s->inventory));
    DO(doca_buf_inventory_start(s->inventory));
    DO(doca_buf_inventory_buf_get_by_data(s->inventory, s->map, words_in_map, 8, &s->from));
    DO(doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, words_in_map + 8, 8, &s->to));
    return true;
}

// Every task counts in its context's side, and is freed.
static void ended(struct side *s, struct doca_task *task, unsigned *counter)
{
    *(doca_task_get_status(task) == DOCA_SUCCESS ? counter : &s->failed) += 1;
    doca_task_free(task);
}

#define ENDS(name, counter)                                                                        \
    static void name##_over(struct doca_rdma_task_##name *task, union doca_data task_data,         \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        struct side *s = ctx_data.ptr;                                                             \
        (void)task_data;                                                                           \
        ended(s, doca_rdma_task_##name##_as_task(task), &s->counter);                              \
    }

ENDS(send, done)
ENDS(remote_net_sync_event_get, done)
ENDS(remote_net_sync_event_notify_set, done)
ENDS(remote_net_sync_event_notify_add, done)

static void receive_over(struct doca_rdma_task_receive *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    struct side *s = ctx_data.ptr;
    (void)task_data;
    s->posted = false;
    ended(s, doca_rdma_task_receive_as_task(task), &s->received);
}

static bool open_rdma(struct side *s, const char *pci)
{
    if (!open_dev(s, pci))
        return false;
    DO(doca_rdma_create(s->dev, &s->rdma));
    if (!connect_engine(s, doca_rdma_as_ctx(s->rdma)))
        return false;
    DO(doca_rdma_set_permissions(s->rdma, DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_ATOMIC));
    return true;
}

static void note(struct words *out, const void *bytes, size_t length)
{
    ck_assert_uint_le(out->length + 2 + length, sizeof(out->bytes));
    out->bytes[out->length] = (uint8_t)(length >> 8);
    out->bytes[out->length + 1] = (uint8_t)length;
    memcpy(out->bytes + out->length + 2, bytes, length);
    out->length += 2 + length;
}

// The next part of what the other side has noted.
static const uint8_t *noted(const struct words *in, size_t *at, size_t *length)
{
    const uint8_t *part = in->bytes + *at + 2;
    *length = (size_t)in->bytes[*at] << 8 | in->bytes[*at + 1];
    *at += 2 + *length;
    ck_assert_uint_le(*at, in->length);
    return part;
}

// ---- an RDMA connection by address ------------------------------------------------------------

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_data)
{
    (void)ctx_data;
    if (doca_rdma_connection_accept(connection, NULL, 0) != DOCA_SUCCESS)
        (void)doca_rdma_connection_reject(connection);
}

static void on_established(struct doca_rdma_connection *connection, union doca_data data,
                           union doca_data ctx_data)
{
    struct side *s = ctx_data.ptr;
    (void)data;
    s->connection = connection;
    s->established++;
}

static void on_failure(struct doca_rdma_connection *connection, union doca_data data,
                       union doca_data ctx_data)
{
    struct side *s = ctx_data.ptr;
    (void)connection, (void)data;
    s->refused++;
}

static void on_disconnect(struct doca_rdma_connection *connection, union doca_data data,
                          union doca_data ctx_data)
{
    struct side *s = ctx_data.ptr;
    (void)data;
    s->disconnected++;
    (void)doca_rdma_connection_disconnect(connection);
}

static bool address_open(struct side *s, const char *pci)
{
    if (!open_rdma(s, pci))
        return false;
    DO(doca_rdma_set_connection_state_callbacks(s->rdma, on_request, on_established, on_failure,
                                                on_disconnect));
    DO(doca_rdma_task_send_set_conf(s->rdma, send_over, send_over, 1));
    DO(doca_rdma_task_receive_set_conf(s->rdma, receive_over, receive_over, 1));
    DO(doca_ctx_start(s->ctx));
    return true;
}

static bool address_offer(void *side, struct words *out)
{
    struct side *s = side;
    if (!address_open(s, HOST_PF0))
        return false;
    DO(doca_rdma_start_listen_to_port(s->rdma, PORT));
    out->length = 1;
    return true;
}

static bool address_take(void *side, const struct words *in, struct words *out)
{
    (void)in, (void)out;
    return address_open(side, DPU_P0);
}

static bool address_serve(void *side)
{
    struct side *s = side;
    struct doca_rdma_task_receive *task;

    if (!s->posted && doca_rdma_task_receive_allocate_init(s->rdma, NULL, (union doca_data){0},
                                                           &task) == DOCA_SUCCESS) {
        s->posted = doca_task_submit(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS;
        if (!s->posted)
            doca_task_free(doca_rdma_task_receive_as_task(task));
    }
    if (!doca_pe_progress(s->pe))
        sched_yield();
    return true;
}

static bool call_first(struct side *s)
{
    struct doca_rdma_addr *addr;
    DO(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &addr));
    doca_error_t r = doca_rdma_connect_to_addr(s->rdma, addr, (union doca_data){0});
    doca_rdma_addr_destroy(addr);
    return r == DOCA_SUCCESS;
}

static bool submit(struct side *s, struct doca_task *task)
{
    unsigned over = s->done + s->failed;
    if (doca_task_submit(task) != DOCA_SUCCESS) {
        doca_task_free(task);
        return false;
    }
    UNTIL(s, s->done + s->failed > over);
    return s->failed == 0;
}

static bool address_use(void *side)
{
    struct side *s = side;
    struct doca_rdma_task_send *task;

    if (!call_first(s))
        return false;
    UNTIL(s, s->established || s->refused);
    if (!s->established)
        return false;
    DO(doca_rdma_task_send_allocate_init(s->rdma, s->connection, NULL, (union doca_data){0},
                                         &task));
    if (!submit(s, doca_rdma_task_send_as_task(task)))
        return false;
    if (!s->disconnected)
        DO(doca_rdma_connection_disconnect(s->connection));
    UNTIL(s, s->disconnected);
    return true;
}

// ---- an event across a network ----------------------------------------------------------------

static bool net_open(struct side *s, const char *pci, struct words *out)
{
    const void *details;
    size_t length;

    if (!open_rdma(s, pci))
        return false;
    DO(doca_rdma_task_remote_net_sync_event_get_set_conf(s->rdma, remote_net_sync_event_get_over,
                                                         remote_net_sync_event_get_over, 1));
    DO(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
        s->rdma, remote_net_sync_event_notify_set_over, remote_net_sync_event_notify_set_over, 1));
    DO(doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
        s->rdma, remote_net_sync_event_notify_add_over, remote_net_sync_event_notify_add_over, 1));
    DO(doca_ctx_start(s->ctx));
    DO(doca_rdma_export(s->rdma, &details, &length, &s->connection));
    out->length = 0;
    note(out, details, length);
    return true;
}

static bool net_offer(void *side, struct words *out)
{
    struct side *s = side;
    const uint8_t *desc;
    size_t length;

    if (!net_open(s, HOST_PF0, out))
        return false;
    DO(doca_sync_event_create(&s->event));
    DO(doca_sync_event_add_publisher_location_remote_net(s->event));
    DO(doca_sync_event_add_subscriber_location_cpu(s->event, s->dev));
    DO(doca_sync_event_start(s->event));
    s->event_started = true;
    DO(doca_sync_event_export_to_remote_net(s->event, &desc, &length));
    note(out, desc, length);
    return true;
}

static bool net_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;
    size_t at = 0, length;

    if (!net_open(s, DPU_P0, out) || !open_memory(s))
        return false;
    const uint8_t *part = noted(in, &at, &length);
    DO(doca_rdma_connect(s->rdma, part, length, s->connection));
    part = noted(in, &at, &length);
    DO(doca_sync_event_remote_net_create_from_export(s->dev, part, length, &s->remote));
    return true;
}

static bool net_join(void *side, const struct words *in)
{
    struct side *s = side;
    size_t at = 0, length;
    const uint8_t *part = noted(in, &at, &length);
    DO(doca_rdma_connect(s->rdma, part, length, s->connection));
    return true;
}

static bool net_serve(void *side)
{
    struct side *s = side;
    if (!doca_pe_progress(s->pe))
        sched_yield();
    return true;
}

static bool net_set_and_add(struct side *s)
{
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    struct doca_rdma_task_remote_net_sync_event_notify_add *add;
    union doca_data none = {0};

    words_in_map[0] = 40;
    DO(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        s->rdma, s->connection, s->remote, s->from, none, &set));
    if (!submit(s, doca_rdma_task_remote_net_sync_event_notify_set_as_task(set)))
        return false;
    DO(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
        s->rdma, s->connection, s->remote, s->to, 2, none, &add));
    return submit(s, doca_rdma_task_remote_net_sync_event_notify_add_as_task(add));
}

static bool net_use(void *side)
{
    struct side *s = side;
    struct doca_rdma_task_remote_net_sync_event_get *get;

    if (!net_set_and_add(s))
        return false;
    ck_assert_uint_eq(words_in_map[8], 40);
    DO(doca_buf_reset_data_len(s->to));
    DO(doca_rdma_task_remote_net_sync_event_get_allocate_init(s->rdma, s->connection, s->remote,
                                                              s->to, (union doca_data){0}, &get));
    if (!submit(s, doca_rdma_task_remote_net_sync_event_get_as_task(get)))
        return false;
    ck_assert_uint_eq(words_in_map[8], 42);
    return true;
}

// ---- a connection of Comch --------------------------------------------------------------------

static void message_over(struct doca_comch_task_send *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    struct side *s = ctx_data.ptr;
    (void)task_data;
    ended(s, doca_comch_task_send_as_task(task), &s->done);
}

static struct side *side_of(struct doca_ctx *ctx)
{
    union doca_data data;
    ck_assert_int_eq(doca_ctx_get_user_data(ctx, &data), DOCA_SUCCESS);
    return data.ptr;
}

static bool send_back(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
    struct doca_comch_task_send *task;
    DO(doca_comch_server_task_send_alloc_init(server, connection, "back", 4, &task));
    if (doca_task_submit(doca_comch_task_send_as_task(task)) == DOCA_SUCCESS)
        return true;
    doca_task_free(doca_comch_task_send_as_task(task));
    return false;
}

// A client that gets no answer at least learns that it will not.
static void on_question(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
                        struct doca_comch_connection *connection)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
    (void)event;
    ck_assert(length == 3 && memcmp(bytes, "ask", 3) == 0);
    if (!send_back(server, connection))
        (void)doca_comch_server_disconnect(server, connection);
}

static void on_answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
                      struct doca_comch_connection *connection)
{
    struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
    (void)event;
    ck_assert(length == 4 && memcmp(bytes, "back", 4) == 0);
    side_of(doca_comch_client_as_ctx(client))->received++;
}

static void on_status(struct doca_comch_event_connection_status_changed *event,
                      struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event, (void)connection, (void)successful;
}

static bool comch_offer(void *side, struct words *out)
{
    struct side *s = side;

    if (!open_dev(s, DPU_P0) || !open_rep(s, HOST_PF0))
        return false;
    DO(doca_comch_server_create(s->dev, s->rep, SERVICE, &s->server));
    if (!connect_engine(s, doca_comch_server_as_ctx(s->server)))
        return false;
    DO(doca_comch_server_task_send_set_conf(s->server, message_over, message_over, 2));
    DO(doca_comch_server_event_msg_recv_register(s->server, on_question));
    DO(doca_comch_server_event_connection_status_changed_register(s->server, on_status, on_status));
    DO(doca_ctx_start(s->ctx));
    out->length = 1;
    return true;
}

static bool comch_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;

    (void)in, (void)out;
    if (!open_dev(s, HOST_PF0))
        return false;
    DO(doca_comch_client_create(s->dev, SERVICE, &s->client));
    if (!connect_engine(s, doca_comch_client_as_ctx(s->client)))
        return false;
    DO(doca_comch_client_task_send_set_conf(s->client, message_over, message_over, 1));
    DO(doca_comch_client_event_msg_recv_register(s->client, on_answer));
    return doca_ctx_start(s->ctx) == DOCA_ERROR_IN_PROGRESS;
}

static bool comch_serve(void *side)
{
    struct side *s = side;
    if (!doca_pe_progress(s->pe))
        sched_yield();
    return s->state == DOCA_CTX_STATE_RUNNING;
}

// Sleeps until the client tries again, at the latest.
static void sleep_once(struct side *s)
{
    doca_notification_handle_t handle;

    if (doca_pe_get_notification_handle(s->pe, &handle) != DOCA_SUCCESS ||
        doca_pe_request_notification(s->pe) != DOCA_SUCCESS)
        return;
    struct pollfd sleeper = {.fd = handle, .events = POLLIN};
    (void)poll(&sleeper, 1, TRY_MS);
    (void)doca_pe_clear_notification(s->pe, 0);
}

static bool comch_use(void *side)
{
    struct side *s = side;
    struct doca_comch_connection *connection;
    struct doca_comch_task_send *task;

    // A client waits for a server, and for room in a docad, as long as it likes.
    for (int tries = 0; tries < TRIES && s->state == DOCA_CTX_STATE_STARTING; tries++) {
        if (*fault_first_is_over)
            break;
        sleep_once(s);
        while (doca_pe_progress(s->pe))
            ;
    }
    if (s->state != DOCA_CTX_STATE_RUNNING)
        return false;
    DO(doca_comch_client_get_connection(s->client, &connection));
    DO(doca_comch_client_task_send_alloc_init(s->client, connection, "ask", 3, &task));
    if (!submit(s, doca_comch_task_send_as_task(task)))
        return false;
    UNTIL(s, s->received || s->state != DOCA_CTX_STATE_RUNNING);
    return s->received > 0;
}

const struct life fault_life_address = {"RDMA by address", false,        side_new,
                                        address_offer,     address_take, NULL,
                                        address_serve,     address_use,  side_end};

const struct life fault_life_net_event = {"event across a network",
                                          false,
                                          side_new,
                                          net_offer,
                                          net_take,
                                          net_join,
                                          net_serve,
                                          net_use,
                                          side_end};

const struct life fault_life_comch = {"Comch", true,        side_new,  comch_offer, comch_take,
                                      NULL,    comch_serve, comch_use, side_end};
