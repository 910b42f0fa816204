// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_life.h"

#include "clock.h"
#include "config.h"
#include "node.h"
#include "peer_link.h"

#include <assert.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

struct peer *peer_new(struct node *node, const struct config_peer *config)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    peer->timer = event_new(node->base, -1, 0, peer_on_timer, peer);
    peer->grace = event_new(node->base, -1, 0, peer_on_grace, peer);
    if (!peer->timer || !peer->grace) {
        if (peer->timer)
            event_free(peer->timer);
        if (peer->grace)
            event_free(peer->grace);
        free(peer);
        return NULL;
    }
    peer->node = node;
    peer->config = config;
    peer->id = node_next_id(node);
    idmap_init(&peer->imports_by_grant);
    idmap_init(&peer->relays);
    list_init(&peer->relays_waiting);
    idmap_init(&peer->link_queues);
    list_init(&peer->link_turns);
    list_init(&peer->requests);
    list_init(&peer->importers);
    list_init(&peer->told);
    list_init(&peer->qpairs);
    list_append(&node->peers, &peer->link);
    return peer;
}

doca_error_t peer_new_dialled(struct node *node, const struct config_peer *config,
                              struct errtext *err)
{
    struct peer *peer = peer_new(node, config);
    if (!peer)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    snprintf(peer->name, sizeof(peer->name), "%s", config->name);
    peer_dial_later(peer, 0);
    return DOCA_SUCCESS;
}

struct peer *peer_free(struct peer *peer)
{
    if (!peer)
        return NULL;
    peer_unlink(peer, "docad is stopping");
    if (peer->away)
        peer_forget(peer, "docad is stopping");
    keep_drop(&peer->kept);
    list_remove(&peer->link);
    assert(list_empty(&peer->requests) && list_empty(&peer->importers) &&
           list_empty(&peer->qpairs));
    assert(!peer->held.importers && !peer->held.grants && !peer->held.qpairs &&
           !peer->held.descriptors && !peer->n_publications);
    idmap_fini(&peer->imports_by_grant);
    idmap_fini(&peer->relays);
    idmap_fini(&peer->link_queues);
    event_free(peer->timer);
    event_free(peer->grace);
    free(peer);
    return NULL;
}
