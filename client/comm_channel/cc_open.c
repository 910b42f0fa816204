// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Listening, connecting, disconnecting: the calls that send requests to docad.

#include "comm_channel.h"

#include "core/device_card.h"
#include "controls.h"
#include "core/refused.h"

#include <doca_comm_channel.h>
#include <errno.h>
#include <string.h>

// The sizes of queues are powers of two, and may be as far above the card's limit as that needs.
static doca_error_t fit_queue(uint16_t *size, uint64_t most, struct errtext *err)
{
    uint32_t power = 1;

    while (power < most)
        power *= 2;
    if (*size == CC_QUEUE_DEFAULT && *size > power)
        *size = (uint16_t)power;
    return *size <= power ? DOCA_SUCCESS
                          : errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                                        "a queue of %u messages; the card has at most %llu", *size,
                                        (unsigned long long)most);
}

// Sizes that were set before the device was known. Defaults become as small as the card needs.
static doca_error_t fit_sizes(struct doca_comm_channel_ep_t *ep, struct errtext *err)
{
    uint64_t bytes = dev_most(ep->dev, CARD_COMCH_MESSAGE, CHANNEL_MESSAGE_MAX);
    uint64_t queue = dev_most(ep->dev, CARD_COMCH_RECV_QUEUE, CHANNEL_QUEUE_MAX);

    if (ep->max_message == CHANNEL_MESSAGE_MAX)
        ep->max_message = (uint16_t)bytes;
    if (ep->max_message > bytes)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "messages of %u bytes; the card has at most %llu", ep->max_message,
                           (unsigned long long)bytes);
    doca_error_t e = fit_queue(&ep->send_queue, queue, err);
    return e == DOCA_SUCCESS ? fit_queue(&ep->recv_queue, queue, err) : e;
}

static doca_error_t may_open(struct doca_comm_channel_ep_t *ep, const char *name,
                             struct errtext *err)
{
    if (ep->role == CC_SERVICE || !list_empty(&ep->peers))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the endpoint %s already; make another one",
                           ep->role == CC_SERVICE ? "listens" : "is connected");
    if (!ep->dev)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the endpoint has no device; call doca_comm_channel_ep_set_device()");
    size_t length = strnlen(name, CHANNEL_NAME_SIZE);
    if (length == 0 || length == CHANNEL_NAME_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "a service's name has 1 to %u bytes",
                           CHANNEL_NAME_SIZE - 1);
    doca_error_t e = dev_check_card(ep->dev, CARD_COMCH, err);
    return e == DOCA_SUCCESS ? fit_sizes(ep, err) : e;
}

// Codes that the interface lists for listening and connecting.
static doca_error_t listed(doca_error_t e)
{
    return CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_SUPPORTED,
                      DOCA_ERROR_BAD_STATE, DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NO_MEMORY,
                      DOCA_ERROR_INITIALIZATION, DOCA_ERROR_CONNECTION_ABORTED);
}

static doca_error_t call(struct doca_comm_channel_ep_t *ep, Docad__Message *request,
                         Docad__Message__BodyCase expected, Docad__Message **reply,
                         struct fd_list *fds, struct errtext *err)
{
    doca_error_t e = session_call(dev_session(ep->dev), request, NULL, 0, reply, fds, err);
    if (e == DOCA_SUCCESS && (*reply)->body_case != expected)
        e = errtext_set(err, DOCA_ERROR_DRIVER, "docad's answer has the wrong type");
    return e;
}

void cc_notify_closed(struct session *session, uint64_t id)
{
    Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    m.id = id;
    request.body_case = DOCAD__MESSAGE__BODY_CHANNEL_CLOSE;
    request.channel_close = &m;
    // docad may have the end already, from the other side, or may have ended itself.
    session_call(session, &request, NULL, 0, NULL, NULL, NULL);
}

// ---- listening ------------------------------------------------------------------------

static doca_error_t ask_listen(struct doca_comm_channel_ep_t *ep, const char *name,
                               struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__ChannelListen m = DOCAD__CHANNEL_LISTEN__INIT;

    m.function_id = dev_function(ep->dev)->id;
    m.representor_id = dev_rep_representor(ep->rep)->id;
    m.name = (char *)name;
    m.max_message = ep->max_message;
    m.send_queue = ep->send_queue;
    m.recv_queue = ep->recv_queue;
    m.takes_packets = ep->takes_packets;
    m.takes_ring = true;
    if (!ep->takes_packets) // a server of Comch counts its clients itself, and has more channels
        m.max_clients = (uint32_t)dev_most(ep->dev, CARD_COMCH_CLIENTS, CHANNELS_PER_SERVICE);
    doca_error_t e = call(ep, message_of(CHANNEL_LISTEN, channel_listen, &m),
                          DOCAD__MESSAGE__BODY_CHANNEL_LISTEN_REPLY, &reply, &fds, err);
    if (e != DOCA_SUCCESS)
        return e;
    ep->accept_sock = fd_list_take(&fds, 0);
    if (ep->accept_sock < 0 || cc_events_add_service(ep) < 0) {
        close_fdp(&ep->accept_sock);
        cc_notify_closed(dev_session(ep->dev), reply->channel_listen_reply->service_id);
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot wait for connections");
    }
    severed_note(&ep->severed);
    ep->service_id = reply->channel_listen_reply->service_id;
    ep->session = session_ref(dev_session(ep->dev));
    ep->role = CC_SERVICE;
    return DOCA_SUCCESS;
}

