// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Nodes that were linked once in this run: what such a node exported is out of reach, not
// foreign.

#ifndef DAEMON_KNOWN_NODES_H
#define DAEMON_KNOWN_NODES_H

#include "node_id.h"

#include <stdbool.h>

struct node;

struct known_node {
    uint8_t id[NODE_ID_SIZE];
    char name[NODE_NAME_SIZE];
    bool certified; // a certificate says that this is its name
};

// A certified name has one id: this one from now on.
void known_node_remember(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name,
                         bool certified);

// NULL if the node was never linked.
const struct known_node *known_node_find(const struct node *node, const uint8_t id[NODE_ID_SIZE]);

#endif
