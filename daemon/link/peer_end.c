// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How links end: objects that use a link end with it, or wait until it is up again; and a
// configured peer is dialled again.

#include "monitor.h"
#include "peer_link.h"

#include "announcement.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "link_queue.h"
#include "log.h"
#include "node.h"
#include "peer_life.h"
#include "peer_pieces.h"
#include "peer_resume.h"
#include "tls_handshake.h"

#include <assert.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKOFF_MIN_MS 50
#define BACKOFF_MAX_MS 1000

// ---- dialling again -------------------------------------------------------------------

void peer_dial_later(struct peer *peer, unsigned ms)
{
    struct timeval later = ms_to_timeval(ms);
    event_add(peer->timer, &later);
}

// Writes one log line for each new reason, not for each attempt.
static void note_error(struct peer *peer, const char *why)
{
    if (strncmp(peer->last_error, why, sizeof(peer->last_error) - 1) == 0)
        return;
    copy_text(peer->last_error, why);
    log_event(LOG_EVENT_NO_LINK, LOG_LEVEL_INFO, LOG_ABOUT(.peer = peer->name),
              "peer %s: no link: %s; trying again", config_peer_where(peer->config), why);
}

static unsigned longer(unsigned ms)
{
    if (ms < BACKOFF_MIN_MS)
        return BACKOFF_MIN_MS;
    return ms < BACKOFF_MAX_MS / 2 ? 2 * ms : BACKOFF_MAX_MS;
}

void peer_dial_failed(struct peer *peer, const char *why)
{
    note_error(peer, why);
    peer->node->counters.dials_failed++;
    peer->backoff_ms = longer(peer->backoff_ms);
    peer_dial_later(peer, peer->backoff_ms);
}

// Two peers that always replace each other must not keep the dialled node busy.
void peer_dial_again(struct peer *peer)
{
    if (clock_ms() - peer->linked_ms >= BACKOFF_MAX_MS)
        peer->again_ms = 0;
    peer_dial_later(peer, peer->again_ms);
    peer->again_ms = longer(peer->again_ms);
}

// ---- waiting --------------------------------------------------------------------------

void peer_wait_for_return(struct peer *peer)
{
    struct timeval grace = ms_to_timeval(peer->node->config->peer_grace_ms);
    peer->away = true;
    peer->was_apart = peer->no_descriptors;
    event_add(peer->grace, &grace);
}

void peer_on_grace(int fd, short what, void *arg)
{
    struct peer *peer = arg;
    (void)fd;
    (void)what;

    if (!peer->away)
        return;
    log_peer_limited(LOG_LEVEL_INFO, peer,
                     "node %s did not come back within %llu ms (peer_grace_ms): imports from it "
                     "and its channels have ended",
                     peer->name, (unsigned long long)peer->node->config->peer_grace_ms);
    peer_end_objects(peer, "it did not come back");
    if (!peer->config && !peer->connection)
        peer_free(peer);
}

// ---- ends -----------------------------------------------------------------------------

// Makes the peers that were standby for this link dial again.
static void wake_standbys(struct peer *ended)
{
    struct peer *peer;
    list_for_each (peer, &ended->node->peers, in_node) {
        if (peer->state == PEER_STANDBY &&
            memcmp(peer->id_there, ended->id_there, NODE_ID_SIZE) == 0) {
            peer->state = PEER_CONNECTING;
            peer_dial_later(peer, 0);
        }
    }
}

void peer_end_objects(struct peer *peer, const char *why)
{
    peer->away = false;
    event_del(peer->grace);
    fdstore_drop(&peer->stored);
    peer_objects_end(peer, why);
}

// If the other side closes the connection, or even if its kernel resets it, its docad may still
// run: it may have given up an attempt to link that took too long, or may have lost contact with
// this side for a while. Which docad it is becomes known when it is linked again.
void peer_unlink(struct peer *peer, const char *why)
{
    bool linked = peer->state == PEER_LINKED;
    bool wait = linked && peer_may_return(peer);

    event_del(peer->timer);
    peer->dialling = tls_handshake_free(peer->dialling);
    peer->connection = connection_free(peer->connection);
    if (!linked)
        return;
    peer->state = PEER_CONNECTING;
    peer_sweep_stop(peer);
    peer_resume_stop(peer);
    link_queues_end(peer);
    announcement_end(peer);
    peer->node->counters.links_lost++;
    MONITOR(peer->node, .event = "peer-lost", .id = peer->id, .for_all = true, .name = peer->name,
            .text = why);
    copy_text(peer->last_error, why);
    log_event_limited(LOG_EVENT_LINK_DOWN, LOG_LEVEL_INFO, LOG_ABOUT(.peer = peer->name),
                      "link to %s node %s is down: %s%s", role_name(peer->role), peer->name, why,
                      wait ? "; waiting for it to come back" : "");
    node_changed(peer->node);
    if (wait)
        peer_wait_for_return(peer);
    else
        peer_end_objects(peer, why);
    wake_standbys(peer);
}

void peer_end_now(struct peer *peer, const char *why)
{
    peer->resumable = peer->resumes_apart = false; // do not wait for it
    if (peer->away) {
        peer_end_objects(peer, why);
    } else {
        peer_unlink(peer, why);
        if (peer->config)
            peer_dial_again(peer);
    }
    if (!peer->config)
        peer_free(peer);
}

static void destroy(struct peer *peer)
{
    sched_dequeue(&peer->sweeping);
    sched_dequeue(&peer->ending);
    list_remove(&peer->in_node);
    assert(list_empty(&peer->requests) && list_empty(&peer->importers) &&
           list_empty(&peer->qpairs) && list_empty(&peer->qpairs_to_renew) &&
           list_empty(&peer->users.list));
    assert(!peer->held.importers && !peer->held.grants && !peer->held.qpairs &&
           !peer->held.descriptors && !peer->names);
    idmap_fini(&peer->imports_by_grant);
    idmap_fini(&peer->importers_by_session);
    idmap_fini(&peer->requests_by_serial);
    idmap_fini(&peer->channels);
    idmap_fini(&peer->relays);
    idmap_fini(&peer->link_queues);
    idmap_fini(&peer->qpairs_there);
    event_free(peer->timer);
    event_free(peer->grace);
    free(peer);
}

// Others do not find it any more, but some of its objects may be left.
struct peer *peer_free(struct peer *peer)
{
    if (!peer)
        return NULL;
    peer_unlink(peer, "docad is stopping");
    if (peer->away)
        peer_end_objects(peer, "docad is stopping");
    fdstore_drop(&peer->stored);
    if (!peer_is_ending(peer)) {
        destroy(peer);
        return NULL;
    }
    event_del(peer->timer);
    peer->config = NULL;
    list_remove(&peer->in_node);
    list_append(&peer->node->peers_ending, &peer->in_node);
    peer_when_ended(peer, destroy);
    return NULL;
}

void peers_free_all(struct node *node)
{
    while (!list_empty(&node->peers))
        peer_free(list_entry(node->peers.next, struct peer, in_node));
    while (!list_empty(&node->peers_ending)) {
        struct peer *peer = list_entry(node->peers_ending.next, struct peer, in_node);
        peer_objects_end_now(peer);
        destroy(peer);
    }
}
