// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds objects by their 64-bit id, and iterates over them in the order of their ids, from any id
// on. The nodes are embedded in the objects, so that adding never fails: tree.h.

#ifndef DAEMON_IDMAP_H
#define DAEMON_IDMAP_H

#include "cleanup.h"
#include "tree.h"

#include <stddef.h>
#include <stdint.h>

struct idmap_node {
    uint64_t id;
    struct tree_node tree;
};

struct idmap {
    struct tree tree;
    size_t count;
};

void idmap_init(struct idmap *map);

// The map must be empty.
void idmap_fini(struct idmap *map);

void idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id);
void idmap_remove(struct idmap *map, struct idmap_node *node);

// Returns NULL if there is none.
struct idmap_node *idmap_find(const struct idmap *map, uint64_t id);

// Return nodes in the order of ids: the first, the next one, and the first with an id above this.
// NULL if there is none.
struct idmap_node *idmap_first(const struct idmap *map);
struct idmap_node *idmap_next(const struct idmap *map, const struct idmap_node *node);
struct idmap_node *idmap_after(const struct idmap *map, uint64_t id);

// The object with this id, or NULL.
#define idmap_get(map, id, type, member)                                                           \
    ({                                                                                             \
        struct idmap_node *idmap_found = idmap_find(map, id);                                      \
        idmap_found ? container_of(idmap_found, type, member) : NULL;                              \
    })

#define idmap_entry(node, type, member)                                                            \
    ({                                                                                             \
        struct idmap_node *idmap_entered = (node);                                                 \
        idmap_entered ? container_of(idmap_entered, type, member) : NULL;                          \
    })

// The body may not remove objects.
#define idmap_for_each(pos, map, member)                                                           \
    for ((pos) = idmap_entry(idmap_first(map), __typeof__(*(pos)), member); (pos);                 \
         (pos) = idmap_entry(idmap_next(map, &(pos)->member), __typeof__(*(pos)), member))

// Only objects with ids above `after`.
#define idmap_for_each_after(pos, map, after, member)                                              \
    for ((pos) = idmap_entry(idmap_after(map, after), __typeof__(*(pos)), member); (pos);          \
         (pos) = idmap_entry(idmap_next(map, &(pos)->member), __typeof__(*(pos)), member))

#endif
