// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "path.h"

#include "cleanup.h"
#include "comch.h"
#include "consumer.h"
#include "core/report.h"
#include "relayed.h"
#include "remote.h"

#include <stdlib.h>
#include <string.h>

struct comch_outgoing {
    struct list link;
    struct comch_packet packet;
};

// ---- lifetime ------------------------------------------------------------------------------

struct comch_path *comch_path_new(struct comch_end *end, uint64_t channel, bool is_relayed)
{
    struct comch_path *path = calloc(1, sizeof(*path));

    if (!path)
        return NULL;
    path->reserve = comch_outgoing_new();
    if (!path->reserve) {
        free(path);
        return NULL;
    }
    path->refs = 1;
    path->channel = channel;
    path->is_relayed = is_relayed;
    pthread_mutex_init(&path->lock, NULL);
    path->end = end;
    list_init(&path->outgoing);
    return path;
}

struct comch_path *comch_path_ref(struct comch_path *path)
{
    atomic_fetch_add_explicit(&path->refs, 1, memory_order_relaxed);
    return path;
}

struct comch_path *comch_path_unref(struct comch_path *path)
{
    // Acquire and release: the last holder sees the stores of the others.
    if (path && atomic_fetch_sub_explicit(&path->refs, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_destroy(&path->lock);
        comch_outgoing_free(path->reserve);
        free(path);
    }
    return NULL;
}

static bool is_answer(const struct comch_packet *packet)
{
    return packet->kind == COMCH_PACKET_ANSWER || packet->kind == COMCH_PACKET_REFUSAL;
}

static void free_first(struct comch_path *path)
{
    struct comch_outgoing *outgoing = list_entry(path->outgoing.next, struct comch_outgoing, link);

    path->answers -= is_answer(&outgoing->packet);
    list_remove(&outgoing->link);
    if (path->reserve)
        free(outgoing);
    else
        path->reserve = outgoing;
}

// Under the lock.
static void end_consumers(struct comch_path *path)
{
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX; id++)
        if (path->consumers[id])
            comch_consumer_notify(path->consumers[id], COMCH_CONSUMER_LOST, NULL);
}

void comch_path_end(struct comch_path *path)
{
    pthread_mutex_lock(&path->lock);
    path->end = NULL;
    while (!list_empty(&path->outgoing))
        free_first(path);
    end_consumers(path);
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX; id++) {
        if (path->remotes[id])
            comch_remote_expire(path->remotes[id]);
        path->remotes[id] = NULL;
    }
    pthread_mutex_unlock(&path->lock);
    comch_path_unref(path);
}

// Only the thread of the server or client changes `remotes`, so their references stay.
static void stop_producers(struct comch_path *path)
{
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX; id++)
        if (path->remotes[id])
            atomic_store_explicit(&path->remotes[id]->expired, true, memory_order_relaxed);
}

bool comch_path_break(struct comch_path *path)
{
    pthread_mutex_lock(&path->lock);
    bool stood = path->end && !path->broken;
    if (stood) {
        path->broken = true;
        end_consumers(path);
        stop_producers(path);
        comch_end_wake(path->end);
    }
    pthread_mutex_unlock(&path->lock);
    return stood;
}

bool comch_path_is_broken(struct comch_path *path)
{
    pthread_mutex_lock(&path->lock);
    bool broken = path->broken;
    pthread_mutex_unlock(&path->lock);
    return broken;
}

bool comch_path_used(struct comch_path *path)
{
    pthread_mutex_lock(&path->lock);
    bool used = path->n_consumers || path->n_producers;
    pthread_mutex_unlock(&path->lock);
    return used;
}

// ---- packets ---------------------------------------------------------------------------------

struct comch_outgoing *comch_outgoing_new(void)
{
    return malloc(sizeof(struct comch_outgoing));
}

struct comch_outgoing *comch_outgoing_free(struct comch_outgoing *outgoing)
{
    free(outgoing);
    return NULL;
}

void comch_path_post_in(struct comch_path *path, struct comch_outgoing *outgoing,
                        const struct comch_packet *packet)
{
    if (!path->end) {
        comch_outgoing_free(outgoing);
        return;
    }
    outgoing->packet = *packet;
    outgoing->packet.magic = COMCH_PACKET_MAGIC;
    list_append(&path->outgoing, &outgoing->link);
    path->answers += is_answer(packet);
    comch_end_wake(path->end);
}

