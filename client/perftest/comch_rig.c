// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "comch_rig.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX 4080u
#define QUEUE       1024u

struct comch_rig {
    struct comch_rig_plan plan;
    struct problem *problem;
    struct doca_dev *dev;
    struct doca_pe *pe, *path_pe;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_ctx *ctx;
    struct doca_comch_connection *connection;
    uint8_t message[MESSAGE_MAX];
    struct doca_comch_task_send *idle[COMCH_RIG_WINDOW]; // sends that are not in flight
    uint32_t n_idle;
    uint64_t taken; // messages

    // The fast path.
    struct memory memory; // half to send from, half to receive to
    size_t half;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    uint32_t consumer_id; // of the other side; 0: not received yet
    struct doca_comch_producer_task_send *sends[COMCH_RIG_WINDOW];             // not in flight
    struct doca_comch_consumer_task_post_recv *receives[2 * COMCH_RIG_WINDOW]; // not posted
    uint32_t n_sends, n_receives;
    doca_error_t failure;
};

// ---- callbacks -------------------------------------------------------------------------------

static struct comch_rig *rig_of(struct doca_comch_connection *connection)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
    union doca_data data = {0};

    (void)doca_ctx_get_user_data(
        server ? doca_comch_server_as_ctx(server)
               : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)),
        &data);
    return data.ptr;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event;
    if (successful)
        rig_of(connection)->connection = connection;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event, (void)successful;
    rig_of(connection)->failure = DOCA_ERROR_CONNECTION_RESET;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
                       struct doca_comch_connection *connection)
{
    (void)event, (void)bytes, (void)length;
    rig_of(connection)->taken++;
}

static void on_consumer(struct doca_comch_event_consumer *event,
                        struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    rig_of(connection)->consumer_id = id;
}

static void on_expired(struct doca_comch_event_consumer *event,
                       struct doca_comch_connection *connection, uint32_t id)
{
    (void)event, (void)connection, (void)id;
}

