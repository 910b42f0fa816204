// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How an end polls for events, and delivers them to the program.

#include "comch.h"

#include "core/report.h"

#include <errno.h>
#include <sys/epoll.h>

#define FEW_CLIENTS 8 // the counts of so few are read faster than a system call

// ---- events of a server -----------------------------------------------------------------

static bool about(struct comch_end *end, enum comch_event what, struct doca_comch_connection *c)
{
    end->pending = what;
    end->about = c;
    end->about_generation = c->generation;
    return true;
}

// The client has connected a channel for its fast path, which is not reported to the program.
static bool take_keyed(struct comch_end *end, struct doca_comm_channel_addr_t *a)
{
    struct doca_comch_connection *c;
    enum comch_change change;

    list_for_each (c, &end->open, link)
        if (comch_path_takes(c->path, a, &change, &end->consumer))
            return change == COMCH_CHANGE_NEW && about(end, COMCH_NEW_CONSUMER, c);
    cc_address_disconnect(a); // it has ended in between
    return false;
}

// The frame that named the task is lost, so the error is the end's.
static void lost_offer(struct comch_end *end, doca_error_t error, const struct errtext *err)
{
    struct doca_comch_connection *c;

    (void)report("doca_pe_progress", error, err);
    list_for_each (c, &end->open, link)
        comch_path_lost_channel(c->path);
}

// docad has ended, and so has the last client: no client can reach the server any more.
static bool deserted(const struct comch_end *end)
{
    return end->is_server && end->ep->accept_sock < 0 && list_empty(&end->open) &&
           list_empty(&end->ended);
}

// A stopping server accepts no client, and does not log that.
static bool can_accept(const struct comch_end *end)
{
    if (end->ctx.state != DOCA_CTX_STATE_RUNNING)
        return false;
    if (end->n_open < dev_most(end->ctx.device, CARD_COMCH_CLIENTS, COMCH_CLIENTS_MAX))
        return true;
    _Static_assert(COMCH_CLIENTS_MAX == 512, "the text says so");
    (void)report_often(
        "doca_pe_progress", DOCA_ERROR_FULL,
        "a client is rejected, and keeps trying: the server has the clients that "
        "it may have at a time, 512 or what the card allows; disconnect one, or start "
        "a server of another name for the rest");
    return false;
}

static bool take_client(struct comch_end *end)
{
    struct errtext err;

    doca_error_t e = cc_service_next(end->ep, &err);
    if (e != DOCA_SUCCESS) {
        if (e != DOCA_ERROR_NOT_FOUND)
            lost_offer(end, e, &err);
        if (deserted(end))
            pe_post(end->ctx.pe, &end->ended_event); // with no connection: the server ends
        return false;
    }
    struct doca_comm_channel_addr_t *a =
        list_entry(end->ep->pending.next, struct doca_comm_channel_addr_t, link);
    if (a->keyed)
        return take_keyed(end, a);
    struct doca_comch_connection *c = can_accept(end) ? comch_connection_new(end, a) : NULL;
    if (!c) { // the client retries
        cc_address_disconnect(a);
        return false;
    }
    cc_service_accept(a);
    return about(end, COMCH_CONNECTED, c);
}

// The other side's fast path has sent a packet.
static bool take_packet(struct comch_end *end, struct doca_comch_connection *c)
{
    switch (comch_path_take(c->path, end->message, &end->consumer)) {
    case COMCH_CHANGE_NEW:
        return about(end, COMCH_NEW_CONSUMER, c);
    case COMCH_CHANGE_EXPIRED:
        return about(end, COMCH_EXPIRED_CONSUMER, c);
    default:
        return false;
    }
}

static bool take_message(struct comch_end *end, struct doca_comm_channel_addr_t *a)
{
    struct doca_comch_connection *c = (struct doca_comch_connection *)(uintptr_t)a->user_data;

    end->length = sizeof(end->message);
    doca_error_t e = cc_take(a, end->message, &end->length);
    if (e == DOCA_SUCCESS && end->length == CC_PACKET_SIZE)
        return take_packet(end, c);
    if (e == DOCA_SUCCESS)
        return about(end, COMCH_MESSAGE, c);
    if (e == DOCA_ERROR_CONNECTION_RESET)
        comch_connection_end(c);
    return false;
}

