// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "remote_engine.h"

#include "cleanup.h"
#include "engine.h"
#include "link_queue.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"
#include "rc_memory.h"
#include "rc_queue.h"
#include "rc_registration.h"
#include "region_bytes.h"

#include <doca_types.h>

#include <event2/event.h>
#include <string.h>

#define DATA_SIZE (QP_CHUNKS * QP_CHUNK_SIZE)

// How long bytes may still move through a dropped grant: at least this long, at most twice.
static const struct timeval DEADLINE = {.tv_usec = 400000};

// Bytes that are being moved.
struct move {
    struct list in_engine; // in engine->moves or engine->idle
    struct qp_request request;
    struct engine_hold hold; // held if `straight`
    struct rc_held held;
    bool straight; // from or to the region instead of our data area
    bool late;     // its grant had been dropped when the timer ran last
};

struct remote_engine {
    struct engine_queue_pair *qp;
    struct qp_client ring; // to its queue pair
    struct link_queue *link;
    struct rc_queue rc;
    struct carrier *carrier; // one of these two
    struct event *channel;

    // For a reliable connection:
    bool has_rc, pulls;
    struct event *deadline;
    struct move *all; // as many as can be in flight
    struct list moves, idle;
    struct {
        bool used;
        uint32_t offset, back;    // `back` bytes are returned if it succeeds
        struct qp_request unread; // its bytes are read when they are sent
    } requests[QP_ENTRIES];       // by the number that the other side has assigned
    const struct remote_engine_owner *owner;
    void *arg;
};

// ---- bytes on their way -------------------------------------------------------------------

static struct move *begin_move(struct remote_engine *e, const struct qp_request *r)
{
    struct move *move = list_entry(e->idle.next, struct move, in_engine);
    list_remove(&move->in_engine);
    list_append(&e->moves, &move->in_engine);
    move->request = *r;
    move->straight = move->late = false;
    return move;
}

// `moved`: the bytes were moved completely.
static void end_move(struct remote_engine *e, struct move *move, bool moved)
{
    if (move->straight) {
        rc_registration_release(move->held.registration);
        engine_hold_end(&move->hold, moved ? move->request.length : 0);
    }
    list_remove(&move->in_engine);
    list_append(&e->idle, &move->in_engine);
}

// Holds the memory that the request names. Returns false if the engine has to copy, or to refuse
// the request.
static bool hold(struct remote_engine *e, const struct qp_request *r, struct engine_hold *hold,
                 struct rc_held *held)
{
    if (!engine_hold_begin(e->qp, r, hold))
        return false;
    if (hold->memory &&
        rc_memory_hold(hold->memory, e->rc.parts.device, r->address, r->length, held))
        return true;
    engine_hold_end(hold, 0);
    return false;
}

// ---- back -------------------------------------------------------------------------------

// Returns false if the engine has ended.
static bool sent(struct remote_engine *e, bool accepted)
{
    if (!accepted)
        e->owner->ended(e->arg, "the connection accepts no answers");
    return accepted;
}

// Answers a request whose bytes the engine has copied. Returns false if the engine has ended.
static bool answer(struct remote_engine *e, const struct qp_completion *done)
{
    uint32_t number = done->tag; // the tag that we put there: this ring is ours alone
    uint32_t back = done->status == DOCA_SUCCESS ? e->requests[number].back : 0;

    e->requests[number].used = false;
    return sent(e, carrier_send(e->carrier, done, sizeof(*done), e->requests[number].offset, back));
}

// Returns whether the bytes of a request can be read here without blocking. That saves a copy, and
// waking two threads. `out` NULL: only checks; otherwise reads them. `over`: they are the last.
static bool read_here(struct remote_engine *e, const struct qp_request *r, uint8_t *out, bool over)
{
    struct engine_hold hold;

    if (!engine_hold_begin(e->qp, r, &hold))
        return false;
    const struct rc_memory *memory = hold.memory;
    const struct region *region = memory ? memory->region : NULL;
    bool done = region && (out ? region_read_at_once(region, r->address, r->length, out)
                               : region_reads_at_once(region, r->address, r->length));
    hold.by_docad = true;
    engine_hold_end(&hold, done && over ? e->requests[r->tag].unread.length : 0);
    return done;
}

// Sends the bytes of a request when the link has room for them, and only then reads them.
static bool answer_unread(struct remote_engine *e, const struct qp_request *r)
{
    const struct qp_completion done = {.tag = r->tag, .status = DOCA_SUCCESS};

    e->requests[r->tag].unread = *r;
    return sent(e, link_queue_send_unread(e->link, &done, sizeof(done), r->offset, r->length));
}

// Answers a request whose bytes the device moves. Returns false if the engine has ended.
static bool answer_move(struct remote_engine *e, uint32_t number, const struct rc_bytes *bytes,
                        struct move *move)
{
    struct qp_completion done = {.tag = number, .status = DOCA_SUCCESS};

    e->requests[number].used = false;
    return sent(e, rc_queue_send(&e->rc, &done, sizeof(done), bytes, move));
}

