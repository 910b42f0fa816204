// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "link_queue.h"

#include "connection.h"
#include "node.h"
#include "peer.h"
#include "piece.h"
#include "queue_pair.h"

#include <stdlib.h>
#include <string.h>

#define SENDS     128u   // more than can be under way: QP_ENTRIES
#define PIECE     32768u // bytes of one message
#define DATA_SIZE ((size_t)QP_CHUNKS * QP_CHUNK_SIZE)

_Static_assert(PIECE + PIECE_HEAD_MAX + PIECE_TAIL_MAX <= PACKET_SIZE_MAX,
               "a piece and everything around it fits into a packet");

struct link_send {
    uint8_t header[CARRIER_HEADER_MAX];
    size_t size;
    uint32_t offset, length; // of the bytes that have not been sent yet
    uint32_t done;           // bytes that have been sent
    bool unread;             // the owner reads the bytes when they are sent
};

struct link_queue {
    struct carrier carrier;
    struct idmap_node id; // peer->link_queues
    struct list turn;     // in peer->link_ready while it has something to send
    uint64_t round;       // in one round each user has one turn
    uid_t uid;
    struct peer *peer;
    uint8_t *data;
    uint64_t there;
    bool connected;
    struct link_send sends[SENDS]; // a ring
    uint32_t head, tail;
};

// ---- to the other side ------------------------------------------------------------------

// Tells whether the link has room for a piece. Other output of the link may never drain
// completely.
static bool has_room(const struct peer *peer)
{
    return peer->connection && peer->state == PEER_LINKED &&
           (connection_queued(peer->connection) == 0 ||
            connection_gone(peer->connection) >= peer->link_piece_end);
}

// Queues it after everything in the first round in which its user has no other turn.
static void wait_for_turn(struct link_queue *q)
{
    struct list *ready = &q->peer->link_ready;
    struct link_queue *other;

    q->round = q->peer->link_round + 1;
    list_for_each (other, ready, turn) {
        if (other->uid == q->uid && other->round >= q->round)
            q->round = other->round + 1;
    }
    list_for_each (other, ready, turn) {
        if (other->round > q->round)
            break;
    }
    list_append(&other->turn, &q->turn);
}

static bool get_bytes(struct link_queue *q, const struct link_send *s, uint32_t n, uint8_t *to)
{
    if (s->unread)
        return q->carrier.owner->read(q->carrier.arg, s->header, s->done, n, to);
    memcpy(to, q->data + s->offset, n);
    return true;
}

enum piece_end { PIECE_SENT, PIECE_HAS_NO_ROOM, PIECE_DROPPED };

// Packs a piece where the link sends it from.
static enum piece_end pack_piece(struct link_queue *q, const struct link_send *s,
                                 Docad__PeerQueuePairData *m)
{
    size_t size = piece_size(m);
    uint8_t *packet = connection_room(q->peer->connection, size);

    if (!packet)
        return PIECE_HAS_NO_ROOM;
    uint8_t *place = piece_pack(m, packet);
    if (m->data.len && !get_bytes(q, s, (uint32_t)m->data.len, place))
        return PIECE_DROPPED;
    connection_filled(q->peer->connection, size);
    return PIECE_SENT;
}

static enum piece_end send_message_of(struct link_queue *q, const struct link_send *s,
                                      Docad__PeerQueuePairData *m)
{
    const struct connection *c = q->peer->connection;

    if (s->unread && !get_bytes(q, s, (uint32_t)m->data.len, q->data + s->offset))
        return PIECE_DROPPED;
    peer_send(q->peer, message_of(PEER_QUEUE_PAIR_DATA, peer_queue_pair_data, m));
    q->peer->link_piece_end = connection_gone(c) + connection_queued(c);
    return PIECE_SENT;
}

// Sends the next bytes of the oldest message, and its header after the last ones.
static enum piece_end send_piece(struct link_queue *q)
{
    struct link_send *s = &q->sends[q->tail % SENDS];
    uint32_t n = s->length < PIECE ? s->length : PIECE;
    bool last = s->length == n;
    Docad__PeerQueuePairData m = DOCAD__PEER_QUEUE_PAIR_DATA__INIT;

    m.queue = q->there;
    m.offset = s->offset;
    m.data = (ProtobufCBinaryData){n, q->data + s->offset};
    if (last)
        m.header = (ProtobufCBinaryData){s->size, s->header};
    enum piece_end end =
        connection_has_room(q->peer->connection) ? pack_piece(q, s, &m) : send_message_of(q, s, &m);
    if (end == PIECE_SENT) {
        s->offset += n;
        s->done += n;
        s->length -= n;
    }
    q->tail += end == PIECE_DROPPED || (end == PIECE_SENT && last);
    return end;
}

