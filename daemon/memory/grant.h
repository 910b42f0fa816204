// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The owner's side of importing: what importers were granted.

#ifndef DAEMON_GRANT_H
#define DAEMON_GRANT_H

#include "errtext.h"
#include "idmap.h"
#include "importer.h"
#include "keep.h"
#include "list.h"
#include "message.h"
#include "state_table.h"

#include <stdbool.h>

struct export;
struct import;
struct object_kind;
struct settlement;

struct grant {
    struct idmap_node id;
    struct list export_link;
    struct importer_item item;
    struct export *export;
    struct importer *importer;
    struct import *import; // of a session of this node; told of the end:
    void (*import_ended)(struct import *import, enum slot_state state,
                         struct settlement *settlement);
    bool brokered; // all of it: no page is mapped by the importer
    bool in_engine;
    bool holds;     // see grant_hold()
    unsigned n_fds; // that the engine keeps; charged to the importer
    uint32_t key;   // what its work requests name
    struct kept kept;
};

// What the importer is told, and what goes along with it.
struct grant_parts {
    uint64_t address, length;
    Docad__Segment **segments; // freed by the caller
    size_t n_segments;
    bool has_memfd;
    struct fd_list fds; // they stay the export's
};

doca_error_t grant_parts(const struct grant *grant, struct grant_parts *out, struct errtext *err);

doca_error_t grant_new(struct grant **out, struct export *export, struct importer *importer,
                       struct errtext *err);

// The importer has a sync event by it from now on, of which its owner is told: unless it is the
// owner itself, which may have a grant to reach the counter as others do.
void grant_hold(struct grant *grant);

// The owner takes it back: the importer learns `state`. `settlement` (may be NULL) learns
// when nothing can move through it any more.
void grant_end(struct grant *grant, enum slot_state state, struct settlement *settlement);

// The importer gives it back.
void grant_release(struct grant *grant);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind grant_kind;

// Puts its record.
void grant_keep(struct grant *grant);

// NULL if memory is short.
struct grant *grant_make(struct export *export, struct importer *importer);

doca_error_t grant_enter(struct grant *grant, uint64_t id, const struct limits *limits,
                         struct errtext *err);

// Lets the engine know it again, under the key that it had. False on failure.
bool grant_restore_in_engine(struct grant *grant, uint32_t key);

#endif