static void take_answers(struct remote_engine *e)
{
    struct qp_completion done;
    do {
        while (qp_poll(&e->ring, &done))
            if (!answer(e, &done))
                return;
    } while (qp_arm(&e->ring));
}

static void on_channel(evutil_socket_t fd, short what, void *arg)
{
    struct remote_engine *e = arg;
    (void)fd;
    (void)what;
    qp_clear(&e->ring);
    take_answers(e);
}

// ---- from there -------------------------------------------------------------------------

// Passes a request to the engine; its bytes are in the data area. Returns false if the engine has
// ended.
static bool forward(struct remote_engine *e, const struct qp_request *r)
{
    if (!qp_post(&e->ring, r)) {
        e->owner->ended(e->arg, "the other node sent more requests than there is room for");
        return false;
    }
    qp_ring(&e->ring);
    return true;
}

// Called by the link when it has room for some bytes of a request.
static bool on_read(void *owner, const void *header, uint32_t at, uint32_t size, void *to)
{
    struct remote_engine *e = owner;
    struct qp_completion done;

    memcpy(&done, header, sizeof(done));
    const struct qp_request *whole = &e->requests[done.tag].unread;
    struct qp_request part = *whole;
    bool over = at + size == whole->length;
    part.address += at;
    part.offset += at;
    part.length = size;
    if (read_here(e, &part, to, over)) {
        e->requests[done.tag].used = !over;
        return true;
    }
    // It can no longer be read here, or not at all: the engine does it, or refuses it. Its ring has
    // room: each request there has another tag.
    qp_post(&e->ring, whole);
    qp_ring(&e->ring);
    return false;
}

static bool fetch(struct remote_engine *e, struct move *move, const struct rc_bytes *bytes)
{
    if (rc_queue_fetch(&e->rc, bytes, move))
        return true;
    e->owner->ended(e->arg, "the connection accepts no requests");
    return false;
}

// Moves bytes between the registered part and the other side's data area. Returns false if the
// engine has ended.
static bool go_straight(struct remote_engine *e, struct move *move)
{
    const struct qp_request *r = &move->request;
    struct rc_bytes bytes = {
        .local = move->held.start, .key = move->held.key, .length = r->length, .offset = r->offset};

    move->straight = true;
    if (r->opcode == QP_WRITE)
        return fetch(e, move, &bytes); // the answer follows
    return answer_move(e, r->tag, &bytes, move);
}

static bool is_pull(const struct remote_engine *e, const struct qp_request *r)
{
    return e->has_rc && r->opcode == QP_WRITE && r->reserved & RC_PULL && r->length > 0;
}

static bool begin(struct remote_engine *e, const struct qp_request *r)
{
    bool pull = is_pull(e, r);
    struct engine_hold held_grant;
    struct rc_held held;

    if (!e->has_rc && r->opcode == QP_READ && read_here(e, r, NULL, false))
        return answer_unread(e, r);
    bool straight = e->has_rc && (pull || r->opcode == QP_READ) && hold(e, r, &held_grant, &held);

    if (!straight && !pull)
        return forward(e, r);
    struct move *move = begin_move(e, r);
    if (straight) {
        move->hold = held_grant;
        move->held = held;
        return go_straight(e, move);
    }
    struct rc_bytes bytes = rc_queue_data(&e->rc, r->offset, r->length);
    return fetch(e, move, &bytes);
}

// The part of the data areas that RDMA uses for the request. The engine checks the rest.
static uint32_t span(const struct remote_engine *e, const struct qp_request *r)
{
    return is_pull(e, r) ? r->length : qp_bytes_back(r);
}

static bool on_received(void *owner, const void *header, size_t size)
{
    struct remote_engine *e = owner;
    struct qp_request r;

    if (size == sizeof(r))
        memcpy(&r, header, sizeof(r));
    if (size != sizeof(r) || r.tag >= QP_ENTRIES || e->requests[r.tag].used ||
        r.length > QP_CHUNK_SIZE || r.offset > DATA_SIZE - span(e, &r)) {
        e->owner->ended(e->arg, "the other node sent a request that is not valid");
        return false;
    }
    e->requests[r.tag].used = true;
    e->requests[r.tag].offset = r.offset;
    e->requests[r.tag].back = qp_bytes_back(&r);
    return begin(e, &r);
}

static bool on_over(void *owner, void *context)
{
    struct remote_engine *e = owner;
    struct move *move = context;
    struct qp_request r = move->request;
    bool straight = move->straight;

    end_move(e, move, true);
    if (r.opcode != QP_WRITE)
        return true; // it was answered
    return straight ? answer_move(e, r.tag, NULL, NULL) : forward(e, &r);
}

static void on_connected(void *owner, const char *why)
{
    struct remote_engine *e = owner;
    if (!why)
        qp_arm(&e->ring);
    e->owner->connected(e->arg, why);
}

static void on_failed(void *owner, const char *why)
{
    struct remote_engine *e = owner;
    e->owner->ended(e->arg, why);
}

// ---- haste ------------------------------------------------------------------------------