#define ENDS(task_type, name, idle, n_idle)                                                        \
    static void name##_done(struct doca_comch_##task_type *task, union doca_data task_data,        \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        struct comch_rig *rig = ctx_data.ptr;                                                      \
        (void)task_data;                                                                           \
        rig->idle[rig->n_idle++] = task;                                                           \
    }                                                                                              \
    static void name##_failed(struct doca_comch_##task_type *task, union doca_data task_data,      \
                              union doca_data ctx_data)                                            \
    {                                                                                              \
        struct comch_rig *rig = ctx_data.ptr;                                                      \
        name##_done(task, task_data, ctx_data);                                                    \
        rig->failure = doca_task_get_status(doca_comch_##task_type##_as_task(task));               \
    }

ENDS(task_send, message, idle, n_idle)
ENDS(producer_task_send, send, sends, n_sends)
ENDS(consumer_task_post_recv, receive, receives, n_receives)

// ---- lifetime --------------------------------------------------------------------------------

static bool make_server(struct comch_rig *rig, struct doca_dev_rep *rep, const char *name)
{
    DOCA_TRY(rig->problem, doca_comch_server_create, rig->dev, rep, name, &rig->server);
    rig->ctx = doca_comch_server_as_ctx(rig->server);
    DOCA_TRY(rig->problem, doca_comch_server_set_recv_queue_size, rig->server, QUEUE);
    DOCA_TRY(rig->problem, doca_comch_server_event_msg_recv_register, rig->server, on_message);
    DOCA_TRY(rig->problem, doca_comch_server_event_connection_status_changed_register, rig->server,
             on_connect, on_disconnect);
    DOCA_TRY(rig->problem, doca_comch_server_event_consumer_register, rig->server, on_consumer,
             on_expired);
    DOCA_TRY(rig->problem, doca_comch_server_task_send_set_conf, rig->server, message_done,
             message_failed, COMCH_RIG_WINDOW);
    return true;
}

static bool make_client(struct comch_rig *rig, const char *name)
{
    DOCA_TRY(rig->problem, doca_comch_client_create, rig->dev, name, &rig->client);
    rig->ctx = doca_comch_client_as_ctx(rig->client);
    DOCA_TRY(rig->problem, doca_comch_client_set_recv_queue_size, rig->client, QUEUE);
    DOCA_TRY(rig->problem, doca_comch_client_event_msg_recv_register, rig->client, on_message);
    DOCA_TRY(rig->problem, doca_comch_client_event_consumer_register, rig->client, on_consumer,
             on_expired);
    DOCA_TRY(rig->problem, doca_comch_client_task_send_set_conf, rig->client, message_done,
             message_failed, COMCH_RIG_WINDOW);
    return true;
}

// Connects a context to an engine, and starts it.
static bool start(struct comch_rig *rig, struct doca_pe *pe, struct doca_ctx *ctx)
{
    union doca_data data = {.ptr = rig};

    DOCA_TRY(rig->problem, doca_pe_connect_ctx, pe, ctx);
    DOCA_TRY(rig->problem, doca_ctx_set_user_data, ctx, data);
    doca_error_t r = doca_ctx_start(ctx);
    return r == DOCA_SUCCESS || r == DOCA_ERROR_IN_PROGRESS ||
           problem_doca(rig->problem, "doca_ctx_start", r);
}

static size_t stride(const struct comch_rig *rig)
{
    return rig->plan.size < 4096 ? (rig->plan.size + 63) & ~(size_t)63 : rig->plan.size;
}

static bool make_memory(struct comch_rig *rig)
{
    rig->half = ((2 * rig->plan.depth * stride(rig)) + 4095) & ~(size_t)4095;
    if (!memory_open(&rig->memory, MEMORY_MAPPED, 2 * rig->half, rig->problem))
        return false;
    DOCA_TRY(rig->problem, doca_mmap_create, &rig->map);
    DOCA_TRY(rig->problem, doca_mmap_set_memrange, rig->map, rig->memory.at, 2 * rig->half);
    DOCA_TRY(rig->problem, doca_mmap_set_permissions, rig->map, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    DOCA_TRY(rig->problem, doca_mmap_add_dev, rig->map, rig->dev);
    DOCA_TRY(rig->problem, doca_mmap_start, rig->map);
    DOCA_TRY(rig->problem, doca_buf_inventory_create, 3 * rig->plan.depth, &rig->inventory);
    DOCA_TRY(rig->problem, doca_buf_inventory_start, rig->inventory);
    return true;
}

static bool make_path(struct comch_rig *rig)
{
    if (!make_memory(rig))
        return false;
    DOCA_TRY(rig->problem, doca_pe_create, &rig->path_pe);
    DOCA_TRY(rig->problem, doca_comch_consumer_create, rig->connection, rig->map, &rig->consumer);
    DOCA_TRY(rig->problem, doca_comch_consumer_task_post_recv_set_conf, rig->consumer, receive_done,
             receive_failed, 2 * rig->plan.depth);
    DOCA_TRY(rig->problem, doca_comch_producer_create, rig->connection, &rig->producer);
    DOCA_TRY(rig->problem, doca_comch_producer_task_send_set_conf, rig->producer, send_done,
             send_failed, rig->plan.depth);
    return start(rig, rig->path_pe, doca_comch_consumer_as_ctx(rig->consumer)) &&
           start(rig, rig->path_pe, doca_comch_producer_as_ctx(rig->producer));
}

static bool make_tasks(struct comch_rig *rig)
{
    size_t size = rig->plan.size;
    struct doca_buf *buf;

    while (rig->n_sends < rig->plan.depth) {
        char *from = rig->memory.at + rig->n_sends * stride(rig);
        DOCA_TRY(rig->problem, doca_buf_inventory_buf_get_by_data, rig->inventory, rig->map, from,
                 size, &buf);
        DOCA_TRY(rig->problem, doca_comch_producer_task_send_alloc_init, rig->producer, buf, NULL,
                 0, rig->consumer_id, &rig->sends[rig->n_sends]);
        rig->n_sends++;
    }
    while (rig->n_receives < 2 * rig->plan.depth) {
        char *to = rig->memory.at + rig->half + rig->n_receives * stride(rig);
        DOCA_TRY(rig->problem, doca_buf_inventory_buf_get_by_addr, rig->inventory, rig->map, to,
                 size, &buf);
        DOCA_TRY(rig->problem, doca_comch_consumer_task_post_recv_alloc_init, rig->consumer, buf,
                 &rig->receives[rig->n_receives]);
        rig->n_receives++;
    }
    return true;
}

static bool make_messages(struct comch_rig *rig)
{
    for (; rig->n_idle < rig->plan.depth; rig->n_idle++) {
        struct doca_comch_task_send **task = &rig->idle[rig->n_idle];
        if (rig->server)
            DOCA_TRY(rig->problem, doca_comch_server_task_send_alloc_init, rig->server,
                     rig->connection, rig->message, (uint32_t)rig->plan.size, task);
        else
            DOCA_TRY(rig->problem, doca_comch_client_task_send_alloc_init, rig->client,
                     rig->connection, rig->message, (uint32_t)rig->plan.size, task);
    }
    return true;
}

bool comch_rig_open(struct comch_rig **out, const struct comch_rig_plan *plan, struct doca_dev *dev,
                    struct doca_dev_rep *rep, const char *name, struct problem *problem)
{
    struct comch_rig *rig = calloc(1, sizeof(*rig));

    if (!rig)
        return problem_set(problem, "out of memory");
    *out = rig; // closed by the caller, also after a failure
    rig->plan = *plan;
    rig->problem = problem;
    rig->dev = dev;
    DOCA_TRY(problem, doca_pe_create, &rig->pe);
    return (rep ? make_server(rig, rep, name) : make_client(rig, name)) &&
           start(rig, rig->pe, rig->ctx);
}

static void stop(struct comch_rig *rig, struct doca_pe *pe, struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    (void)doca_ctx_stop(ctx);
    while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
        (void)doca_pe_progress(pe);
        (void)doca_pe_progress(rig->pe);
    }
}

// Stopped contexts have released all tasks.
void comch_rig_part(struct comch_rig *rig)
{
    if (!rig)
        return;
    if (rig->consumer) {
        stop(rig, rig->path_pe, doca_comch_consumer_as_ctx(rig->consumer));
        while (rig->n_receives)
            doca_buf_dec_refcount(
                doca_comch_consumer_task_post_recv_get_buf(rig->receives[--rig->n_receives]), NULL);
        doca_comch_consumer_destroy(rig->consumer);
        rig->consumer = NULL;
    }
    if (rig->producer) {
        stop(rig, rig->path_pe, doca_comch_producer_as_ctx(rig->producer));
        while (rig->n_sends)
            doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(
                                      rig->sends[--rig->n_sends]),
                                  NULL);
        doca_comch_producer_destroy(rig->producer);
        rig->producer = NULL;
    }
    if (rig->path_pe)
        doca_pe_destroy(rig->path_pe);
    if (rig->inventory)
        doca_buf_inventory_destroy(rig->inventory);
    if (rig->map)
        doca_mmap_destroy(rig->map);
    rig->path_pe = NULL;
    rig->inventory = NULL;
    rig->map = NULL;
    memory_close(&rig->memory);
}

