// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "left_over.h"

#include "config.h"

#include <stdio.h>

static bool no_objects(const struct node *node)
{
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        if (!list_empty(&node->objects[i].list))
            return false;
    return true;
}

bool left_over_nothing(const struct node *node, bool links)
{
    return no_objects(node) && !node->n_sessions && list_empty(&node->monitors) &&
           !node->region_bytes && list_empty(&node->grace_periods) && !node->wanted_names.root &&
           list_empty(&node->ending) &&
           (links || (list_empty(&node->pending_connections) && list_empty(&node->peers) &&
                      list_empty(&node->peers_ending) && list_empty(&node->users.list)));
}

void left_over_say(const struct node *node)
{
    dprintf(
        2,
        "left on %s: %u sessions, peers %d, users %d, monitors %d, grace periods %d, lookups %d, "
        "ending %d, pending %d, bytes %lu\n",
        node->config->name, node->n_sessions, !list_empty(&node->peers),
        !list_empty(&node->users.list), !list_empty(&node->monitors),
        !list_empty(&node->grace_periods), node->wanted_names.root != NULL,
        !list_empty(&node->ending), !list_empty(&node->pending_connections),
        (unsigned long)node->region_bytes);
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        if (!list_empty(&node->objects[i].list))
            dprintf(2, "left on %s: objects of kind %zu\n", node->config->name, i);
}
