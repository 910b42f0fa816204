// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names that end together: those of a linked node that has ended or does not announce them again,
// those of an export, and those of a descriptor that the export's owner refuses. There may be
// thousands, of any user, and others wait while they end. So some end immediately, however many
// exports or nodes end in this turn of the loop, and the others in pieces, in turns of the node
// itself (node->work). No lookup finds any of them from the beginning.

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
    struct list in_node; // node->ended_names, when the linked node has ended
    struct node *node;
    struct peer *peer; // NULL: the linked node has ended, and so have all names
    struct list names; // struct publication, in the order in which they came
    struct tree by_name;
    struct users users;  // of the linked node, who share what it may publish
    uint64_t count;      // charged to all of them
    uint64_t round;      // a new one each time that the linked node comes back
    uint64_t over_until; // names of this round and of earlier ones have ended
    struct sched_item turn;
};

static inline bool name_source_has_ended(const struct name_source *source, uint64_t round)
{
    return !source->peer || round <= source->over_until;
}

// Finds those of this linked node. Returns NULL if memory runs out.
struct name_source *name_source_get(struct peer *peer);

// Called when the linked node has ended; or has come back, and must announce its names again; or
// has done that.
void name_source_gone(struct peer *peer);
void name_source_mark(struct peer *peer);
void name_source_sweep(struct peer *peer);

// Ends the names of an export.
void names_of_export_end(struct node *node, const uint8_t *owner, uint64_t export_id);

// Ends the names that were published here with this export and token: the export has ended on its
// node. Those with another token may be valid.
void names_of_descriptor_end(struct node *node, const struct export_desc *desc);

// Returns whether the name is one of those that are ending.
bool publication_has_ended(const struct node *node, const struct publication *publication);

// Called when docad stops and all names have been freed.
void ended_names_free_all(struct node *node);

#endif
