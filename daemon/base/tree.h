// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An ordered tree whose nodes are embedded in the objects that it holds, so that adding never
// fails. Finding, adding and removing take a number of steps that grows with the logarithm of the
// number of objects, whatever keys other processes choose.

#ifndef DAEMON_TREE_H
#define DAEMON_TREE_H

#include "cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct tree_node {
    struct tree_node *left, *right;
};

struct tree {
    struct tree_node *root;
};

// Less than, equal to or greater than 0, as memcmp() has it. Objects may be equal.
typedef int (*tree_compare)(const struct tree_node *a, const struct tree_node *b);

// The same for an object and a key.
typedef int (*tree_compare_key)(const struct tree_node *node, const void *key);

// `compare` must be the same for all nodes of a tree, and for all calls.
void tree_add(struct tree *tree, struct tree_node *node, tree_compare compare);
void tree_remove(struct tree *tree, struct tree_node *node, tree_compare compare);

// Returns the first node that is not less than the key; NULL if there is none.
struct tree_node *tree_seek(const struct tree *tree, const void *key, tree_compare_key compare);

// Returns the node after this one; NULL if it is the last.
struct tree_node *tree_next(const struct tree *tree, const struct tree_node *node,
                            tree_compare compare);

#endif
