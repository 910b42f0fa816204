// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An export: a region offered to others. Any session that presents its token may import it, until
// it is revoked or its region ends.

#ifndef DAEMON_EXPORT_H
#define DAEMON_EXPORT_H

#include <docad.pb-c.h>
#include "export_desc.h"
#include "fdstore.h"
#include "list.h"
#include "object.h"
#include "packet.h"
#include "state_table.h"

struct ending;
struct function;
struct grant;
struct limits;
struct node;
struct object_kind;
struct region;
struct request;
struct session;
struct grace_period;
struct sync_event;

struct export
{
    struct object object;
    struct list in_region;
    struct region *region;
    const struct function *function;
    uint32_t target; // Docad__ExportTarget
    uint32_t access; // the access that it grants
    uint8_t token[EXPORT_TOKEN_SIZE];
    uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
    size_t descriptor_size;
    struct list grants;
    unsigned n_grants;
    struct sync_event *sync_event; // or NULL
    // For memory that an importer delegates, see delegation.h: the grant, which ends it, and its
    // id. NULL and 0 if the owner exports its own.
    struct grant *origin;
    uint64_t origin_id;
    struct idmap_node by_origin; // node->delegated, by that id
    bool ended;                  // it cannot be imported any more, and its grants end
    struct ending *ending;
    enum slot_state fault; // what its users see when a fault ends it
};

doca_error_t export_new(struct export **out, struct region *region, const struct function *function,
                        const Docad__ExportCreate *request, struct errtext *err);

// Gives a new export its id, its token and its descriptor, and adds it to the node.
doca_error_t export_begin(struct export *export, const Docad__ExportCreate *request,
                          struct errtext *err);

// Ends the export, its grants and the names under which it is published, and frees it.
// `grace` may be NULL.
void export_end(struct export *export, enum slot_state state, struct grace_period *grace);

// Ends up to *steps grants of the export, which is counted down. Returns false if some are left:
// then this is called again before export_end().
bool export_end_some(struct export *export, enum slot_state state, struct grace_period *grace,
                     unsigned *steps);

// Revokes the export for the request, which is answered when the export is not used any more.
doca_error_t export_revoke(struct export *export, const struct request *request);

// Called when an import of the export has been answered. The export may have ended when this
// returns: node_faults.h.
void export_imported(struct export *export);

// Returns whether the end of the export has begun, or the end of the object that it belongs to.
bool export_is_ending(const struct export *export);

// Shows the sessions of this node that import it that they may not use it any more: up to *steps
// imports, which is counted down. False if some are left.
bool export_show_end(struct export *export, enum slot_state state, unsigned *steps);

// Ends the exports of a region in the same way.
bool exports_end_some(struct region *region, enum slot_state state, struct grace_period *grace,
                      unsigned *steps);

// Finds the export with this id and token. Returns DOCA_ERROR_NOT_PERMITTED if it does not exist
// or has ended.
doca_error_t export_find(struct node *node, uint64_t id, const uint8_t token[EXPORT_TOKEN_SIZE],
                         struct export **out, struct errtext *err);

// Checks that the export is for the target that a descriptor of it names. The descriptor's checksum
// proves nothing: its bearer could have changed a target into one that may be imported elsewhere.
// Returns DOCA_ERROR_INVALID_VALUE if it is not.
doca_error_t export_check_target(const struct export *export, uint32_t target, struct errtext *err);

// Returns whether this session may end the export and list its importers: sessions of the export's
// owner, of root and of docad's uid may.
bool export_is_owned_by(const struct export *export, const struct session *session);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind export_kind;

// Stores the export's record.
doca_error_t export_keep(struct export *export, struct errtext *err);

// Returns NULL if memory is short.
struct export *export_make(struct region *region, const struct function *function);

doca_error_t export_enter(struct export *export, uint64_t id, const struct limits *limits,
                          struct errtext *err);

#endif