void link_queues_go_on(struct peer *peer)
{
    while (!list_empty(&peer->link_ready) && has_room(peer)) {
        struct link_queue *q = list_entry(peer->link_ready.next, struct link_queue, turn);
        if (send_piece(q) == PIECE_HAS_NO_ROOM)
            return;
        list_remove(&q->turn);
        peer->link_round = q->round;
        if (q->tail != q->head)
            wait_for_turn(q);
    }
}

static bool begin_send(struct link_queue *q, const void *header, size_t size, uint32_t offset,
                       uint32_t length, bool unread)
{
    if (q->head - q->tail >= SENDS || size > CARRIER_HEADER_MAX)
        return false;
    struct link_send *s = &q->sends[q->head++ % SENDS];
    *s = (struct link_send){.size = size, .offset = offset, .length = length, .unread = unread};
    memcpy(s->header, header, size);
    if (!list_linked(&q->turn))
        wait_for_turn(q);
    link_queues_go_on(q->peer);
    return true;
}

static bool send_message(struct carrier *carrier, const void *header, size_t size, uint32_t offset,
                         uint32_t length)
{
    return begin_send(container_of(carrier, struct link_queue, carrier), header, size, offset,
                      length, false);
}

bool link_queue_send_unread(struct link_queue *q, const void *header, size_t size, uint32_t offset,
                            uint32_t length)
{
    return begin_send(q, header, size, offset, length, true);
}

static const struct carrier_ops carrier_ops = {.send = send_message};

// ---- from the other side ----------------------------------------------------------------

void *link_queue_place(struct peer *peer, const struct piece *rest)
{
    struct link_queue *q = idmap_get(&peer->link_queues, rest->queue, struct link_queue, id);

    if (!q || !q->connected || rest->offset > DATA_SIZE || rest->length > DATA_SIZE - rest->offset)
        return NULL; // link_queue_message() has the reason
    return q->data + rest->offset;
}

void link_queue_message(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerQueuePairData *m = message->peer_queue_pair_data;
    struct link_queue *q = idmap_get(&peer->link_queues, m->queue, struct link_queue, id);

    if (!q || !q->connected)
        return; // the queue has ended here
    if (m->data.len > DATA_SIZE || m->offset > DATA_SIZE - m->data.len ||
        m->header.len > CARRIER_HEADER_MAX) {
        q->carrier.owner->misled(q->carrier.arg,
                                 "the other node sends something that is not a message");
        return;
    }
    if (m->data.len)
        memcpy(q->data + m->offset, m->data.data, m->data.len);
    if (m->header.len)
        q->carrier.owner->received(q->carrier.arg, m->header.data, m->header.len);
}

// ---- the link goes ----------------------------------------------------------------------

// Finds a queue that is connected, or not; NULL if there is none.
static struct link_queue *find(struct peer *peer, bool connected)
{
    struct link_queue *q;
    idmap_for_each (q, &peer->link_queues, id)
        if (q->connected == connected)
            return q;
    return NULL;
}

void link_queues_end(struct peer *peer)
{
    struct link_queue *q;
    peer->link_piece_end = 0; // it was a position in the old connection
    while ((q = find(peer, true))) {
        q->connected = false;
        list_remove(&q->turn);
        q->carrier.owner->cut(q->carrier.arg, "the link is down");
    }
}

void link_queues_adopt(struct peer *to, struct peer *from)
{
    struct link_queue *q;
    while ((q = find(from, false))) {
        uint64_t id = q->id.id;
        idmap_remove(&from->link_queues, &q->id);
        q->peer = to;
        idmap_add(&to->link_queues, &q->id, id);
    }
}

// ---- lifetime ---------------------------------------------------------------------------

doca_error_t link_queue_new(struct link_queue **out, struct peer *peer, uid_t uid, void *data,
                            const struct carrier_owner *owner, void *arg, struct errtext *err)
{
    struct link_queue *q = calloc(1, sizeof(*q));
    if (!q)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    list_init(&q->turn);
    q->peer = peer;
    q->uid = uid;
    q->data = data;
    q->carrier = (struct carrier){&carrier_ops, owner, arg};
    idmap_add(&peer->link_queues, &q->id, node_next_id(peer->node));
    *out = q;
    return DOCA_SUCCESS;
}

struct link_queue *link_queue_free(struct link_queue *q)
{
    if (!q)
        return NULL;
    idmap_remove(&q->peer->link_queues, &q->id);
    list_remove(&q->turn);
    free(q);
    return NULL;
}

uint64_t link_queue_id(const struct link_queue *q)
{
    return q->id.id;
}

struct carrier *link_queue_connect(struct link_queue *q, uint64_t there)
{
    q->there = there;
    q->connected = true;
    return &q->carrier;
}
