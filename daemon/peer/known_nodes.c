// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "known_nodes.h"

#include "node.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_NODES_MAX 64 // in addition to those that are linked or that objects wait for

static struct known_node *find(const struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    for (size_t i = 0; i < node->n_known; i++)
        if (memcmp(node->known[i].id, id, NODE_ID_SIZE) == 0)
            return &node->known[i];
    return NULL;
}

static void remove_one(struct node *node, size_t i)
{
    node->n_known--;
    memmove(&node->known[i], &node->known[i + 1], (node->n_known - i) * sizeof(*node->known));
}

static void remove_namesakes(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name)
{
    for (size_t i = node->n_known; i-- > 0;) {
        const struct known_node *known = &node->known[i];
        if (known->certified && strcmp(known->name, name) == 0 &&
            memcmp(known->id, id, NODE_ID_SIZE) != 0)
            remove_one(node, i);
    }
}

// Nodes that are linked or waited for stay in the list, so that no other node can use their ids.
static struct known_node *add(struct node *node)
{
    size_t i = 0;
    while (node->n_known >= KNOWN_NODES_MAX && i < node->n_known &&
           peer_find(node, node->known[i].id))
        i++;
    if (node->n_known >= KNOWN_NODES_MAX && i < node->n_known)
        remove_one(node, i);
    struct known_node *more = reallocarray(node->known, node->n_known + 1, sizeof(*node->known));
    if (!more)
        return NULL;
    node->known = more;
    return &node->known[node->n_known++];
}

void known_node_remember(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name,
                         bool certified)
{
    if (certified)
        remove_namesakes(node, id, name);
    struct known_node *known = find(node, id);
    if (!known)
        known = add(node);
    if (!known)
        return; // out of memory: it is only known while it is linked
    memcpy(known->id, id, NODE_ID_SIZE);
    copy_text(known->name, name);
    known->certified = certified;
}

const struct known_node *known_node_find(const struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    return find(node, id);
}
