// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A grant: the owner's side of an import.

#ifndef DAEMON_GRANT_H
#define DAEMON_GRANT_H

#include "errtext.h"
#include "importer.h"
#include "list.h"
#include "message.h"
#include "object.h"
#include "state_table.h"

#include <stdbool.h>

struct ending;
struct export;
struct import;
struct object_kind;
struct grace_period;

struct grant {
    struct object object; // of no session
    struct list in_export;
    struct tree_node by_node; // region->grants_by_node, if the importer is of a linked node
    struct importer_item item;
    struct export *export;
    struct importer *importer;
    struct import *import; // of a session of this node, which is notified of the end:
    void (*import_ended)(struct import *import, enum slot_state state, struct grace_period *grace);
    struct export *delegated; // by which the importer delegates it, or NULL: delegation.h
    bool revoked;             // a tool revoked that one: there is no other
    struct ending *ending;    // of that one, before the grant is released
    bool brokered;            // all bytes are brokered: the importer maps no page
    bool in_engine;
    bool holds;     // see grant_hold()
    unsigned n_fds; // descriptors that the engine keeps; charged to the importer
    uint32_t key;   // names the range in work requests
};

// The information and the descriptors for the importer.
struct grant_parts {
    uint64_t address, length;
    Docad__Segment **segments; // the caller frees them
    size_t n_segments;
    bool has_memfd;
    struct fd_list fds; // the export keeps them
};

doca_error_t grant_parts(const struct grant *grant, struct grant_parts *out, struct errtext *err);

doca_error_t grant_new(struct grant **out, struct export *export, struct importer *importer,
                       struct errtext *err);

// From now on the importer holds a sync event through this grant, and the event's owner is notified
// of that, unless the importer is the owner itself, which may have a grant to reach the counter as
// others do.
void grant_hold(struct grant *grant);

// The owner revokes the grant: the importer is notified with `state`. `grace` (may be NULL) ends
// when nothing can move through the grant any more.
void grant_end(struct grant *grant, enum slot_state state, struct grace_period *grace);

// The importer returns the grant. The end of what hands it on may come first, in pieces of up to
// *steps, which is counted down: false if it is to be called again.
void grant_release(struct grant *grant);
bool grant_release_some(struct grant *grant, unsigned *steps);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind grant_kind;

// Stores its record.
doca_error_t grant_keep(struct grant *grant, struct errtext *err);

// Returns NULL if memory is short.
struct grant *grant_make(struct export *export, struct importer *importer);

doca_error_t grant_enter(struct grant *grant, uint64_t id, const struct limits *limits,
                         struct errtext *err);

// Restores it in the engine, under its old key. False on failure.
bool grant_restore_in_engine(struct grant *grant, uint32_t key);

#endif
