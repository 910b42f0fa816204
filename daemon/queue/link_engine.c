// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "link_engine.h"

#include "cleanup.h"
#include "link_queue.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"

#include <event2/event.h>
#include <string.h>

#define DATA_SIZE (QP_CHUNKS * QP_CHUNK_SIZE)

struct link_engine {
    struct qp_client ring;
    struct link_queue *queue;
    struct event *channel;
    struct {
        bool used;
        uint32_t offset, back; // `back` bytes are returned if it succeeds
    } requests[QP_ENTRIES];    // by the number that the other side has assigned
    link_engine_ended_fn ended;
    void *arg;
};

// ---- back -------------------------------------------------------------------------------

// False if the engine has ended.
static bool answer(struct link_engine *e, const struct qp_completion *done)
{
    bool ok = done->status == DOCA_SUCCESS;
    uint32_t number = done->tag; // the tag that we put there: this ring is ours alone
    e->requests[number].used = false;
    if (link_queue_send(e->queue, done, sizeof(*done), e->requests[number].offset,
                        ok ? e->requests[number].back : 0))
        return true;
    e->ended(e->arg, "the other node sends more requests before it has its answers");
    return false;
}

static void on_channel(evutil_socket_t fd, short what, void *arg)
{
    struct link_engine *e = arg;
    struct qp_completion done;
    (void)fd;
    (void)what;

    qp_clear(&e->ring);
    do {
        while (qp_poll(&e->ring, &done))
            if (!answer(e, &done))
                return;
    } while (qp_arm(&e->ring));
}

// ---- from there -------------------------------------------------------------------------

static bool on_received(void *owner, const void *header, size_t size)
{
    struct link_engine *e = owner;
    struct qp_request r;

    if (size == sizeof(r))
        memcpy(&r, header, sizeof(r));
    if (size != sizeof(r) || r.tag >= QP_ENTRIES || e->requests[r.tag].used ||
        r.length > QP_CHUNK_SIZE || r.offset > DATA_SIZE - qp_bytes_back(&r) ||
        !qp_post(&e->ring, &r)) {
        e->ended(e->arg, "the other node sent a request that is not valid");
        return false;
    }
    e->requests[r.tag].used = true;
    e->requests[r.tag].offset = r.offset;
    e->requests[r.tag].back = qp_bytes_back(&r);
    qp_ring(&e->ring);
    return true;
}

static void on_failed(void *owner, const char *why)
{
    struct link_engine *e = owner;
    e->ended(e->arg, why);
}

// ---- life -------------------------------------------------------------------------------

static doca_error_t make(struct link_engine *e, struct peer *peer, uid_t uid, int fds[3],
                         struct errtext *err)
{
    static const struct link_queue_owner owner = {
        .received = on_received, .misled = on_failed, .cut = on_failed};

    int r = qp_client_init(&e->ring, fds[0], fds[1], fds[2]);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    e->channel = event_new(peer->node->base, e->ring.channel, EV_READ | EV_PERSIST, on_channel, e);
    if (!e->channel || event_add(e->channel, NULL) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return link_queue_new(&e->queue, peer, uid, e->ring.shared->data, &owner, e, err);
}

doca_error_t link_engine_new(struct link_engine **out, struct peer *peer, uid_t uid, int fds[3],
                             uint64_t there, link_engine_ended_fn ended, void *arg,
                             struct errtext *err)
{
    struct link_engine *e = calloc(1, sizeof(*e));
    if (!e) {
        for (int i = 0; i < 3; i++)
            close_fdp(&fds[i]);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    e->ended = ended;
    e->arg = arg;
    doca_error_t r = make(e, peer, uid, fds, err);
    if (r != DOCA_SUCCESS) {
        link_engine_free(e);
        return r;
    }
    link_queue_connect(e->queue, there);
    qp_arm(&e->ring);
    *out = e;
    return DOCA_SUCCESS;
}

struct link_engine *link_engine_free(struct link_engine *e)
{
    if (!e)
        return NULL;
    if (e->channel)
        event_free(e->channel);
    link_queue_free(e->queue); // before the data area is unmapped
    qp_client_fini(&e->ring);
    free(e);
    return NULL;
}

uint64_t link_engine_id(const struct link_engine *e)
{
    return link_queue_id(e->queue);
}