bool comch_path_post_locked(struct comch_path *path, const struct comch_packet *packet)
{
    struct comch_outgoing *outgoing = path->end ? comch_outgoing_new() : NULL;

    if (!outgoing)
        return false;
    comch_path_post_in(path, outgoing, packet);
    return true;
}

bool comch_path_post(struct comch_path *path, const struct comch_packet *packet)
{
    pthread_mutex_lock(&path->lock);
    bool posted = comch_path_post_locked(path, packet);
    pthread_mutex_unlock(&path->lock);
    return posted;
}

void comch_path_send_hello(struct comch_path *path, bool able)
{
    const struct comch_packet here = {.kind = COMCH_PACKET_HERE};

    pthread_mutex_lock(&path->lock);
    path->ready = able;
    path->unable = !able || !comch_path_post_locked(path, &here);
    pthread_mutex_unlock(&path->lock);
}

bool comch_path_send(struct comch_path *path, struct doca_comm_channel_addr_t *to)
{
    uint8_t whole[CC_PACKET_SIZE] = {0};
    bool room = true;

    pthread_mutex_lock(&path->lock);
    while (path->ready && room && !list_empty(&path->outgoing)) {
        struct comch_outgoing *outgoing =
            list_entry(path->outgoing.next, struct comch_outgoing, link);
        memcpy(whole, &outgoing->packet, sizeof(outgoing->packet));
        room = cc_put_packet(to, whole);
        if (room)
            free_first(path);
    }
    pthread_mutex_unlock(&path->lock);
    return room;
}

// Under the lock.
static void answer(struct comch_path *path, uint32_t id, const struct comch_remote *remote)
{
    struct comch_packet packet = {.kind = remote ? COMCH_PACKET_ANSWER : COMCH_PACKET_REFUSAL,
                                  .id = id};

    if (remote && !remote->relayed) {
        packet.endpoint_size = (uint32_t)remote->rdma.details_size;
        memcpy(packet.endpoint, remote->rdma.details, remote->rdma.details_size);
    }
    // Without an answer the consumer would stay in its start forever.
    if (!comch_path_post_locked(path, &packet) && path->reserve)
        comch_path_post_in(path, steal_ptr(path->reserve), &packet);
}

// The client's end connects the consumer's channel: the server's consumer gets the channel, and the
// client's only an answer that it may connect.
static doca_error_t make_remote(struct comch_path *path, const struct comch_packet *packet,
                                struct comch_remote **made, struct errtext *err)
{
    const struct comch_end *end = path->end;

    if (!path->is_relayed)
        return comch_remote_new(made, end->ctx.device, path->channel, packet, err);
    return comch_remote_new_relayed(made, end->ctx.device, path->channel, packet,
                                    end->is_server ? NULL : end->name, err);
}

// The lock is not held during the request to docad. Only this thread changes `remotes`.
static enum comch_change take_consumer(struct comch_path *path, const struct comch_packet *packet)
{
    struct errtext err;
    struct comch_remote *made = NULL;

    pthread_mutex_lock(&path->lock);
    bool unread = path->answers >= COMCH_CONSUMERS_MAX;
    pthread_mutex_unlock(&path->lock);
    if (unread) { // more than it can have: it sends requests without reading the answers
        log_own_warning("Comch: consumer %u of the other side is ignored: the other side does not "
                        "read its answers",
                        packet->id);
        return COMCH_CHANGE_NONE;
    }
    doca_error_t e = path->remotes[packet->id]
                         ? errtext_set(&err, DOCA_ERROR_UNEXPECTED, "it came twice")
                         : make_remote(path, packet, &made, &err);
    if (e != DOCA_SUCCESS)
        log_own_warning("Comch: consumer %u of the other side cannot be used: %s (%s)", packet->id,
                        err.s, doca_error_get_name(e));
    pthread_mutex_lock(&path->lock);
    if (made)
        path->remotes[packet->id] = made;
    if (!made || !path->is_relayed || path->end->is_server)
        answer(path, packet->id, made);
    pthread_mutex_unlock(&path->lock);
    // Without its channel it is not usable yet.
    return made && (!made->relayed || made->relayed->ep) ? COMCH_CHANGE_NEW : COMCH_CHANGE_NONE;
}

static enum comch_change take_expired(struct comch_path *path, uint32_t id)
{
    pthread_mutex_lock(&path->lock);
    struct comch_remote *remote = path->remotes[id];
    path->remotes[id] = NULL;
    pthread_mutex_unlock(&path->lock);
    if (!remote)
        return COMCH_CHANGE_NONE;
    bool known = !remote->relayed || remote->relayed->ep;
    comch_remote_expire(remote);
    return known ? COMCH_CHANGE_EXPIRED : COMCH_CHANGE_NONE;
}

