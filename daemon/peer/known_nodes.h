// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Nodes that were linked at some time in this run: an export of such a node is out of reach, not
// unknown.

#ifndef DAEMON_KNOWN_NODES_H
#define DAEMON_KNOWN_NODES_H

#include "node_id.h"

#include <stdbool.h>

struct node;

struct known_node {
    uint8_t id[NODE_ID_SIZE];
    char name[NODE_NAME_SIZE];
    bool certified; // a certificate proves its name
};

// Remembers a node. A certified name belongs to one id: from now on to this one.
void known_node_remember(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name,
                         bool certified);

// Returns NULL if the node was never linked.
const struct known_node *known_node_find(const struct node *node, const uint8_t id[NODE_ID_SIZE]);

#endif
