// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Links that are down because the configuration asks for it (node_faults.h). Both sides see what
// they see when the network fails: the connection ends, and cannot be made again for a while.

#include "clock.h"
#include "connection.h"
#include "node.h"
#include "node_faults.h"
#include "peer_link.h"

void peer_count_message(struct peer *peer)
{
    uint64_t ms, now = clock_ms();

    if (!node_fault_of_link(peer->node, peer->name, &ms))
        return;
    peer->node->links_down_until = ms < UINT64_MAX - now ? now + ms : UINT64_MAX;
    connection_drop(peer->connection, "a fault of the configuration: link down");
}

unsigned peer_down_ms(const struct node *node)
{
    uint64_t now = clock_ms();

    if (node->links_down_until <= now)
        return 0;
    uint64_t left = node->links_down_until - now;
    return left < LINK_DOWN_LOOK_MS ? (unsigned)left : LINK_DOWN_LOOK_MS;
}
