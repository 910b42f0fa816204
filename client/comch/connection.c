// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections, and what servers and clients have in common.

#include "comch.h"

#include "core/refused.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

// ---- ends --------------------------------------------------------------------------------

#define QUEUE_DEFAULT 64

static doca_error_t check_name(const char *name, struct errtext *err)
{
    size_t length = strnlen(name, CHANNEL_NAME_SIZE);

    if (length == 0 || length == CHANNEL_NAME_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "a server's name has 1 to %u bytes",
                           CHANNEL_NAME_SIZE - 1);
    return DOCA_SUCCESS;
}

doca_error_t comch_end_new(struct comch_end **out, const struct ctx_kind *kind,
                           struct doca_dev *dev, const char *name, struct errtext *err)
{
    doca_error_t e = check_name(name, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (dev_known(dev, err) != DOCA_SUCCESS || dev_check_card(dev, CARD_COMCH, err) != DOCA_SUCCESS)
        return DOCA_ERROR_INITIALIZATION;
    struct comch_end *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    memset(made, 0, sizeof(*made));
    context_init(&made->ctx, kind, dev);
    memcpy(made->name, name, strlen(name));
    made->max_message = (uint32_t)dev_most(dev, CARD_COMCH_MESSAGE, CHANNEL_MESSAGE_MAX);
    made->recv_queue = (uint32_t)dev_most(dev, CARD_COMCH_RECV_QUEUE, QUEUE_DEFAULT);
    made->timer = made->wake_fd = -1;
    list_init(&made->open);
    list_init(&made->ended);
    list_init(&made->spare);
    made->pending_event.deliver = comch_deliver_event;
    made->ended_event.deliver = comch_deliver_ended;
    *out = made;
    return DOCA_SUCCESS;
}

static void free_all(struct list *connections)
{
    while (!list_empty(connections)) {
        struct doca_comch_connection *c =
            list_entry(connections->next, struct doca_comch_connection, link);
        list_remove(&c->link);
        comch_path_unref(c->path);
        free(c);
    }
}

doca_error_t comch_end_free(const char *function, struct comch_end *end)
{
    struct errtext err;

    doca_error_t e = context_fini(&end->ctx, &err);
    if (e != DOCA_SUCCESS)
        return report(function, e, &err);
    free_all(&end->spare);
    dev_rep_unref(end->rep);
    free(end);
    return DOCA_SUCCESS;
}

// The endpoint rounds queues up to a power of two.
static uint16_t rounded(uint32_t size)
{
    uint32_t power = 1;

    while (power < size)
        power *= 2;
    return (uint16_t)power;
}

doca_error_t comch_end_open(struct comch_end *end, struct errtext *err)
{
    if (!end->on_message)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "no function for messages is registered; register one before start");
    doca_error_t e = cc_endpoint_new(&end->ep, err);
    if (e != DOCA_SUCCESS)
        return e;
    end->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (end->wake_fd < 0) {
        end->ep = cc_endpoint_free(end->ep);
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make an event descriptor: %s",
                           strerror(errno));
    }
    end->severed = (struct severed){.fds = {&end->wake_fd, &end->timer}};
    severed_add(&end->severed);
    end->ep->takes_packets = true;
    end->ep->asks_again = !end->is_server;
    end->ep->dev = dev_ref(end->ctx.device);
    end->ep->rep = end->rep ? dev_rep_ref(end->rep) : NULL;
    end->ep->max_message = (uint16_t)end->max_message;
    end->ep->recv_queue = rounded(end->recv_queue);
    end->in_engine = end->others_next = false;
    end->pending = COMCH_NOTHING;
    end->requested = NULL;
    end->tries = 0;
    end->source = (struct work_source){.poll = comch_poll, .arm = comch_arm, .clear = comch_clear};
    executor_add_source(&end->ctx.pe->executor, &end->source);
    pe_hold(end->ctx.pe);
    return DOCA_SUCCESS;
}

void comch_end_stopped(struct doca_ctx *ctx)
{
    struct comch_end *end = comch_end_of(ctx);

    pe_withdraw(ctx->pe, &end->pending_event);
    pe_withdraw(ctx->pe, &end->ended_event);
    pe_release(ctx->pe);
    list_remove(&end->source.node);
    severed_remove(&end->severed);
    close_fdp(&end->timer);
    close_fdp(&end->wake_fd);
    end->requested = NULL;
    end->ep = cc_endpoint_free(end->ep);
}

// ---- properties --------------------------------------------------------------------------

doca_error_t comch_set_max_message(const char *function, struct comch_end *end, uint32_t size)
{
    struct errtext err;

    doca_error_t e = context_configurable(&end->ctx, &err);
    if (e != DOCA_SUCCESS)
        return report(function, e, &err);
    if (size == 0 || size > dev_most(end->ctx.device, CARD_COMCH_MESSAGE, CHANNEL_MESSAGE_MAX))
        return refused(function, "messages can have 1 to 4080 bytes, or what the card allows");
    end->max_message = size;
    return DOCA_SUCCESS;
}

