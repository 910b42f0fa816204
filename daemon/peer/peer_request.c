// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_request.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "peer.h"

#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>

// A peer that does not answer must not make our memory grow.
#define UNANSWERED_MAX 4096 // then it gets no more requests
#define OVERDUE_MAX                                                                                \
    1024 // ended grants that it has not acknowledged in time: then its link is
         // dropped

struct peer_request {
    struct list in_peer;
    struct idmap_node serial; // peer->requests_by_serial
    struct peer *peer;
    struct event *timer;
    bool bounded;  // a requester waits for the answer
    bool overdue;  // not bounded, and timed out
    int waited_ms; // time that the timer has counted
    Docad__Message__BodyCase expected;
    uint8_t *packed; // the message, to be sent again if the link comes back
    size_t size;
    struct fd_list fds;
    peer_reply_fn done;        // NULL: abandoned, but an answer may still come;
    peer_unwanted_fn unwanted; // this gets it
    void *arg;
};

// Counts the record for its peer, or stops counting it.
static void account(const struct peer_request *request, int by)
{
    if (request->bounded)
        request->peer->n_bounded += (unsigned)by;
    if (request->overdue)
        request->peer->n_overdue += (unsigned)by;
}

static struct peer_request *destroy(struct peer_request *request)
{
    account(request, -1);
    list_remove(&request->in_peer);
    idmap_remove(&request->peer->requests_by_serial, &request->serial);
    if (request->timer)
        event_free(request->timer);
    for (size_t i = 0; i < request->fds.count; i++)
        fd_reaper_close(request->fds.fds[i], FD_REAPER_NO_UID);
    free(request->packed);
    free(request);
    return NULL;
}

static void finish(struct peer_request *request, const Docad__Message *reply, struct fd_list *fds,
                   const struct errtext *why)
{
    peer_reply_fn done = request->done;
    request->done = NULL;
    if (done)
        done(request->arg, request->peer, reply, fds, why);
}

static int limit_of(const struct peer *peer)
{
    return peer->no_descriptors ? PEER_REMOTE_LIMIT_MS : PEER_REQUEST_LIMIT_MS;
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct peer_request *request = arg;
    struct fd_list none = FD_LIST_EMPTY;
    struct errtext why;
    (void)fd;
    (void)what;

    request->waited_ms += limit_of(request->peer);
    if (request->peer->away && (!request->bounded || request->waited_ms < PEER_AWAY_LIMIT_MS)) {
        struct timeval limit = ms_to_timeval(limit_of(request->peer));
        event_add(request->timer, &limit);
        return;
    }
    snprintf(why.s, sizeof(why.s),
             request->peer->away ? "out of reach for %d ms; it may come back, try again"
                                 : "did not answer within %d ms; is its docad hanging?",
             request->peer->away ? request->waited_ms : limit_of(request->peer));
    log_peer_limited(LOG_LEVEL_WARNING, request->peer, "node %s: %s", request->peer->name, why.s);
    finish(request, NULL, &none, &why); // the record stays, for a late answer
    if (request->bounded)
        return;
    request->overdue = true;
    if (++request->peer->n_overdue > OVERDUE_MAX && request->peer->connection)
        connection_drop(request->peer->connection,
                        "it has not acknowledged the end of %d imports in time", OVERDUE_MAX);
}

static Docad__Message__BodyCase answer_to(Docad__Message__BodyCase request)
{
    switch (request) {
    case DOCAD__MESSAGE__BODY_PEER_IMPORT:
        return DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY;
    case DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE:
        return DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE_REPLY;
    case DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE:
        return DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY;
    case DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT:
        return DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY;
    case DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT:
        return DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT_REPLY;
    case DOCAD__MESSAGE__BODY_PEER_RDMA_CALL:
        return DOCAD__MESSAGE__BODY_PEER_RDMA_CALL_REPLY;
    default:
        return DOCAD__MESSAGE__BODY_OK;
    }
}

