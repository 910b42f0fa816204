// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_link.h"

#include "announcement.h"
#include "channel_relay.h"
#include "clock.h"
#include "config.h"
#include "connection.h"
#include "known_nodes.h"
#include "link_queue.h"
#include "log.h"
#include "monitor.h"
#include "node.h"
#include "node_faults.h"
#include "peer_life.h"
#include "peer_resume.h"
#include "rc_device.h"
#include "representor.h"

#include <event2/event.h>
#include <string.h>
#include <unistd.h>

#define LINK_OUTPUT_MAX (64u << 20) // a node that reads nothing is dropped then

// ---- its connection -------------------------------------------------------------------------

static void on_closed(void *owner, const char *why)
{
    struct peer *peer = owner;
    bool was_linked = peer->state == PEER_LINKED;

    peer_unlink(peer, why);
    if (!peer->config && !peer->away)
        peer_free(peer);
    else if (!peer->config)
        return; // wait until it has come back, or the time is up
    else if (was_linked)
        peer_dial_again(peer);
    else if (peer->state != PEER_STANDBY)
        peer_dial_failed(peer, why);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct peer *peer = owner;
    if (peer->state == PEER_LINKED) {
        peer_dispatch(peer, message, fds);
        peer_count_message(peer);
    } else {
        peer_dial_answered(peer, message);
    }
}

static void on_drained(void *owner)
{
    struct peer *peer = owner;
    link_queues_go_on(peer);
    channel_relays_go_on(peer);
    announcement_go_on(peer);
}

static void *place(void *owner, const struct piece *rest)
{
    struct peer *peer = owner;
    return peer->state == PEER_LINKED ? link_queue_place(peer, rest) : NULL;
}

void peer_own_connection(struct peer *peer)
{
    static const struct connection_owner owner = {
        .message = on_message, .closed = on_closed, .drained = on_drained, .place = place};
    connection_set_owner(peer->connection, &owner, peer);
    connection_set_sched(peer->connection, peer->node->sched, &peer->sched);
}

// ---- two links to one node ------------------------------------------------------------------

// Returns whether the link was dialled by the preferred side.
static bool is_preferred(const struct peer *peer)
{
    const struct node *node = peer->node;
    bool we_dialled = peer->config != NULL;
    bool ours_counts = node->config->role != peer->role
                           ? node->config->role == ROLE_DPU
                           : memcmp(node->id, peer->id_there, NODE_ID_SIZE) < 0;
    return we_dialled == ours_counts;
}

bool peer_displace_others(struct peer *peer)
{
    struct peer *other = peer_find_linked(peer->node, peer->id_there);
    if (!other)
        return true;
    bool same_direction = (other->config != NULL) == (peer->config != NULL);
    if (same_direction ? other->config && peer->config : !is_preferred(peer))
        return false; // two addresses of one node, or the other link is preferred
    log_peer_limited(LOG_LEVEL_INFO, peer, "link to node %s: replaced by a new one", peer->name);
    peer_unlink(other, "replaced by a new link");
    if (other->config)
        other->state = PEER_STANDBY;
    else if (!other->away)
        peer_free(other);
    return true;
}

// A certificate's name belongs to one node. If the node has a different id, another node has
// replaced it, and objects that used the first one's link have ended.
static void displace_namesakes(const struct peer *peer)
{
    struct peer *other, *next;

    if (!peer->certified)
        return;
    list_for_each_safe (other, next, &peer->node->peers, in_node) {
        if (other == peer || !other->certified || strcmp(other->name, peer->name) != 0 ||
            (other->state != PEER_LINKED && !other->away) ||
            memcmp(other->id_there, peer->id_there, NODE_ID_SIZE) == 0)
            continue;
        log_peer_limited(
            LOG_LEVEL_WARNING, peer,
            "node %s has another id than before: its objects here have ended; if two machines show "
            "one certificate, give each its own (docactl certificates node NAME DIR)",
            peer->name);
        peer_end_now(other, "its node has another id now");
    }
}

// ---- up -------------------------------------------------------------------------------------

void peer_link_up(struct peer *peer)
{
    const char *how = peer->config ? " " : peer_is_remote(peer) ? " by it from " : " by it";

    event_del(peer->timer);
    peer->state = PEER_LINKED;
    peer->has_resumed = false;
    peer->refused = false;
    peer->backoff_ms = 0;
    peer->linked_ms = clock_ms();
    peer->last_error[0] = '\0';
    connection_set_output_max(peer->connection, LINK_OUTPUT_MAX);
    displace_namesakes(peer);
    known_node_remember(peer->node, peer->id_there, peer->name, peer->certified);
    node_changed(peer->node);
    peer_returned(peer);
    representors_sync(peer->node, peer);
    announcement_begin(peer);
    MONITOR(peer->node, .event = "peer-linked", .id = peer->id, .for_all = true,
            .name = peer->name);
    peer->way = WAY_UNKNOWN;
    rc_device_reset_reach(peer);
    peer_resume_begin(peer, peer->no_descriptors ? peer->resumes_apart
                                                 : peer->resumable || fdstore_is_on());
    peer_changed(peer);
    log_event_limited(LOG_EVENT_LINKED, LOG_LEVEL_INFO, LOG_ABOUT(.peer = peer->name),
                      "linked to %s node %s: %zu function%s, dialled%s%s", role_name(peer->role),
                      peer->name, peer->n_functions, peer->n_functions == 1 ? "" : "s", how,
                      peer->config ? config_peer_where(peer->config) : peer_came_from(peer));
}
