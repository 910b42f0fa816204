// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connects an end, and has its state while it is connected. Everything runs under the owner's lock,
// if it has one.

#include "activity.h"
#include "cleanup.h"
#include "core/closing.h"
#include "core/device_card.h"
#include "core/process.h"
#include "rdma_end.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

// ---- the endpoint ------------------------------------------------------------------------

static void destroy_endpoint(struct rdma_end *rdma)
{
    Docad__RdmaEndpointDestroy destroy = DOCAD__RDMA_ENDPOINT_DESTROY__INIT;

    destroy.endpoint_id = rdma->endpoint;
    // If docad has ended, the endpoint has ended, too.
    session_call(rdma->session, message_of(RDMA_ENDPOINT_DESTROY, rdma_endpoint_destroy, &destroy),
                 NULL, 0, NULL, NULL, NULL);
}

static doca_error_t create_endpoint(struct rdma_end *rdma, const struct rdma_desc *own,
                                    struct errtext *err)
{
    Docad__RdmaEndpointCreate create = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__ComchPart comch = DOCAD__COMCH_PART__INIT;
    Docad__RdmaVerbs verbs;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    create.function_id = dev_function(rdma->device)->id;
    create.permissions = rdma->set.permissions;
    if (rdma->comch.part != RDMA_NOT_COMCH) {
        comch.producers = rdma->comch.part == RDMA_PRODUCERS;
        comch.channel_id = rdma->comch.channel;
        comch.consumer = rdma->comch.consumer;
        create.comch = &comch;
    }
    if (own->has_verbs) {
        rdma_desc_verbs_to_message(own, &verbs);
        create.verbs = &verbs;
    }
    doca_error_t r =
        session_call(rdma->session, message_of(RDMA_ENDPOINT_CREATE, rdma_endpoint_create, &create),
                     NULL, 0, &reply, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    const Docad__RdmaEndpointCreateReply *m = reply->rdma_endpoint_create_reply;
    if (reply->body_case != DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE_REPLY || fds.count != 1 ||
        m->state_slot >= rdma->table->slots || m->descriptor.len == 0 ||
        m->descriptor.len > sizeof(rdma->details))
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer is not an RDMA endpoint");
    rdma->endpoint = m->endpoint_id;
    rdma->slot = m->state_slot;
    rdma->details_size = m->descriptor.len;
    memcpy(rdma->details, m->descriptor.data, m->descriptor.len);
    rdma->lifeline = fd_list_take(&fds, 0);
    return DOCA_SUCCESS;
}

static doca_error_t start(struct rdma_end *rdma, struct errtext *err)
{
    const struct rdma_transport *transport = rdma->transport;
    struct rdma_desc own = {0};

    doca_error_t r = transport->start ? transport->start(rdma, &own, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        return r;
    r = create_endpoint(rdma, &own, err);
    if (r != DOCA_SUCCESS && transport->stop)
        transport->stop(rdma);
    return r;
}

void rdma_end_init(struct rdma_end *rdma)
{
    *rdma = (struct rdma_end){.set = {.send_size = RDMA_QUEUE_DEFAULT,
                                      .recv_size = RDMA_QUEUE_DEFAULT,
                                      .recv_chain = 1,
                                      .mtu = DOCA_MTU_SIZE_4K_BYTES,
                                      .grh = true},
                              .message_max = RDMA_SIZE_MAX,
                              .lifeline = -1,
                              .channel = -1,
                              .epoll_fd = -1};
    rdma->spot = &rdma->own_spot;
}

doca_error_t rdma_end_open(struct rdma_end *rdma, struct doca_dev *device,
                           const struct rdma_transport *transport, struct errtext *err)
{
    rdma->device = device;
    rdma->session = session_ref(dev_session(device));
    rdma->table = session_state_table(rdma->session);
    rdma->transport = transport;
    rdma->message_max = (uint32_t)dev_most(device, CARD_RDMA_MESSAGE, RDMA_SIZE_MAX);
    rdma->list_max = (uint32_t)dev_most(device, CARD_RDMA_LIST, RDMA_LIST_MAX);
    doca_error_t r = start(rdma, err);
    if (r != DOCA_SUCCESS) {
        rdma->session = session_unref(rdma->session);
        return r == DOCA_ERROR_NOT_SUPPORTED || r == DOCA_ERROR_UNEXPECTED
                   ? r
                   : DOCA_ERROR_INITIALIZATION;
    }
    rdma->generation = process_generation();
    rdma->severed = (struct severed){.fds = {&rdma->lifeline, &rdma->channel}};
    severed_add(&rdma->severed);
    rdma->broken = rdma->rings_us = false;
    rdma->receiving = NULL;
    rdma->entered = rdma->taken = rdma->filled = rdma->emptied = rdma->received = rdma->copied = 0;
    rdma->rx = rdma->tx = NULL;
    rdma->slot_word = NULL;
    atomic_store(&rdma->state, RDMA_STATE_INIT);
    return DOCA_SUCCESS;
}

void rdma_end_close(struct rdma_end *rdma)
{
    rdma_direct_drop(rdma);
    // A normal end: the other side need not request the reason from docad.
    if (rdma_state(rdma) == RDMA_STATE_CONNECTED &&
        atomic_load_explicit(&rdma->pair, memory_order_acquire))
        rdma_notify_end(rdma, RDMA_LEFT);
    // If a child of fork() ended it on an ibverbs device, it would end for the parent, too.
    if (rdma->transport->stop && rdma->generation == process_generation())
        rdma->transport->stop(rdma);
    severed_remove(&rdma->severed);
    rdma_pair_unmap(atomic_exchange(&rdma->pair, NULL));
    rdma->own = rdma->their = NULL;
    rdma->rx = rdma->tx = NULL;
    rdma->slot_word = NULL;
    destroy_endpoint(rdma);
    closing_socket(&rdma->channel);
    close_fdp(&rdma->lifeline);
    rdma->session = session_unref(rdma->session);
    atomic_store(&rdma->state, RDMA_STATE_RESET);
}

// ---- event-driven mode ------------------------------------------------------------------------

static doca_error_t watch(struct rdma_end *rdma, int fd, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (rdma->epoll_fd < 0 || fd < 0)
        return DOCA_SUCCESS;
    if (epoll_ctl(rdma->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 && errno != EEXIST)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM,
                           "cannot wait for an RDMA connection: %s", strerror(errno));
    return DOCA_SUCCESS;
}

static void show_mode(struct rdma_end *rdma)
{
    if (!rdma->shows_late)
        rdma_show_mode(rdma, rdma->epoll_fd >= 0);
}

// ---- the executor -------------------------------------------------------------------------------

static doca_error_t add_source(struct rdma_end *rdma, struct executor *executor,
                               struct errtext *err)
{
    rdma->source = rdma->transport->source;
    if (rdma->transport->connect) // not in shared memory
        rdma->group = NULL;
    if (rdma->group)
        return rdma_group_add(rdma->group, rdma, executor, err);
    executor_add_source(executor, &rdma->source);
    return DOCA_SUCCESS;
}

doca_error_t rdma_end_attach(struct rdma_end *rdma, struct work_link *link, struct errtext *err)
{
    struct executor *executor = link->executor;

    rdma->epoll_fd = executor->event_driven ? executor->epoll_fd : -1;
    if (atomic_load(&rdma->state) != RDMA_STATE_ERROR) {
        doca_error_t r = watch(rdma, rdma->lifeline, err);
        if (r == DOCA_SUCCESS)
            r = watch(rdma, rdma->channel, err);
        if (r == DOCA_SUCCESS && rdma->transport->wakes)
            r = watch(rdma, rdma->transport->wakes(rdma), err);
        if (r == DOCA_SUCCESS)
            r = add_source(rdma, executor, err);
        if (r != DOCA_SUCCESS) {
            rdma_drop_descriptors(rdma);
            return r;
        }
    }
    rdma->link = link;
    rdma->n_sends = 0;
    work_fifo_init(&rdma->posted);
    work_fifo_init(&rdma->stalled);
    if (atomic_load(&rdma->pair))
        show_mode(rdma);
    return DOCA_SUCCESS;
}

void rdma_end_detach(struct rdma_end *rdma)
{
    struct work_link *link = rdma->link;

    if (rdma->group)
        rdma_group_remove(rdma);
    else
        list_remove(&rdma->source.node);
    rdma_drop_descriptors(rdma);
    // This work queue stays attached until now: flushed jobs complete there.
    if (rdma->transport->wakes && link->executor->epoll_fd >= 0)
        epoll_ctl(link->executor->epoll_fd, EPOLL_CTL_DEL, rdma->transport->wakes(rdma), NULL);
    if (atomic_load(&rdma->pair) && rdma->rings_us)
        rdma_show_mode(rdma, false);
    rdma->link = NULL;
}

// ---- connecting -----------------------------------------------------------------------------

static doca_error_t use_connection(struct rdma_end *rdma, const Docad__RdmaConnectReply *reply,
                                   struct fd_list *fds, struct errtext *err)
{
    int channel = fds->count > 1 ? fds->fds[1] : -1;
    uint32_t first;
    struct rdma_pair_shared *pair =
        reply->side < 2 && channel >= 0 ? rdma_pair_map(fds->fds[0], &first) : NULL;
    if (!pair)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                           "cannot use the RDMA connection that docad made: %s", strerror(errno));
    doca_error_t r = rdma->link ? watch(rdma, channel, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS) {
        rdma_pair_unmap(pair);
        return r;
    }
    severed_remove(&rdma->severed);
    rdma->severed.pages = pair;
    rdma->severed.length = sizeof(*pair);
    rdma->channel = fd_list_take(fds, 1);
    severed_add(&rdma->severed);
    rdma->remote_permissions = reply->permissions;
    rdma->same_user = reply->same_user;
    rdma->own = &pair->sides[reply->side];
    rdma->their = &pair->sides[1 - reply->side];
    rdma->tx = &pair->directions[reply->side];
    rdma->rx = &pair->directions[1 - reply->side];
    rdma->entered = rdma->taken = rdma->received = first;
    if (!rdma->transport->connect) { // in shared memory
        rdma->slot_live = state_word(rdma->endpoint, SLOT_LIVE);
        rdma->slot_word = &rdma->table->words[rdma->slot];
    }
    // Before anything is published: the other side's barriers reach this process
    // (rdma_show_mode()). The activity page may not have needed that: docad may be denied barriers,
    // and programs not.
    activity_register();
    if (rdma->link)
        show_mode(rdma);
    // Release: a thread that sees it also sees the rest.
    atomic_store_explicit(&rdma->pair, pair, memory_order_release);
    return DOCA_SUCCESS;
}

static doca_error_t ask_connect(struct rdma_end *rdma, const void *details, size_t size,
                                struct errtext *err)
{
    Docad__RdmaConnect connect = DOCAD__RDMA_CONNECT__INIT;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    connect.endpoint_id = rdma->endpoint;
    connect.descriptor = (ProtobufCBinaryData){size, (uint8_t *)details};
    doca_error_t r = session_call(rdma->session, message_of(RDMA_CONNECT, rdma_connect, &connect),
                                  NULL, 0, &reply, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (reply->body_case != DOCAD__MESSAGE__BODY_RDMA_CONNECT_REPLY)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "docad's answer has the wrong type");
    return use_connection(rdma, reply->rdma_connect_reply, &fds, err);
}

doca_error_t rdma_end_connect(struct rdma_end *rdma, const void *details, size_t size,
                              struct errtext *err)
{
    const struct rdma_transport *transport = rdma->transport;
    struct rdma_desc other;

    if (atomic_load(&rdma->state) != RDMA_STATE_INIT)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the connection was made already, or has ended");
    doca_error_t r = rdma_desc_decode(details, size, &other, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!transport->connect == other.has_verbs)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "one of the two devices, %s, is an ibverbs device and the other one is "
                           "not; both sides need the same kind",
                           other.has_verbs ? "the other side's" : "this side's");
    r = ask_connect(rdma, details, size, err);
    bool linked = r == DOCA_SUCCESS;
    // docad is not linked to the other side's node, or cannot reach it.
    bool out_of_sight =
        r == DOCA_ERROR_NOT_FOUND || r == DOCA_ERROR_DRIVER || r == DOCA_ERROR_NOT_SUPPORTED;
    if (transport->connect && (linked || out_of_sight))
        r = transport->connect(rdma, &other, linked, err);
    if (r == DOCA_SUCCESS) {
        atomic_store(&rdma->state, RDMA_STATE_CONNECTED);
        rdma_spot_set(rdma);
        if (linked)
            rdma_notify_here(rdma);
    }
    return r == DOCA_SUCCESS || r == DOCA_ERROR_INVALID_VALUE ? r : DOCA_ERROR_CONNECTION_ABORTED;
}