// Keeps a copy in case the link ends before the answer comes.
static bool copy(struct peer_request *request, const Docad__Message *message, const int *fds,
                 size_t n_fds)
{
    request->packed = malloc(docad__message__get_packed_size(message));
    if (!request->packed)
        return false;
    request->size = docad__message__pack(message, request->packed);
    for (; request->fds.count < n_fds; request->fds.count++) {
        int fd = fcntl(fds[request->fds.count], F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return false;
        request->fds.fds[request->fds.count] = fd;
    }
    return true;
}

static void send_again(struct peer *peer, struct peer_request *request)
{
    struct timeval limit = ms_to_timeval(limit_of(peer));

    if (!request->done) { // abandoned, and the answer was lost with the link
        destroy(request);
        return;
    }
    cleanup_message Docad__Message *message =
        request->packed ? docad__message__unpack(NULL, request->size, request->packed) : NULL;
    if (!message)
        return; // it ends at its time limit
    event_add(request->timer, &limit);
    connection_send(peer->connection, message, request->fds.fds, request->fds.count);
}

bool peer_requests_send_again(struct peer *peer, uint64_t *after, uint64_t until, unsigned *steps)
{
    struct idmap_node *next;
    while ((next = idmap_after(&peer->requests_by_serial, *after)) && next->id <= until) {
        if (!kind_step(steps))
            return false;
        *after = next->id;
        send_again(peer, container_of(next, struct peer_request, serial));
    }
    return true;
}

void peer_requests_adopt(struct peer *to, struct peer *from)
{
    struct peer_request *request, *next;
    list_for_each_safe (request, next, &from->requests, in_peer) {
        account(request, -1);
        idmap_remove(&from->requests_by_serial, &request->serial);
        request->peer = to;
        idmap_add(&to->requests_by_serial, &request->serial, request->serial.id);
        account(request, 1);
        list_remove(&request->in_peer);
        list_append(&to->requests, &request->in_peer);
    }
    if (to->last_serial < from->last_serial)
        to->last_serial = from->last_serial;
}

doca_error_t peer_request_send(struct peer_request **out, struct peer *peer,
                               Docad__Message *message, peer_reply_fn done,
                               peer_unwanted_fn unwanted, void *arg, struct errtext *err)
{
    return peer_request_send_fds(out, peer, message, NULL, 0, done, unwanted, arg, err);
}

doca_error_t peer_request_send_fds(struct peer_request **out, struct peer *peer,
                                   Docad__Message *message, const int *fds, size_t n_fds,
                                   peer_reply_fn done, peer_unwanted_fn unwanted, void *arg,
                                   struct errtext *err)
{
    struct timeval limit = ms_to_timeval(limit_of(peer));
    // Grants must end whatever the peer does, so any number of these requests is sent.
    bool bounded = message->body_case != DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED;

    if (peer->is_ending)
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s: the link went down: %s", peer->name,
                           peer->lost);
    if (bounded && peer->n_bounded >= UNANSWERED_MAX)
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s has %d unanswered requests; try later",
                           peer->name, UNANSWERED_MAX);
    struct peer_request *request = calloc(1, sizeof(*request));
    if (!request)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    request->peer = peer;
    request->bounded = bounded;
    message->serial = ++peer->last_serial;
    request->expected = answer_to(message->body_case);
    request->done = done;
    request->unwanted = unwanted;
    request->arg = arg;
    list_append(&peer->requests, &request->in_peer);
    idmap_add(&peer->requests_by_serial, &request->serial, message->serial);
    account(request, 1);
    request->timer = event_new(peer->node->base, -1, 0, on_timeout, request);
    if (!request->timer || event_add(request->timer, &limit) < 0) {
        destroy(request);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    if ((peer_may_return(peer) || peer->away) && !copy(request, message, fds, n_fds)) {
        destroy(request);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory or descriptors");
    }
    if (peer->state == PEER_LINKED && connection_send(peer->connection, message, fds, n_fds) < 0) {
        destroy(request);
        return errtext_set(err, DOCA_ERROR_DRIVER, "request to node %s is too large", peer->name);
    }
    if (out)
        *out = request;
    return DOCA_SUCCESS;
}

void peer_request_abandon(struct peer_request *request)
{
    request->done = NULL;
}

// The answer's descriptors did not fit into our table. Releases the remote object and reports the
// request as refused. A channel is requested again when there may be room.
static void fail_without_room(struct peer_request *request, const Docad__Message *reply)
{
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Message refusal = DOCAD__MESSAGE__INIT;
    struct fd_list none = FD_LIST_EMPTY;

    if (request->unwanted)
        request->unwanted(request->peer, reply);
    error.code = request->expected == DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY
                     ? DOCA_ERROR_AGAIN
                     : DOCA_ERROR_NO_MEMORY;
    error.text = (char *)PACKET_NO_ROOM;
    refusal.serial = reply->serial;
    refusal.body_case = DOCAD__MESSAGE__BODY_ERROR;
    refusal.error = &error;
    finish(request, &refusal, &none, NULL);
}

bool peer_request_answer(struct peer *peer, const Docad__Message *reply, struct fd_list *fds)
{
    struct peer_request *found =
        idmap_get(&peer->requests_by_serial, reply->serial, struct peer_request, serial);
    if (!found ||
        (reply->body_case != found->expected && reply->body_case != DOCAD__MESSAGE__BODY_ERROR))
        return false;
    if (found->done && fds->no_room && reply->body_case == found->expected)
        fail_without_room(found, reply);
    else if (found->done)
        finish(found, reply, fds, NULL);
    else if (found->unwanted && reply->body_case == found->expected)
        found->unwanted(peer, reply);
    destroy(found);
    return true;
}

bool peer_requests_fail_some(struct peer *peer, const char *why, unsigned *steps)
{
    struct fd_list none = FD_LIST_EMPTY;
    struct errtext text;

    errtext_write(&text, "the link went down: %s", why);
    while (!list_empty(&peer->requests)) {
        if (!kind_step(steps))
            return false;
        struct peer_request *request =
            list_entry(peer->requests.next, struct peer_request, in_peer);
        finish(request, NULL, &none, &text);
        destroy(request);
    }
    return true;
}
