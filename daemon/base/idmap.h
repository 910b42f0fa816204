// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds objects by their 64-bit id: a hash table whose nodes are embedded in the objects,
// so that adding never fails.

#ifndef DAEMON_IDMAP_H
#define DAEMON_IDMAP_H

#include "cleanup.h"

#include <stddef.h>
#include <stdint.h>

#define IDMAP_FIRST 16

struct idmap_node {
    uint64_t id;
    struct idmap_node *next;
};

struct idmap {
    struct idmap_node **buckets; // NULL: `first` is used
    struct idmap_node *first[IDMAP_FIRST];
    size_t n_buckets, count; // a power of two
};

void idmap_init(struct idmap *map);

// The map must be empty.
void idmap_fini(struct idmap *map);

void idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id);
void idmap_remove(struct idmap *map, struct idmap_node *node);

// NULL if there is none.
struct idmap_node *idmap_find(const struct idmap *map, uint64_t id);

// The object with this id, or NULL.
#define idmap_get(map, id, type, member)                                                           \
    ({                                                                                             \
        struct idmap_node *idmap_found = idmap_find(map, id);                                      \
        idmap_found ? container_of(idmap_found, type, member) : NULL;                              \
    })

#endif
