// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A treap: ordered by key from left to right, and by priority from top to bottom. The priorities
// are as good as random, so the tree is about as high as a balanced one. They are computed from the
// addresses of the nodes and a number that other processes cannot get.

#include "tree.h"

#include "random_bytes.h"

#include <stdint.h>

static uint64_t priority(const struct tree_node *node)
{
    static uint64_t seed;
    if (!seed && !random_bytes(&seed, sizeof(seed)))
        seed = (uintptr_t)&seed;
    uint64_t x = (uintptr_t)node ^ seed;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// Equal objects are in the order of their addresses.
static bool is_before(const struct tree_node *a, const struct tree_node *b, tree_compare compare)
{
    int order = compare(a, b);
    return order ? order < 0 : (uintptr_t)a < (uintptr_t)b;
}

void tree_add(struct tree *tree, struct tree_node *node, tree_compare compare)
{
    struct tree_node **at = &tree->root, **less = &node->left, **more = &node->right;
    uint64_t own = priority(node);

    while (*at && priority(*at) >= own)
        at = is_before(*at, node, compare) ? &(*at)->right : &(*at)->left;
    struct tree_node *below = *at;
    *at = node;
    while (below) {
        if (is_before(below, node, compare)) {
            *less = below;
            less = &below->right;
            below = below->right;
        } else {
            *more = below;
            more = &below->left;
            below = below->left;
        }
    }
    *less = *more = NULL;
}

void tree_remove(struct tree *tree, struct tree_node *node, tree_compare compare)
{
    struct tree_node **at = &tree->root, *left = node->left, *right = node->right;

    while (*at != node)
        at = is_before(*at, node, compare) ? &(*at)->right : &(*at)->left;
    while (left && right) {
        if (priority(left) >= priority(right)) {
            *at = left;
            at = &left->right;
            left = left->right;
        } else {
            *at = right;
            at = &right->left;
            right = right->left;
        }
    }
    *at = left ? left : right;
}

struct tree_node *tree_seek(const struct tree *tree, const void *key, tree_compare_key compare)
{
    struct tree_node *found = NULL, *at = tree->root;
    while (at) {
        if (compare(at, key) >= 0) {
            found = at;
            at = at->left;
        } else {
            at = at->right;
        }
    }
    return found;
}

struct tree_node *tree_next(const struct tree *tree, const struct tree_node *node,
                            tree_compare compare)
{
    struct tree_node *found = NULL, *at = tree->root;
    while (at) {
        if (is_before(node, at, compare)) {
            found = at;
            at = at->left;
        } else {
            at = at->right;
        }
    }
    return found;
}
