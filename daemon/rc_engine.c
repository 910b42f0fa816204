// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_engine.h"

#include "cleanup.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"
#include "rc_queue.h"

#include <event2/event.h>
#include <string.h>

#define DATA_SIZE (QP_CHUNKS * QP_CHUNK_SIZE)

struct rc_engine {
    struct qp_client ring;
    struct rc_queue queue;
    struct event *channel;
    struct {
        bool used;
        uint32_t offset, back; // bytes that go back if it succeeds
    } requests[QP_ENTRIES];    // by the number that the other side gave
    rc_engine_ended_fn ended;
    void *arg;
};

static uint32_t bytes_back(const struct qp_request *r)
{
    switch (r->opcode) {
    case QP_READ:
        return r->length;
    case QP_FETCH_ADD:
    case QP_CMP_SWP:
        return sizeof(uint64_t); // what the word was
    default:
        return 0;
    }
}

// ---- back -------------------------------------------------------------------------------

// False if it has ended.
static bool answer(struct rc_engine *e, const struct qp_completion *done)
{
    bool ok = done->status == DOCA_SUCCESS;
    uint32_t number = done->tag; // as we put it there: this ring is ours alone
    e->requests[number].used = false;
    if (rc_queue_send(&e->queue, done, sizeof(*done), e->requests[number].offset,
                      ok ? e->requests[number].back : 0))
        return true;
    e->ended(e->arg, "the connection takes no answers");
    return false;
}

static void take_answers(struct rc_engine *e)
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
    struct rc_engine *e = arg;
    (void)fd;
    (void)what;
    qp_clear(&e->ring);
    take_answers(e);
}

// ---- from there -------------------------------------------------------------------------

static bool on_received(void *owner, const void *header, size_t size)
{
    struct rc_engine *e = owner;
    struct qp_request r;

    if (size == sizeof(r))
        memcpy(&r, header, sizeof(r));
    if (size != sizeof(r) || r.tag >= QP_ENTRIES || e->requests[r.tag].used ||
        r.length > QP_CHUNK_SIZE || r.offset > DATA_SIZE - bytes_back(&r) ||
        !qp_post(&e->ring, &r)) {
        e->ended(e->arg, "the other node asks what makes no sense");
        return false;
    }
    e->requests[r.tag].used = true;
    e->requests[r.tag].offset = r.offset;
    e->requests[r.tag].back = bytes_back(&r);
    qp_ring(&e->ring);
    return true;
}

static void on_failed(void *owner, const char *why)
{
    struct rc_engine *e = owner;
    e->ended(e->arg, why);
}

// ---- life -------------------------------------------------------------------------------

static doca_error_t make(struct rc_engine *e, const struct peer *peer, int fds[3],
                         const Docad__RcAddress *there, struct errtext *err)
{
    static const struct rc_queue_owner owner = {.received = on_received, .failed = on_failed};

    int r = qp_client_init(&e->ring, fds[0], fds[1], fds[2]);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    e->channel = event_new(peer->node->base, e->ring.channel, EV_READ | EV_PERSIST, on_channel, e);
    if (!e->channel || event_add(e->channel, NULL) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t code = rc_queue_init(&e->queue, peer, e->ring.shared->data, &owner, e, err);
    if (code == DOCA_SUCCESS)
        code = rc_queue_connect(&e->queue, there, err);
    if (code == DOCA_SUCCESS)
        qp_arm(&e->ring);
    return code;
}

doca_error_t rc_engine_new(struct rc_engine **out, const struct peer *peer, int fds[3],
                           const Docad__RcAddress *there, rc_engine_ended_fn ended, void *arg,
                           struct errtext *err)
{
    struct rc_engine *e = calloc(1, sizeof(*e));
    if (!e) {
        for (int i = 0; i < 3; i++)
            close_fdp(&fds[i]);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    e->ended = ended;
    e->arg = arg;
    doca_error_t r = make(e, peer, fds, there, err);
    if (r != DOCA_SUCCESS) {
        rc_engine_free(e);
        return r;
    }
    *out = e;
    return DOCA_SUCCESS;
}

struct rc_engine *rc_engine_free(struct rc_engine *e)
{
    if (!e)
        return NULL;
    if (e->channel)
        event_free(e->channel);
    rc_queue_fini(&e->queue); // before the data area goes
    qp_client_fini(&e->ring);
    free(e);
    return NULL;
}

void rc_engine_describe(struct rc_engine *e, Docad__RcAddress *out)
{
    rc_queue_describe(&e->queue, out);
}
