// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "idmap.h"

#include <assert.h>
#include <string.h>

static const struct idmap_node *node_of(const struct tree_node *tree)
{
    return container_of((struct tree_node *)tree, struct idmap_node, tree);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const struct tree_node *a, const struct tree_node *b)
{
    return order(node_of(a)->id, node_of(b)->id);
}

static int compare_id(const struct tree_node *node, const void *id)
{
    return order(node_of(node)->id, *(const uint64_t *)id);
}

void idmap_init(struct idmap *map)
{
    memset(map, 0, sizeof(*map));
}

void idmap_fini(struct idmap *map)
{
    assert(map->count == 0);
    idmap_init(map);
}

void idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id)
{
    node->id = id;
    tree_add(&map->tree, &node->tree, compare);
    map->count++;
}

void idmap_remove(struct idmap *map, struct idmap_node *node)
{
    assert(map->count > 0);
    tree_remove(&map->tree, &node->tree, compare);
    map->count--;
}

static struct idmap_node *seek(const struct idmap *map, uint64_t id)
{
    struct tree_node *found = tree_seek(&map->tree, &id, compare_id);
    return found ? container_of(found, struct idmap_node, tree) : NULL;
}

struct idmap_node *idmap_find(const struct idmap *map, uint64_t id)
{
    struct idmap_node *found = seek(map, id);
    return found && found->id == id ? found : NULL;
}

struct idmap_node *idmap_first(const struct idmap *map)
{
    return seek(map, 0);
}

struct idmap_node *idmap_next(const struct idmap *map, const struct idmap_node *node)
{
    struct tree_node *next = tree_next(&map->tree, &node->tree, compare);
    return next ? container_of(next, struct idmap_node, tree) : NULL;
}

struct idmap_node *idmap_after(const struct idmap *map, uint64_t id)
{
    return id == UINT64_MAX ? NULL : seek(map, id + 1);
}