// The client that sent last is polled first: one system call for a message, and not two. When it
// has nothing, or has sent much, it is the others' turn. While it alone sends much, it is not in
// the set: see cc_events_apart().
static bool ask_current(struct comch_end *end)
{
    struct doca_comm_channel_addr_t *current = end->ep->current;

    bool found = !cc_is_quiet(current) && take_message(end, current);

    end->ep->streak += found;
    end->others_next = !found || end->ep->streak >= CC_STREAK_MAX;
    return found;
}

// The peer that has a message in its ring is the current one.
static bool poll_ring(struct comch_end *end, struct doca_comm_channel_addr_t *a)
{
    bool found = take_message(end, a);

    if (found) {
        end->ep->current = a;
        end->ep->streak = 0;
    }
    return found;
}

static bool ask_found(struct comch_end *end, struct doca_comm_channel_addr_t *a)
{
    bool found = take_message(end, a);

    if (found)
        cc_note_turn(a);
    return found;
}

// If there are few clients and none has sent anything: new ones are accepted in the next tick.
static bool none_reports_anything(struct comch_end *end)
{
    struct doca_comch_connection *c;

    if (end->n_open == 0 || end->n_open > FEW_CLIENTS)
        return false;
    list_for_each (c, &end->open, link)
        if (!cc_reports_nothing(c->address))
            return false;
    return !cc_tick(&end->asked_ms);
}

static bool poll_server(struct comch_end *end)
{
    struct doca_comm_channel_ep_t *ep = end->ep;
    struct epoll_event event;

    if (ep->current && !end->others_next)
        return ask_current(end);
    end->others_next = false;
    struct doca_comm_channel_addr_t *a = cc_ring_next(ep);
    if (a)
        return poll_ring(end, a);
    if (none_reports_anything(end))
        return false;
    if (epoll_wait(ep->recv_epoll, &event, 1, 0) == 1) {
        if (event.data.ptr == ep)
            return take_client(end);
        a = event.data.ptr ? event.data.ptr : cc_ring_left(ep);
        return a && ask_found(end, a);
    }
    if (ep->apart) { // the others have nothing: it continues
        ep->current = ep->apart;
        ep->streak = 0;
    }
    return false;
}

// ---- events of a client -----------------------------------------------------------------

static void fails_unless(struct comch_end *end, doca_error_t e, const struct errtext *err)
{
    if (e == DOCA_SUCCESS)
        return;
    (void)report("doca_pe_progress", e, err);
    pe_post(end->ctx.pe, &end->ended_event); // with no connection: the client ends
}

static void retry_request(struct comch_end *end)
{
    struct errtext err = {""};
    uint64_t expired;

    if (read(end->timer, &expired, sizeof(expired)) == sizeof(expired))
        fails_unless(end, comch_client_request(end, &err), &err);
}

// The server has ended, or accepts no more clients.
static void rejected(struct comch_end *end)
{
    struct errtext err = {""};

    cc_address_disconnect(end->requested);
    end->requested = NULL;
    fails_unless(end, comch_client_wait(end, &err), &err);
}

static bool poll_client(struct comch_end *end)
{
    if (!list_empty(&end->open)) {
        struct doca_comm_channel_addr_t *a =
            list_entry(end->open.next, struct doca_comch_connection, link)->address;
        return !cc_is_quiet(a) && take_message(end, a);
    }
    if (end->ctx.state != DOCA_CTX_STATE_STARTING)
        return false;
    if (!end->requested) {
        retry_request(end);
        return false;
    }
    // In this order: a server that has accepted the client and then ended has sent something.
    if (cc_address_open(end->requested)) {
        struct doca_comch_connection *c = comch_connection_new(end, end->requested);
        if (!c)
            return false; // next time
        end->requested = NULL;
        return about(end, COMCH_CONNECTED, c);
    }
    if (cc_address_hung_up(end->requested))
        rejected(end);
    return false;
}

// ---- the source --------------------------------------------------------------------------

static struct comch_end *end_of(struct work_source *source)
{
    return container_of(source, struct comch_end, source);
}

void comch_end_wake(struct comch_end *end)
{
    atomic_store_explicit(&end->has_packets, true, memory_order_relaxed);
    cc_event_set(end->wake_fd);
}