void comch_rig_close(struct comch_rig *rig)
{
    if (!rig)
        return;
    comch_rig_part(rig);
    if (rig->ctx)
        stop(rig, rig->pe, rig->ctx);
    if (rig->server)
        doca_comch_server_destroy(rig->server);
    if (rig->client)
        doca_comch_client_destroy(rig->client);
    if (rig->pe)
        doca_pe_destroy(rig->pe);
    free(rig);
}

static bool runs(const struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    return doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING;
}

static bool failed(struct comch_rig *rig, const char *what)
{
    return rig->failure != DOCA_SUCCESS && !problem_doca(rig->problem, what, rig->failure);
}

bool comch_rig_meet(struct comch_rig *rig, bool *done)
{
    *done = false;
    (void)doca_pe_progress(rig->pe);
    if (failed(rig, "the Comch connection"))
        return false;
    if (rig->client && !rig->connection && runs(rig->ctx))
        DOCA_TRY(rig->problem, doca_comch_client_get_connection, rig->client, &rig->connection);
    if (!rig->connection)
        return true;
    if (!rig->plan.path) {
        *done = true;
        return make_messages(rig);
    }
    if (!rig->consumer && !make_path(rig))
        return false;
    (void)doca_pe_progress(rig->path_pe);
    if (!rig->consumer_id || !runs(doca_comch_consumer_as_ctx(rig->consumer)))
        return true;
    *done = true;
    return make_tasks(rig);
}

// ---- messages of the server or client --------------------------------------------------------

// Both processes may have to share a processor: one that waits long yields to the other one.
static void breathe(uint32_t *empty)
{
    if (++*empty % 4096 == 0)
        sched_yield();
}

