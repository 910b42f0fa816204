// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_client.h"

#include "cleanup.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"
#include "rc_queue.h"

#include <event2/event.h>
#include <string.h>

#define TAKE_BATCH 16 // requests of one client before the others' turn
#define DATA_SIZE  (QP_CHUNKS * QP_CHUNK_SIZE)

struct rc_client {
    struct qp_server ring;
    struct rc_queue queue;
    struct event *doorbell;
    uint32_t tags[QP_ENTRIES]; // the client's, by the number that goes to the other side
    uint64_t free;             // numbers: a bit each
    int fds[QPAIR_FDS];
    bool connected;
    rc_client_ended_fn ended;
    void *arg;
};

_Static_assert(QP_ENTRIES == 64, "a number for each bit of `free`");

static void corrupted(struct rc_client *c)
{
    event_del(c->doorbell);
    c->ended(c->arg, true, "its ring is corrupted");
}

// ---- there ------------------------------------------------------------------------------

static bool is_atomic(const struct qp_request *r)
{
    return r->opcode == QP_FETCH_ADD || r->opcode == QP_CMP_SWP;
}

// What of the data area a request uses. The engine there checks all the rest.
static bool fits(const struct qp_request *r)
{
    uint32_t size = is_atomic(r) ? sizeof(struct qp_atomic) : r->length;
    return r->length > 0 && r->length <= QP_CHUNK_SIZE && r->offset <= DATA_SIZE - size;
}

// 1: sent, or completed at once; 0: the connection does not take it; -1: corrupted.
static int forward(struct rc_client *c, const struct qp_request *request)
{
    struct qp_request out = *request;
    uint32_t bytes = request->opcode == QP_WRITE ? request->length
                     : is_atomic(request)        ? sizeof(struct qp_atomic)
                                                 : 0;
    if (!fits(request))
        return qp_server_complete(&c->ring, request->tag, DOCA_ERROR_INVALID_VALUE) < 0 ? -1 : 1;
    unsigned number = (unsigned)__builtin_ctzll(c->free);
    out.tag = number;
    if (!rc_queue_send(&c->queue, &out, sizeof(out), request->offset, bytes))
        return 0;
    c->free &= ~(1ull << number);
    c->tags[number] = request->tag;
    return 1;
}

// False if the client has been told to end.
static bool take(struct rc_client *c)
{
    struct qp_request r;

    for (int i = 0; i < TAKE_BATCH; i++) {
        if (c->free == 0)
            return true; // an answer makes room
        int n = qp_server_next(&c->ring, &r);
        if (n == 0) {
            if (!qp_server_sleep(&c->ring))
                return true;
            qp_server_awake(&c->ring);
            continue;
        }
        int sent = n > 0 ? forward(c, &r) : -1;
        if (sent < 0) {
            corrupted(c);
            return false;
        }
        if (sent == 0) {
            c->ended(c->arg, false, "the connection takes no requests");
            return false;
        }
    }
    event_active(c->doorbell, EV_TIMEOUT, 0);
    return true;
}

static void on_doorbell(evutil_socket_t fd, short what, void *arg)
{
    struct rc_client *c = arg;
    (void)fd;
    (void)what;
    if (c->connected)
        take(c);
}

// ---- back -------------------------------------------------------------------------------

static bool on_received(void *owner, const void *header, size_t size)
{
    struct rc_client *c = owner;
    struct qp_completion done;

    if (size == sizeof(done))
        memcpy(&done, header, sizeof(done));
    if (size != sizeof(done) || done.tag >= QP_ENTRIES || (c->free >> done.tag & 1)) {
        c->ended(c->arg, false, "the other node answers what was not asked");
        return false;
    }
    bool was_full = c->free == 0;
    c->free |= 1ull << done.tag;
    if (qp_server_complete(&c->ring, c->tags[done.tag], done.status) < 0) {
        corrupted(c);
        return false;
    }
    return was_full ? take(c) : true;
}

static void on_failed(void *owner, const char *why)
{
    struct rc_client *c = owner;
    c->ended(c->arg, false, why);
}

// ---- life -------------------------------------------------------------------------------

static doca_error_t make(struct rc_client *c, const struct peer *peer, struct errtext *err)
{
    static const struct rc_queue_owner owner = {.received = on_received, .failed = on_failed};
    int r = qp_server_init(&c->ring, c->fds);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    c->doorbell =
        event_new(peer->node->base, c->ring.doorbell, EV_READ | EV_ET | EV_PERSIST, on_doorbell, c);
    if (!c->doorbell || event_add(c->doorbell, NULL) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return rc_queue_init(&c->queue, peer, c->ring.shared->data, &owner, c, err);
}

doca_error_t rc_client_new(struct rc_client **out, const struct peer *peer,
                           rc_client_ended_fn ended, void *arg, struct errtext *err)
{
    struct rc_client *c = calloc(1, sizeof(*c));
    if (!c)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    c->fds[0] = c->fds[1] = c->fds[2] = -1;
    c->free = UINT64_MAX;
    c->ended = ended;
    c->arg = arg;
    doca_error_t r = make(c, peer, err);
    if (r != DOCA_SUCCESS) {
        rc_client_free(c);
        return r;
    }
    *out = c;
    return DOCA_SUCCESS;
}

struct rc_client *rc_client_free(struct rc_client *c)
{
    if (!c)
        return NULL;
    if (c->doorbell)
        event_free(c->doorbell);
    rc_queue_fini(&c->queue); // before the data area goes
    qp_server_fini(&c->ring);
    rc_client_handed_over(c);
    free(c);
    return NULL;
}

void rc_client_describe(struct rc_client *c, Docad__RcAddress *out)
{
    rc_queue_describe(&c->queue, out);
}

doca_error_t rc_client_connect(struct rc_client *c, const Docad__RcAddress *there,
                               struct errtext *err)
{
    doca_error_t r = rc_queue_connect(&c->queue, there, err);
    if (r != DOCA_SUCCESS)
        return r;
    c->connected = true;
    event_active(c->doorbell, EV_TIMEOUT, 0); // announces that it sleeps
    return DOCA_SUCCESS;
}

const int *rc_client_fds(const struct rc_client *c)
{
    return c->fds;
}

void rc_client_handed_over(struct rc_client *c)
{
    for (int i = 0; i < QPAIR_FDS; i++)
        close_fdp(&c->fds[i]);
}