doca_error_t comch_set_recv_queue(const char *function, struct comch_end *end, uint32_t size)
{
    struct errtext err;

    doca_error_t e = context_configurable(&end->ctx, &err);
    if (e != DOCA_SUCCESS)
        return report(function, e, &err);
    if (size == 0 || size > dev_most(end->ctx.device, CARD_COMCH_RECV_QUEUE, CHANNEL_QUEUE_MAX))
        return refused(function, "a queue can have 1 to 8192 messages, or what the card allows");
    end->recv_queue = size;
    return DOCA_SUCCESS;
}

doca_error_t comch_set_on_message(const char *function, struct comch_end *end,
                                  doca_comch_event_msg_recv_cb_t cb)
{
    struct errtext err;

    doca_error_t e = context_configurable(&end->ctx, &err);
    if (e == DOCA_SUCCESS)
        end->on_message = cb;
    return report(function, e, &err);
}

doca_error_t comch_set_on_consumer(const char *function, struct comch_end *end,
                                   doca_comch_event_consumer_cb_t on_new,
                                   doca_comch_event_consumer_cb_t on_expired)
{
    struct errtext err;

    doca_error_t e = context_configurable(&end->ctx, &err);
    if (e == DOCA_SUCCESS) {
        end->on_new_consumer = on_new;
        end->on_expired_consumer = on_expired;
    }
    return report(function, e, &err);
}

// ---- connections -------------------------------------------------------------------------

// Returns a connection to be filled in, apart from its generation; NULL if memory is short.
static struct doca_comch_connection *take_spare(struct comch_end *end)
{
    if (list_empty(&end->spare))
        return calloc(1, sizeof(struct doca_comch_connection));
    struct doca_comch_connection *c =
        list_entry(end->spare.next, struct doca_comch_connection, link);
    list_remove(&c->link);
    comch_path_unref(c->path);
    return c;
}

struct doca_comch_connection *comch_connection_new(struct comch_end *end,
                                                   struct doca_comm_channel_addr_t *address)
{
    struct comch_path *path = comch_path_new(end, address->id, address->relayed);
    struct doca_comch_connection *c = path ? take_spare(end) : NULL;

    if (!c) {
        if (path)
            comch_path_end(path);
        return NULL;
    }
    *c = (struct doca_comch_connection){
        .end = end, .address = address, .path = comch_path_ref(path), .generation = c->generation};
    if (!end->is_server)
        comch_path_send_hello(path, cc_peer_takes_packets(address));
    address->user_data = (uintptr_t)c;
    list_append(&end->open, &c->link);
    end->n_open++;
    return c;
}

void comch_connection_end(struct doca_comch_connection *c)
{
    struct comch_end *end = c->end;

    // Reports consumers that have just ended, if there is room, as the end's next turn would.
    if (!c->address->gone)
        (void)comch_path_send(c->path, c->address);
    c->counters = c->address->now;
    cc_address_disconnect(c->address);
    c->address = NULL;
    comch_path_end(c->path);
    list_remove(&c->link);
    end->n_open--;
    list_append(&end->ended, &c->link);
    pe_post(end->ctx.pe, &end->ended_event);
}

bool comch_connection_break(struct doca_comch_connection *c)
{
    struct comch_end *end = c->end;

    if (!c->address || !cc_address_break(c->address))
        return false;
    if (end->pending == COMCH_MESSAGE && end->about == c)
        end->about_generation = c->generation + 1; // the program has not got it, and will not
    return true;
}

bool comch_connection_send(struct doca_comch_connection *c)
{
    if (!comch_path_is_broken(c->path))
        return comch_path_send(c->path, c->address);
    (void)comch_connection_break(c);
    return true;
}

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data)
{
    if (!connection)
        return REFUSED_NULL(connection);
    connection->user_data = user_data;
    return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
    if (connection)
        return connection->user_data;
    (void)REFUSED_NULL(connection);
    return (union doca_data){0};
}

struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
    if (connection)
        return connection->end->is_server ? (struct doca_comch_server *)connection->end : NULL;
    (void)REFUSED_NULL(connection);
    return NULL;
}

struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
    if (connection)
        return connection->end->is_server ? NULL : (struct doca_comch_client *)connection->end;
    (void)REFUSED_NULL(connection);
    return NULL;
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
    struct doca_comch_connection *c = comch_connection;

    if (!c)
        return REFUSED_NULL(comch_connection);
    if (!c->address)
        return DOCA_ERROR_CONNECTION_ABORTED;
    c->counters = c->address->now;
    return cc_address_hung_up(c->address) ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS;
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value)
{
    if (!comch_connection || !counter_value)
        return REFUSED_NULL(comch_connection, counter_value);
    const struct cc_counters *counters = &comch_connection->counters;
    switch (counter_type) {
    case DOCA_COMCH_COUNTER_SENT_MESSAGES:
        *counter_value = counters->send_messages;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_SENT_BYTES:
        *counter_value = counters->send_bytes;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_MESSAGES:
        *counter_value = counters->recv_messages;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_BYTES:
        *counter_value = counters->recv_bytes;
        return DOCA_SUCCESS;
    }
    return refused(__func__, "there is no such counter");
}