static void take_answer(struct comch_path *path, const struct comch_packet *packet)
{
    pthread_mutex_lock(&path->lock);
    if (path->consumers[packet->id])
        comch_consumer_notify(path->consumers[packet->id],
                              packet->kind == COMCH_PACKET_ANSWER ? COMCH_CONSUMER_ANSWERED
                                                                  : COMCH_CONSUMER_REFUSED,
                              packet);
    pthread_mutex_unlock(&path->lock);
}

// ---- channels between machines -----------------------------------------------------------------

static bool waits_for(const struct comch_relayed *relayed,
                      const struct doca_comm_channel_addr_t *address)
{
    return relayed && !relayed->ep && memcmp(relayed->key, address->key, sizeof(relayed->key)) == 0;
}

// Under the lock. Finds whose channel it is: that of a consumer of this side, or of this side's
// producers for one of the other side.
static struct comch_relayed *find_waiting(const struct comch_path *path,
                                          const struct doca_comm_channel_addr_t *address,
                                          uint32_t *id, bool *is_ours)
{
    for (*id = 1; *id <= COMCH_CONSUMERS_MAX; ++*id) {
        struct doca_comch_consumer *consumer = path->consumers[*id];
        struct comch_remote *remote = path->remotes[*id];
        *is_ours = consumer && waits_for(consumer->relayed, address);
        if (*is_ours)
            return consumer->relayed;
        if (remote && waits_for(remote->relayed, address))
            return remote->relayed;
    }
    return NULL;
}

bool comch_path_takes(struct comch_path *path, struct doca_comm_channel_addr_t *address,
                      enum comch_change *change, uint32_t *id)
{
    struct errtext err;
    bool is_ours;

    pthread_mutex_lock(&path->lock);
    struct comch_relayed *relayed = find_waiting(path, address, id, &is_ours);
    doca_error_t e = relayed ? comch_relayed_accept(relayed, address, &err) : DOCA_SUCCESS;
    if (relayed && is_ours)
        comch_consumer_notify(path->consumers[*id],
                              e == DOCA_SUCCESS ? COMCH_CONSUMER_ANSWERED : COMCH_CONSUMER_REFUSED,
                              NULL);
    pthread_mutex_unlock(&path->lock);
    if (e != DOCA_SUCCESS)
        log_own_warning("Comch: consumer %u cannot be used: %s (%s)", *id, err.s,
                        doca_error_get_name(e));
    *change = relayed && e == DOCA_SUCCESS && !is_ours ? COMCH_CHANGE_NEW : COMCH_CHANGE_NONE;
    return relayed;
}

void comch_path_lost_channel(struct comch_path *path)
{
    pthread_mutex_lock(&path->lock);
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX; id++) {
        struct doca_comch_consumer *consumer = path->consumers[id];
        if (consumer && consumer->relayed && !consumer->relayed->ep)
            comch_consumer_notify(consumer, COMCH_CONSUMER_REFUSED, NULL);
    }
    pthread_mutex_unlock(&path->lock);
}

// ---- packets of the other side ------------------------------------------------------------------

enum comch_change comch_path_take(struct comch_path *path, const void *bytes, uint32_t *id)
{
    struct comch_packet packet;

    memcpy(&packet, bytes, sizeof(packet));
    *id = packet.id;
    if (packet.magic != COMCH_PACKET_MAGIC || packet.id > COMCH_CONSUMERS_MAX ||
        (packet.id == 0) != (packet.kind == COMCH_PACKET_HERE) ||
        packet.endpoint_size > sizeof(packet.endpoint) ||
        packet.memory_size > sizeof(packet.memory))
        return COMCH_CHANGE_NONE;
    switch (packet.kind) {
    case COMCH_PACKET_HERE:
        pthread_mutex_lock(&path->lock);
        path->ready = true;
        comch_end_wake(path->end);
        pthread_mutex_unlock(&path->lock);
        return COMCH_CHANGE_NONE;
    case COMCH_PACKET_CONSUMER:
        return take_consumer(path, &packet);
    case COMCH_PACKET_EXPIRED:
        return take_expired(path, packet.id);
    case COMCH_PACKET_ANSWER:
    case COMCH_PACKET_REFUSAL:
        take_answer(path, &packet);
        return COMCH_CHANGE_NONE;
    default:
        return COMCH_CHANGE_NONE; // of a later version
    }
}
