// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "idmap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void idmap_init(struct idmap *map)
{
    memset(map, 0, sizeof(*map));
    map->n_buckets = IDMAP_FIRST;
}

void idmap_fini(struct idmap *map)
{
    assert(map->count == 0);
    free(map->buckets);
    idmap_init(map);
}

// Ids count upwards, so their low bits spread well.
static struct idmap_node **bucket_of(const struct idmap *map, uint64_t id)
{
    struct idmap_node *const *buckets = map->buckets ? map->buckets : map->first;
    return (struct idmap_node **)&buckets[id & (map->n_buckets - 1)];
}

// If there is no memory for a larger table, the chains merely get longer.
static void grow(struct idmap *map)
{
    struct idmap old = *map;
    struct idmap_node **buckets = calloc(map->n_buckets * 4, sizeof(*buckets));
    if (!buckets)
        return;
    map->buckets = buckets;
    map->n_buckets *= 4;
    for (size_t i = 0; i < old.n_buckets; i++) {
        struct idmap_node *node = old.buckets ? old.buckets[i] : old.first[i];
        while (node) {
            struct idmap_node *next = node->next;
            struct idmap_node **head = bucket_of(map, node->id);
            node->next = *head;
            *head = node;
            node = next;
        }
    }
    free(old.buckets);
}

void idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id)
{
    if (map->count >= map->n_buckets * 2)
        grow(map);
    struct idmap_node **head = bucket_of(map, id);
    node->id = id;
    node->next = *head;
    *head = node;
    map->count++;
}

void idmap_remove(struct idmap *map, struct idmap_node *node)
{
    struct idmap_node **at = bucket_of(map, node->id);
    while (*at != node) {
        assert(*at);
        at = &(*at)->next;
    }
    *at = node->next;
    map->count--;
}

struct idmap_node *idmap_find(const struct idmap *map, uint64_t id)
{
    for (struct idmap_node *node = *bucket_of(map, id); node; node = node->next)
        if (node->id == id)
            return node;
    return NULL;
}
