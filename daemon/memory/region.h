// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A region: a range of a client's memory that it has registered.

#ifndef DAEMON_REGION_H
#define DAEMON_REGION_H

#include "copies.h"
#include "list.h"
#include "message.h"
#include "object.h"
#include "rc_memory.h"
#include "segments.h"
#include "state_table.h"

struct ending;
struct function;
struct limits;
struct object_kind;
struct process_memory;
struct session;
struct grace_period;

struct region {
    struct object object;
    uint64_t address, length;
    uint32_t access; // enum access
    struct segments segments;
    const struct function *functions[64];
    size_t n_functions;
    struct process_memory *memory; // NULL: brokered bytes cannot be accessed
    int memfd, memfd_ro;           // -1: none
    unsigned n_files;              // number of these files, charged
    struct copies copies;          // copies by the engine, for its session
    struct rc_memory rc;           // registrations for other machines
    struct list exports;
    unsigned n_exports;
    unsigned n_grants;          // of its exports, to importers
    struct tree grants_by_node; // those to importers of linked nodes
    struct ending *ending;      // NULL: others may use it
    struct list grace_periods;  // of its exports that were revoked
};

// Checks the request and takes what it needs from `fds`.
doca_error_t region_new(struct region **out, struct session *session,
                        const Docad__RegionRegister *request, struct fd_list *fds,
                        struct errtext *err);

// Frees the region; its exports must have ended (export.h). `grace` (may be NULL) ends when no
// thread uses the region any more. Takes NULL, returns NULL.
struct region *region_free(struct region *region, enum slot_state state,
                           struct grace_period *grace);

// The session's, or NULL, also if the region is ending.
struct region *region_find(const struct session *session, uint64_t id);

bool region_has_function(const struct region *region, const struct function *function);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind region_kind;

// Stores its record.
doca_error_t region_keep(struct region *region, struct errtext *err);

// Makes only the structure, or ends it. Returns NULL if memory runs out.
struct region *region_make(struct session *session);
struct region *region_drop(struct region *region); // returns NULL

doca_error_t region_enter(struct region *region, uint64_t id, const struct limits *limits,
                          struct errtext *err);

#endif