static __attribute__((noinline, cold)) void send_packets(struct comch_end *end)
{
    struct doca_comch_connection *c;

    // Relaxed: the lock of each path orders the rest.
    atomic_store_explicit(&end->has_packets, false, memory_order_relaxed);
    list_for_each (c, &end->open, link)
        if (!comch_connection_send(c))
            atomic_store_explicit(&end->has_packets, true, memory_order_relaxed);
}

void comch_poll(struct work_source *source)
{
    struct comch_end *end = end_of(source);

    if (end->pending == COMCH_NOTHING && (end->is_server ? poll_server(end) : poll_client(end)))
        pe_post(end->ctx.pe, &end->pending_event);
    // After polling: answers are sent before the program gets the events that they answer.
    if (__builtin_expect(atomic_load_explicit(&end->has_packets, memory_order_relaxed), 0))
        send_packets(end);
}

static bool add(struct comch_end *end, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    return fd < 0 || epoll_ctl(end->ctx.pe->executor.epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ||
           errno == EEXIST;
}

bool comch_arm(struct work_source *source)
{
    struct comch_end *end = end_of(source);
    bool blocked = false;

    if (!end->in_engine || !end->ep->watched)
        end->in_engine = cc_events_watch(end->ep) && add(end, end->ep->recv_epoll) &&
                         add(end, end->ep->send_epoll) && add(end, end->timer) &&
                         add(end, end->wake_fd);
    cc_events_quiet(end->ep);
    bool taken =
        end->requested && (cc_address_open(end->requested) || cc_address_hung_up(end->requested));
    return cc_events_want_room(end->ep, &blocked) || taken || !end->in_engine ||
           end->pending != COMCH_NOTHING ||
           atomic_load_explicit(&end->has_packets, memory_order_relaxed);
}

void comch_clear(struct work_source *source)
{
    cc_events_quiet(end_of(source)->ep);
    cc_event_reset(end_of(source)->wake_fd);
}

// ---- events for the program -----------------------------------------------------------------

static void deliver_consumer(struct comch_end *end, enum comch_event what,
                             struct doca_comch_connection *c)
{
    doca_comch_event_consumer_cb_t deliver =
        what == COMCH_NEW_CONSUMER ? end->on_new_consumer : end->on_expired_consumer;

    if (deliver)
        deliver((struct doca_comch_event_consumer *)end, c, end->consumer);
}

// The program may stop and free the end: do not touch it afterwards.
void comch_deliver_event(struct pe_event *event)
{
    struct comch_end *end = container_of(event, struct comch_end, pending_event);
    struct doca_comch_connection *c = end->about;
    enum comch_event what = end->pending;

    end->pending = COMCH_NOTHING;
    if (c->generation != end->about_generation || !c->address)
        return; // it has ended since
    if (what == COMCH_NEW_CONSUMER || what == COMCH_EXPIRED_CONSUMER) {
        deliver_consumer(end, what, c);
        return;
    }
    if (what == COMCH_MESSAGE)
        end->on_message((struct doca_comch_event_msg_recv *)end, end->message,
                        (uint32_t)end->length, c);
    else if (!end->is_server)
        context_started(&end->ctx);
    else if (end->on_connect)
        end->on_connect((struct doca_comch_event_connection_status_changed *)end, c, 1);
}

static void server_ended(struct comch_end *end, struct doca_comch_connection *c)
{
    bool last = end->ctx.state == DOCA_CTX_STATE_STOPPING && list_empty(&end->open) &&
                list_empty(&end->ended);
    if (end->on_disconnect)
        end->on_disconnect((struct doca_comch_event_connection_status_changed *)end, c, 1);
    if (last)
        context_stopped(&end->ctx);
}

void comch_deliver_ended(struct pe_event *event)
{
    struct comch_end *end = container_of(event, struct comch_end, ended_event);
    struct doca_comch_connection *c = NULL;

    if (!list_empty(&end->ended)) {
        c = list_entry(end->ended.next, struct doca_comch_connection, link);
        list_remove(&c->link);
        list_append(&end->spare, &c->link);
        c->generation++;
    }
    if (!list_empty(&end->ended) || (c && deserted(end)))
        pe_post(end->ctx.pe, event);
    if (c && end->is_server)
        server_ended(end, c);
    else if (end->ctx.state == DOCA_CTX_STATE_STOPPING)
        context_stopped(&end->ctx);
    else
        context_fail(&end->ctx);
}
