// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names that end together: those of a linked node that is gone or that does not announce them
// again, those of an export, and those of a descriptor that the export's owner refuses. There may
// be thousands, of any user, and others wait while they end. So some end at that moment, however
// many exports or nodes end in this turn of the loop, and the others in pieces, in turns of the
// node itself (node->work). From the beginning none of them is found.

#ifndef DAEMON_NAMES_OVER_H
#define DAEMON_NAMES_OVER_H

#include "list.h"
#include "tree.h"
#include "loop_sched.h"
#include "user.h"

#include <stdbool.h>
#include <stdint.h>

struct export_desc;
struct node;
struct peer;
struct publication;

// The names that a linked node has published. It outlives the link if there are many.
struct name_source {
    struct list in_node; // node->names_over, when the linked node is gone
    struct node *node;
    struct peer *peer; // NULL: the linked node is gone, and all names are over
    struct list names; // struct publication, in the order in which they came
    struct tree by_name;
    struct users users;  // of the linked node, who share what it may publish
    uint64_t count;      // charged to all of them
    uint64_t round;      // a new one each time that the linked node comes back
    uint64_t over_until; // names of this round and of earlier ones are over
    struct sched_item turn;
};

static inline bool name_source_is_over(const struct name_source *source, uint64_t round)
{
    return !source->peer || round <= source->over_until;
}

// Those of this linked node. Returns NULL if memory runs out.
struct name_source *name_source_get(struct peer *peer);

// The linked node is gone; or has come back, and must announce its names again; or has done that.
void name_source_gone(struct peer *peer);
void name_source_mark(struct peer *peer);
void name_source_sweep(struct peer *peer);

// Ends the names of an export.
void names_of_export_end(struct node *node, const uint8_t *owner, uint64_t export_id);

// Ends the names that were published here with this export and token: the export has ended on its
// node. Those with another token may be valid.
void names_of_descriptor_end(struct node *node, const struct export_desc *desc);

// Returns whether the name is one of those that are ending.
bool publication_is_over(const struct node *node, const struct publication *publication);

// All names have been freed: docad is stopping.
void names_over_free_all(struct node *node);

#endif
