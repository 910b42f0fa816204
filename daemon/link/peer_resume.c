// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_resume.h"

#include "connection.h"
#include "link_queue.h"
#include "node.h"
#include "peer_life.h"
#include "peer_link.h"
#include "peer_names.h"
#include "peer_request.h"

#include <event2/event.h>
#include <string.h>

// ---- a node comes back ----------------------------------------------------------

static struct peer *find_away(struct peer *like)
{
    struct peer *peer;
    list_for_each (peer, &like->node->peers, in_node) {
        if (peer->away && memcmp(peer->id_there, like->id_there, NODE_ID_SIZE) == 0)
            return peer;
    }
    return NULL;
}

// Moves everything that depends on the one to the other.
static void adopt(struct peer *to, struct peer *from)
{
    KINDS_CALL(to->node, adopt, to, from);
    link_queues_adopt(to, from);
    peer_requests_adopt(to, from);
    to->stored = from->stored;
    from->stored = (struct stored){0};
}

void peer_returned(struct peer *peer, const uint8_t run[NODE_RUN_SIZE])
{
    struct peer *away = find_away(peer);
    bool same = away && memcmp(away->run, run, NODE_RUN_SIZE) == 0 &&
                away->was_apart == peer->no_descriptors;

    if (away) {
        event_del(away->grace);
        away->away = false;
        if (!same)
            peer_end_objects(away, "another docad runs there now");
        else if (away != peer)
            adopt(peer, away);
        if (away != peer && !away->config)
            peer_free(away);
    }
    memcpy(peer->run, run, NODE_RUN_SIZE);
    // Mark what the node must name; otherwise that has ended. Objects of other nodes may be
    // waiting for their own node.
    if (same)
        KINDS_CALL(peer->node, mark, peer);
}

// ---- continued objects ---------------------------------------------------------------------

void peer_send_resume(struct peer *peer)
{
    struct peer_names *names = peer_names_new(peer);

    if (!names) {
        connection_drop(peer->connection, "out of memory");
        return;
    }
    KINDS_CALL(peer->node, name, peer, names);
    if (peer->announcement.behind)
        peer->announcement.resume_after = peer->node->last_id;
    peer_names_end(names, peer->announcement.behind);
}

void peer_resume(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerResume *named = message->peer_resume;

    if (peer->has_resumed) {
        connection_drop(peer->connection, "it named twice what it continues with");
        return;
    }
    KINDS_CALL(peer->node, confirm, peer, named);
    if (named->more)
        return;
    peer->has_resumed = true;
    KINDS_CALL(peer->node, sweep, peer);
}
