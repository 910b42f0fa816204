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
struct settlement;

struct grant {
    struct idmap_node id;
    struct list export_link, importer_link;
    struct export *export;
    struct importer *importer;
    struct import *import; // of a session of this node
    bool brokered;         // all of it: no page is mapped by the importer
    bool stale;            // until its linked node names it: peer_resume.h
    bool in_engine;
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

// Lets the engine know it again, under the key that it had. False on failure.
bool grant_restore_in_engine(struct grant *grant, struct export *export, struct importer *importer,
                             uint32_t key);

// Out of everything but the engine, and freed.
void grant_forget(struct grant *grant);

// The owner takes it back: the importer learns `state`. `settlement` (may be NULL) learns
// when nothing can move through it any more.
void grant_end(struct grant *grant, enum slot_state state, struct settlement *settlement);

// The importer gives it back.
void grant_release(struct grant *grant);

#endif