static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
    struct remote_engine *e = arg;
    struct move *move;
    bool again = false;
    (void)fd;
    (void)what;

    list_for_each (move, &e->moves, in_engine) {
        if (!move->straight || !engine_hold_is_dropped(&move->hold))
            continue;
        if (move->late) {
            e->owner->ended(e->arg, "bytes still move to or from memory that was revoked");
            return;
        }
        move->late = again = true;
    }
    if (again)
        event_add(e->deadline, &DEADLINE);
}

void remote_engine_set_deadline(struct remote_engine *e)
{
    if (!list_empty(&e->moves) && !event_pending(e->deadline, EV_TIMEOUT, NULL))
        event_add(e->deadline, &DEADLINE);
}

// ---- lifetime ---------------------------------------------------------------------------

static const struct carrier_owner carrier_owner = {.connected = on_connected,
                                                   .received = on_received,
                                                   .read = on_read,
                                                   .over = on_over,
                                                   .misled = on_failed,
                                                   .cut = on_failed};

static bool make_moves(struct remote_engine *e)
{
    // One more than allowed, to notice that the limit is reached.
    e->all = calloc(RC_SENDS + 1, sizeof(*e->all));
    for (size_t i = 0; e->all && i < RC_SENDS + 1; i++)
        list_append(&e->idle, &e->all[i].in_engine);
    return e->all;
}

static doca_error_t make_ring(struct remote_engine *e, struct event_base *base, int fds[3],
                              struct errtext *err)
{
    int r = qp_client_init(&e->ring, fds[0], fds[1], fds[2]);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    e->channel = event_new(base, e->ring.channel, EV_READ | EV_PERSIST, on_channel, e);
    if (!e->channel || event_add(e->channel, NULL) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

static doca_error_t make_rc(struct remote_engine *e, struct peer *peer,
                            const Docad__RcAddress *there, struct errtext *err)
{
    e->deadline = evtimer_new(peer->node->base, on_deadline, e);
    if (!e->deadline || !make_moves(e))
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = rc_queue_init(&e->rc, peer, e->ring.shared->data, DOCA_ACCESS_RDMA_WRITE,
                                   &carrier_owner, e, err);
    if (r != DOCA_SUCCESS)
        return r;
    e->has_rc = true;
    e->pulls = there->reads > 0;
    e->carrier = &e->rc.carrier;
    return rc_queue_connect(&e->rc, peer, there, err);
}

static doca_error_t make_link(struct remote_engine *e, struct peer *peer, uid_t uid, uint64_t there,
                              struct errtext *err)
{
    doca_error_t r =
        link_queue_new(&e->link, peer, uid, e->ring.shared->data, &carrier_owner, e, err);
    if (r != DOCA_SUCCESS)
        return r;
    e->carrier = link_queue_connect(e->link, there);
    qp_arm(&e->ring);
    return DOCA_SUCCESS;
}

doca_error_t remote_engine_new(struct remote_engine **out, struct peer *peer,
                               struct engine_queue_pair *qp, uid_t uid, int fds[3],
                               const struct remote_end *there,
                               const struct remote_engine_owner *owner, void *arg,
                               struct errtext *err)
{
    struct remote_engine *e = calloc(1, sizeof(*e));
    if (!e) {
        for (int i = 0; i < 3; i++)
            close_fdp(&fds[i]);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    e->qp = qp;
    list_init(&e->moves);
    list_init(&e->idle);
    e->owner = owner;
    e->arg = arg;
    doca_error_t r = make_ring(e, peer->node->base, fds, err);
    if (r == DOCA_SUCCESS)
        r = there->rc ? make_rc(e, peer, there->rc, err)
                      : make_link(e, peer, uid, there->link, err);
    if (r != DOCA_SUCCESS) {
        remote_engine_free(e);
        return r;
    }
    *out = e;
    return DOCA_SUCCESS;
}

struct remote_engine *remote_engine_free(struct remote_engine *e)
{
    if (!e)
        return NULL;
    if (e->channel)
        event_free(e->channel);
    if (e->deadline)
        event_free(e->deadline);
    rc_queue_fini(&e->rc); // before the data area is unmapped
    link_queue_free(e->link);
    while (!list_empty(&e->moves))
        end_move(e, list_entry(e->moves.next, struct move, in_engine), false);
    free(e->all);
    qp_client_fini(&e->ring);
    free(e);
    return NULL;
}

const char *remote_engine_device(const struct remote_engine *e)
{
    return e->rc.parts.device->way;
}

void remote_engine_avoid_device(struct remote_engine *e, struct peer *peer, const char *why)
{
    rc_queue_avoid(&e->rc, peer, why);
}

unsigned remote_engine_fds(const struct remote_end *there)
{
    return there->rc ? 3 : 2; // the ring's, and the completion channel
}

bool remote_engine_describe(struct remote_engine *e, Docad__RcAddress *rc, uint64_t *link)
{
    if (!e->has_rc) {
        *link = link_queue_id(e->link);
        return false;
    }
    rc_queue_describe(&e->rc, rc);
    rc->pulls = e->pulls;
    return true;
}
