// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Links that the configuration takes down (node_faults.h). To both sides it looks like a network
// failure: the connection ends, and cannot be made again for a while.

#include "clock.h"
#include "connection.h"
#include "node.h"
#include "node_faults.h"
#include "peer_link.h"
#include "tls_handshake.h"

// This includes an attempt to link, whose answer may be in flight. The timer dials when links may
// be made again.
static void take_down(struct peer *peer)
{
    if (peer->connection)
        connection_drop(peer->connection, "a fault of the configuration: link down");
    if (!peer->dialling)
        return;
    peer->dialling = tls_handshake_free(peer->dialling);
    peer_dial_later(peer, 0);
}

void peer_count_message(struct peer *peer)
{
    struct node *node = peer->node;
    struct peer *each;
    uint64_t ms, now = clock_ms();

    if (!node_fault_of_link(node, peer->name, &ms))
        return;
    node->links_down_until = ms < UINT64_MAX - now ? now + ms : UINT64_MAX;
    list_for_each (each, &node->peers, in_node)
        take_down(each);
}

unsigned peer_down_ms(const struct node *node)
{
    uint64_t now = clock_ms();

    if (node->links_down_until <= now)
        return 0;
    uint64_t left = node->links_down_until - now;
    return left < LINK_DOWN_CHECK_MS ? (unsigned)left : LINK_DOWN_CHECK_MS;
}