bool comch_rig_send(struct comch_rig *rig, uint64_t n)
{
    uint32_t empty = 0;

    for (uint64_t sent = 0; sent < n || rig->n_idle < rig->plan.depth;) {
        if (rig->n_idle && sent < n) {
            DOCA_TRY(rig->problem, doca_task_submit,
                     doca_comch_task_send_as_task(rig->idle[--rig->n_idle]));
            sent++;
        } else if (!doca_pe_progress(rig->pe)) {
            breathe(&empty);
        }
        if (__builtin_expect(failed(rig, "a send task of Comch"), 0))
            return false;
    }
    return true;
}

bool comch_rig_take(struct comch_rig *rig, uint64_t n)
{
    uint32_t empty = 0;

    while (rig->taken < n) {
        if (!doca_pe_progress(rig->pe))
            breathe(&empty);
        if (__builtin_expect(failed(rig, "the Comch connection"), 0))
            return false;
    }
    rig->taken -= n;
    return true;
}

// ---- the fast path ---------------------------------------------------------------------------

static bool progress(struct comch_rig *rig, uint32_t *empty)
{
    if (!doca_pe_progress(rig->path_pe))
        breathe(empty);
    return !__builtin_expect(failed(rig, "a task of a consumer or a producer"), 0);
}

// Posts the receives that are not, but `keep`.
static bool post(struct comch_rig *rig, uint32_t keep)
{
    while (rig->n_receives > keep) {
        struct doca_comch_consumer_task_post_recv *task = rig->receives[--rig->n_receives];
        (void)doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
        DOCA_TRY(rig->problem, doca_task_submit, doca_comch_consumer_task_post_recv_as_task(task));
    }
    return true;
}

// *again: nothing is posted there, or there is no task here.
static bool produce(struct comch_rig *rig, bool *again)
{
    *again = rig->n_sends == 0;
    if (*again)
        return true;
    doca_error_t r =
        doca_task_submit(doca_comch_producer_task_send_as_task(rig->sends[rig->n_sends - 1]));
    *again = r == DOCA_ERROR_AGAIN;
    rig->n_sends -= r == DOCA_SUCCESS;
    return r == DOCA_SUCCESS || *again || problem_doca(rig->problem, "a producer's task", r);
}

static bool produce_one(struct comch_rig *rig)
{
    uint32_t empty = 0;
    bool again = true;

    while (again)
        if (!produce(rig, &again) || (again && !progress(rig, &empty)))
            return false;
    return true;
}

// Whoever has received first answers, and then prepares for the next message.
bool comch_rig_ping(struct comch_rig *rig, uint64_t n, bool first)
{
    uint32_t empty = 0;

    if (!post(rig, 0) || (first && !produce_one(rig)))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        while (!rig->n_receives)
            if (!progress(rig, &empty))
                return false;
        if ((!first || i + 1 < n) && !produce_one(rig))
            return false;
        if (!post(rig, 0))
            return false;
    }
    return true;
}

bool comch_rig_stream_out(struct comch_rig *rig, uint64_t n)
{
    uint32_t empty = 0;
    bool again;

    if (!post(rig, 0))
        return false;
    for (uint64_t sent = 0; sent < n;) {
        if (!produce(rig, &again) || (again && !progress(rig, &empty)))
            return false;
        sent += !again;
    }
    while (!rig->n_receives)
        if (!progress(rig, &empty))
            return false;
    return true;
}

bool comch_rig_stream_in(struct comch_rig *rig, uint64_t n)
{
    uint32_t empty = 0;

    if (!post(rig, 0))
        return false;
    for (uint64_t got = 0; got < n;) {
        if (!progress(rig, &empty))
            return false;
        got += rig->n_receives;
        if (!post(rig, 0))
            return false;
    }
    return produce_one(rig);
}

void comch_rig_copy(struct comch_rig *rig, uint64_t n)
{
    size_t size = rig->plan.size;

    for (uint64_t i = 0; i < n; i++) {
        size_t from = i % rig->plan.depth * stride(rig);
        size_t to = rig->half + i % (2 * rig->plan.depth) * stride(rig);
        memcpy(rig->memory.at + to, rig->memory.at + from, size);
        __asm__ volatile("" ::: "memory");
    }
}