static doca_error_t do_listen(struct doca_comm_channel_ep_t *ep, const char *name,
                              struct errtext *err)
{
    doca_error_t e = may_open(ep, name, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (ep->role == CC_CLIENT)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the endpoint was a client's; make another one");
    if (!dev_function(ep->dev)->can_list_reps)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s has no representors for a service to listen on: PFs of a DPU "
                           "have",
                           dev_function(ep->dev)->name);
    if (!ep->rep)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the endpoint has no representor; call "
                           "doca_comm_channel_ep_set_device_rep()");
    if (dev_rep_session(ep->rep) != dev_session(ep->dev))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the representor was opened on another connection to docad than device "
                           "%s; open both again",
                           dev_function(ep->dev)->name);
    return ask_listen(ep, name, err);
}

doca_error_t cc_listen(struct doca_comm_channel_ep_t *ep, const char *name, struct errtext *err)
{
    return listed(do_listen(ep, name, err));
}

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
    struct errtext err = {""};

    if (!local_ep || !name)
        return REFUSED_NULL(local_ep, name);
    return report(__func__, cc_listen(local_ep, name, &err), &err);
}

// ---- connecting -----------------------------------------------------------------------

static void say_waiting(struct doca_comm_channel_ep_t *ep, Docad__ChannelConnect *m)
{
    m->asks_again = ep->asks_again;
    if (!ep->asks_again)
        return;
    if (!ep->since_ms)
        ep->since_ms = clock_ms();
    m->waiting = ep->waiting;
    m->waited_ms = clock_ms() - ep->since_ms;
}

static doca_error_t waits(struct doca_comm_channel_ep_t *ep, const Docad__ChannelConnectReply *r,
                          struct errtext *err)
{
    doca_error_t e =
        r->waits->code == DOCA_ERROR_AGAIN ? DOCA_ERROR_AGAIN : DOCA_ERROR_CONNECTION_ABORTED;

    ep->waiting = r->channel_id;
    controls_replace(r->waits->text, 0);
    return errtext_set(err, e, "%s", r->waits->text);
}

static doca_error_t ask_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                struct doca_comm_channel_addr_t **out, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;

    m.function_id = dev_function(ep->dev)->id;
    m.name = (char *)name;
    m.max_message = ep->max_message;
    m.send_queue = ep->send_queue;
    m.recv_queue = ep->recv_queue;
    m.takes_packets = ep->takes_packets;
    m.takes_ring = true;
    if (ep->keyed)
        m.key = (ProtobufCBinaryData){CHANNEL_KEY_SIZE, ep->key};
    say_waiting(ep, &m);
    doca_error_t e = call(ep, message_of(CHANNEL_CONNECT, channel_connect, &m),
                          DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY, &reply, &fds, err);
    ep->waiting = 0;
    if (e != DOCA_SUCCESS)
        return e;
    const Docad__ChannelConnectReply *r = reply->channel_connect_reply;
    if (r->waits)
        return waits(ep, r, err);
    struct cc_introduction introduction = {
        .id = r->channel_id,
        .max_message = r->max_message,
        .recv_queue = r->recv_queue,
        .relayed = r->relayed,
    };
    e = cc_address_new(out, ep, &ep->peers, &introduction, &fds, err);
    if (e != DOCA_SUCCESS)
        cc_notify_closed(dev_session(ep->dev), r->channel_id);
    return e;
}

doca_error_t cc_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                        struct doca_comm_channel_addr_t **out, struct errtext *err)
{
    doca_error_t e = may_open(ep, name, err);
    if (e == DOCA_SUCCESS && devinfo_denies_clients(dev_devinfo(ep->dev)))
        e = errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, NO_CLIENTS, dev_name(ep->dev),
                        dev_card(ep->dev)->name);
    if (e == DOCA_SUCCESS)
        e = ask_connect(ep, name, out, err);
    if (e == DOCA_SUCCESS && ep->role == CC_NONE) {
        ep->session = session_ref(dev_session(ep->dev));
        ep->role = CC_CLIENT;
    }
    return e == DOCA_ERROR_AGAIN ? e : listed(e);
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr)
{
    struct errtext err = {""};

    if (!local_ep || !name || !peer_addr)
        return REFUSED_NULL(local_ep, name, peer_addr);
    return report(__func__, cc_connect(local_ep, name, peer_addr, &err), &err);
}

// ---- disconnecting --------------------------------------------------------------------

static bool is_peer(const struct doca_comm_channel_ep_t *ep,
                    const struct doca_comm_channel_addr_t *address)
{
    const struct doca_comm_channel_addr_t *a;
    list_for_each (a, &ep->peers, link)
        if (a == address)
            return true;
    return false;
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr)
{
    struct errtext err;

    if (!local_ep || !peer_addr)
        return REFUSED_NULL(local_ep, peer_addr);
    if (!is_peer(local_ep, peer_addr))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_CONNECTED,
                                  "the address does not belong to a peer of this endpoint"),
                      &err);
    // The list of a service's clients may contain it.
    for (uint32_t i = 0; i < local_ep->n_list; i++)
        if (local_ep->list[i] == peer_addr)
            local_ep->list[i--] = local_ep->list[--local_ep->n_list];
    cc_address_disconnect(peer_addr);
    return DOCA_SUCCESS;
}
