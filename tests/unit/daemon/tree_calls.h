// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Counts the calls that walk trees. For programs that are linked with --wrap=tree_seek and
// --wrap=tree_next.

#ifndef TESTS_UNIT_TREE_CALLS_H
#define TESTS_UNIT_TREE_CALLS_H

#include "tree.h"

static unsigned calls; // since the program began

struct tree_node *__real_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare);
struct tree_node *__wrap_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare);
struct tree_node *__wrap_tree_seek(const struct tree *tree, const void *key,
                                   tree_compare_key compare)
{
    calls++;
    return __real_tree_seek(tree, key, compare);
}

struct tree_node *__real_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare);
struct tree_node *__wrap_tree_next(const struct tree *tree, const struct tree_node *node,
                                   tree_compare compare)
{
    calls++;
    return __real_tree_next(tree, node, compare);
}

#endif
