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

#define SENDS     128u   // more than can be in flight: QP_ENTRIES
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
    struct idmap_node id;              // peer->link_queues
    struct list turn;                  // in peer->link_ready while it has something to send
    uint64_t round;                    // in one round each user has one turn
    uint64_t order;                    // within the round
    struct tree_node by_round, by_uid; // while it is in peer->link_ready
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

// ---- turns ------------------------------------------------------------------------------

struct place {
    uint64_t round, order;
};

static struct link_queue *of_round(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct link_queue, by_round) : NULL;
}

static int compare_place(const struct tree_node *node, const void *key)
{
    const struct link_queue *q = of_round(node);
    const struct place *place = key;
    if (q->round != place->round)
        return q->round < place->round ? -1 : 1;
    return (q->order > place->order) - (q->order < place->order);
}

static int compare_rounds(const struct tree_node *a, const struct tree_node *b)
{
    const struct link_queue *q = of_round(b);
    return compare_place(a, &(struct place){q->round, q->order});
}

static struct link_queue *of_uid(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct link_queue, by_uid) : NULL;
}

static int compare_uid(const struct tree_node *node, const void *uid)
{
    const uid_t own = of_uid(node)->uid, other = *(const uid_t *)uid;
    return (own > other) - (own < other);
}

// The latest round of a user comes first.
static int compare_uids(const struct tree_node *a, const struct tree_node *b)
{
    const struct link_queue *q = of_uid(a), *other = of_uid(b);
    int order = compare_uid(a, &other->uid);
    return order ? order : (q->round < other->round) - (q->round > other->round);
}

// The user's queue whose turn comes last; NULL if none waits.
static struct link_queue *last_of(const struct peer *peer, uid_t uid)
{
    struct link_queue *q = of_uid(tree_seek(&peer->link_uids, &uid, compare_uid));
    return q && q->uid == uid ? q : NULL;
}

// Queues it after everything in the first round in which its user has no other turn.
static void wait_for_turn(struct link_queue *q)
{
    struct peer *peer = q->peer;
    const struct link_queue *own = last_of(peer, q->uid);

    q->round = peer->link_round + 1;
    if (own && own->round >= q->round)
        q->round = own->round + 1;
    q->order = ++peer->link_order;
    const struct place next_round = {q->round + 1, 0};
    struct link_queue *next = of_round(tree_seek(&peer->link_rounds, &next_round, compare_place));
    list_append(next ? &next->turn : &peer->link_ready, &q->turn); // before it, or last
    tree_add(&peer->link_rounds, &q->by_round, compare_rounds);
    tree_add(&peer->link_uids, &q->by_uid, compare_uids);
}

static void give_up_turn(struct link_queue *q)
{
    if (!list_linked(&q->turn))
        return;
    list_remove(&q->turn);
    tree_remove(&q->peer->link_rounds, &q->by_round, compare_rounds);
    tree_remove(&q->peer->link_uids, &q->by_uid, compare_uids);
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
        give_up_turn(q);
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

// The end of one may be that of others.
void link_queues_end(struct peer *peer)
{
    struct idmap_node *node;
    peer->link_piece_end = 0; // it was a position in the old connection
    for (uint64_t id = 0; (node = idmap_after(&peer->link_queues, id));) {
        struct link_queue *q = container_of(node, struct link_queue, id);
        id = node->id;
        if (!q->connected)
            continue;
        q->connected = false;
        give_up_turn(q);
        q->carrier.owner->cut(q->carrier.arg, "the link is down");
    }
}

void link_queues_adopt(struct peer *to, struct peer *from)
{
    struct link_queue *q;
    to->link_queues = from->link_queues;
    idmap_init(&from->link_queues);
    idmap_for_each (q, &to->link_queues, id)
        q->peer = to;
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
    give_up_turn(q);
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
