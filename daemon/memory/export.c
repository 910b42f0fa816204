// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export.h"

#include "access.h"
#include "config.h"
#include "ending.h"
#include "grant.h"
#include "import.h"
#include "node.h"
#include "node_faults.h"
#include "random_bytes.h"
#include "region.h"
#include "session.h"
#include "grace_period.h"
#include "sync_event.h"
#include "user.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>

// Decides the access that an export for this target grants; fails if the map's permissions do
// not allow any.
static doca_error_t decide_access(const struct region *region, const struct function *function,
                                  const Docad__ExportCreate *request, uint32_t *access,
                                  struct errtext *err)
{
    uint32_t target = request->target;
    bool sync_event = export_is_event(target);
    bool to_net = target == DOCAD__EXPORT_TARGET__TARGET_RDMA ||
                  target == DOCAD__EXPORT_TARGET__TARGET_NET_EVENT;
    bool to_host = target == DOCAD__EXPORT_TARGET__TARGET_HOST;
    bool to_dpu = target == DOCAD__EXPORT_TARGET__TARGET_DPU ||
                  target == DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    if (!to_net && !to_host && !to_dpu)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "export target %u: unknown", target);
    // The other side has the same permissions whether it is a host or a DPU.
    bool dpu = to_dpu || to_host;
    bool as_pci = dpu || (request->as_pci && target == DOCAD__EXPORT_TARGET__TARGET_RDMA);
    uint32_t granted = region->access & (as_pci ? ACCESS_DPU : ACCESS_RDMA);
    if (granted == 0 || (sync_event && !access_lets_write(granted)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "region %" PRIu64
                           " has no permission for this export; give the map %s before it starts",
                           region->object.id,
                           as_pci ? "DOCA_ACCESS_DPU_READ_ONLY or DOCA_ACCESS_DPU_READ_WRITE"
                                  : "a DOCA_ACCESS_RDMA_* permission");
    if (to_host && !function->can_import_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s cannot export to a host; PFs of a DPU can", function->name);
    if (to_dpu && !function->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s cannot export to a DPU; host functions can",
                           function->name);
    *access = as_pci && !dpu ? access_for_rdma(granted) : granted;
    return DOCA_SUCCESS;
}

static doca_error_t make_descriptor(struct export *export, const struct node *node,
                                    const Docad__ExportCreate *request, struct errtext *err)
{
    const struct region *region = export->region;
    struct export_desc desc = {.export_id = export->object.id,
                               .address = region->address,
                               .length = region->length,
                               .access = export->access,
                               .target = export->target,
                               .has_rkey = request->has_rkey,
                               .rkey = request->rkey};
    memcpy(desc.node, node->id, sizeof(desc.node));
    memcpy(desc.token, export->token, sizeof(desc.token));
    copy_text(desc.pci_address, export->function->pci);
    copy_text(desc.vuid, export->function->vuid);
    if (export_desc_encode(&desc, export->descriptor, &export->descriptor_size) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "VUID of function %s is too long for a descriptor; shorten it in "
                           "docad's configuration",
                           export->function->name);
    return DOCA_SUCCESS;
}

// ---- lifetime -------------------------------------------------------------------------

struct export *export_make(struct region *region, const struct function *function)
{
    struct export *export = calloc(1, sizeof(*export));
    if (!export)
        return NULL;
    object_init(&export->object, DOCAD__RECORD__WHAT_EXPORT, region->object.node,
                region->object.session);
    export->region = region;
    export->function = function;
    list_init(&export->grants);
    return export;
}

doca_error_t export_enter(struct export *export, uint64_t id, const struct limits *limits,
                          struct errtext *err)
{
    struct session *session = export->object.session;
    // Delegated memory was charged to the importer: delegation.c.
    bool is_own = export->origin_id == 0;
    const struct charge charges[] = {{LIMIT_EXPORTS, &session->n_exports, 1},
                                     {LIMIT_METADATA, &session->user->metadata, sizeof(*export)}};

    doca_error_t r =
        object_enter(&export->object, id, charges, is_own ? ARRAY_SIZE(charges) : 0, limits, err);
    if (r != DOCA_SUCCESS)
        return r;
    list_append(&export->region->exports, &export->in_region);
    export->region->n_exports++;
    if (export->origin_id)
        idmap_add(&session->node->delegated, &export->by_origin, export->origin_id);
    return DOCA_SUCCESS;
}

static void export_leave(struct export *export)
{
    list_remove(&export->in_region);
    export->region->n_exports--;
    if (export->origin_id)
        idmap_remove(&export->object.node->delegated, &export->by_origin);
    object_leave(&export->object);
    if (export->origin) {
        export->origin->delegated = NULL;
        importer_give(export->origin->importer, IMPORTER_EXPORT, 1);
    }
}

doca_error_t export_begin(struct export *export, const Docad__ExportCreate *request,
                          struct errtext *err)
{
    struct session *session = export->object.session;
    struct node *node = session->node;
    doca_error_t r = DOCA_SUCCESS;

    export->object.id = node_next_export_id(node);
    if (!random_bytes(export->token, sizeof(export->token)))
        r = errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "no random numbers for a token");
    if (r == DOCA_SUCCESS)
        r = make_descriptor(export, node, request, err);
    if (r == DOCA_SUCCESS)
        r = export_enter(export, export->object.id, node_limits(node), err);
    if (r == DOCA_SUCCESS)
        MONITOR(node, .event = "export-begin", .export_id = export->object.id, .owner = session,
                .name = export->function->name, .bytes = export->region->length);
    return r;
}

doca_error_t export_new(struct export **out, struct region *region, const struct function *function,
                        const Docad__ExportCreate *request, struct errtext *err)
{
    uint32_t access;

    doca_error_t r = decide_access(region, function, request, &access, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct export *export = export_make(region, function);
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    export->target = request->target;
    export->access = access;
    r = export_begin(export, request, err);
    if (r != DOCA_SUCCESS) {
        free(export);
        return r;
    }
    *out = export;
    return DOCA_SUCCESS;
}

// From now on it cannot be imported, and the next docad does not restore it.
static void stop(struct export *export, enum slot_state state)
{
    if (export->ended)
        return;
    export->ended = true;
    fdstore_drop(&export->object.stored);
    if (export->origin && state == SLOT_REVOKED)
        export->origin->revoked = true;
    if (export->sync_event)
        sync_event_ended(export->sync_event, state);
}

// However the export ends, a request that waits for its end also waits for its users.
static struct grace_period *awaited(const struct export *export, struct grace_period *grace)
{
    if (!grace)
        grace = ending_grace_period(export->ending);
    return grace ? grace : ending_grace_period(export->region->ending);
}

void export_end(struct export *export, enum slot_state state, struct grace_period *grace)
{
    struct session *session = export->object.session;
    struct node *node = session->node;
    struct grant *grant, *next;

    grace = awaited(export, grace);
    stop(export, state);
    MONITOR(node, .event = "export-end", .export_id = export->object.id, .owner = session,
            .name = export->function->name, .bytes = export->region->length,
            .text = slot_state_name(state));
    export_leave(export); // remove it first: the next steps send messages to others
    list_for_each_safe (grant, next, &export->grants, in_export)
        grant_end(grant, state, grace);
    KINDS_CALL(node, export_gone, node, node->id, export->object.id);
    sync_event_free(export->sync_event);
    ending_leave(export->ending);
    OPENSSL_cleanse(export, sizeof(*export));
    free(export);
}

bool export_end_some(struct export *export, enum slot_state state, struct grace_period *grace,
                     unsigned *steps)
{
    grace = awaited(export, grace);
    stop(export, state);
    while (!list_empty(&export->grants)) {
        struct grant *grant = list_entry(export->grants.next, struct grant, in_export);
        if (grant->delegated && !export_end_some(grant->delegated, state, grace, steps))
            return false;
        if (!kind_step(steps))
            return false;
        grant_end(grant, state, grace);
    }
    return true;
}

bool exports_end_some(struct region *region, enum slot_state state, struct grace_period *grace,
                      unsigned *steps)
{
    // The end of one may end others, which delegate what it granted.
    while (!list_empty(&region->exports)) {
        struct export *export = list_entry(region->exports.next, struct export, in_region);
        if (!export_end_some(export, state, grace, steps) || !kind_step(steps))
            return false;
        export_end(export, state, grace);
    }
    return true;
}

static bool revoke_some(void *object, struct grace_period *grace, unsigned *steps)
{
    struct export *export = object;
    if (!export_end_some(export, SLOT_REVOKED, grace, steps))
        return false;
    export_end(export, SLOT_REVOKED, grace);
    return true;
}

doca_error_t export_revoke(struct export *export, const struct request *request)
{
    struct grace_period *grace = grace_period_new(request->session, request->message->serial);
    if (grace)
        grace_period_add_to(grace, &export->region->grace_periods);
    return ending_request(request, &(struct ending_root){export, &export->ending, revoke_some},
                          grace);
}

// ---- faults -------------------------------------------------------------------------------

static bool break_some(void *object, struct grace_period *grace, unsigned *steps)
{
    struct export *export = object;
    enum slot_state state = export->fault;
    if (!export_end_some(export, state, grace, steps))
        return false;
    export_end(export, state, grace);
    return true;
}

void export_imported(struct export *export)
{
    const struct session *owner = export->object.session;
    enum slot_state state;

    if (!node_fault_of_export(owner, export->object.id, &state) || export_is_ending(export))
        return;
    export->fault = state;
    ending_begin(owner->node, &(struct ending_root){export, &export->ending, break_some},
                 owner->user, NULL);
}

bool export_is_ending(const struct export *export)
{
    const struct grant *origin = export->origin;
    return export->ended || export->region->ending || (origin && origin->export->ended);
}

// Those that were shown are the last ones.
bool export_show_end(struct export *export, enum slot_state state, unsigned *steps)
{
    while (!list_empty(&export->grants)) {
        struct grant *grant = list_entry(export->grants.next, struct grant, in_export);
        if (grant->object.shown)
            return true;
        if (!kind_step(steps))
            return false;
        grant->object.shown = true;
        list_remove(&grant->in_export);
        list_append(&export->grants, &grant->in_export);
        if (grant->import)
            object_show(&grant->import->object, state);
    }
    return true;
}

// ---- requests ------------------------------------------------------------------

doca_error_t export_find(struct node *node, uint64_t id, const uint8_t token[EXPORT_TOKEN_SIZE],
                         struct export **out, struct errtext *err)
{
    struct export *export = OBJECT_GET(node, EXPORT, id, struct export);
    const struct import *by = export && export->origin ? export->origin->import : NULL;
    // The text is the same in both cases, so that guessing ids reveals nothing.
    if (!export || export_is_ending(export) || export->object.session->ending ||
        (by && by->object.session->ending) ||
        CRYPTO_memcmp(export->token, token, EXPORT_TOKEN_SIZE) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "export %016" PRIx64 " of node %s: revoked or expired; ask its owner "
                           "for a new descriptor",
                           id, node->config->name);
    *out = export;
    return DOCA_SUCCESS;
}

doca_error_t export_check_target(const struct export *export, uint32_t target, struct errtext *err)
{
    if (export->target == target)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "export %016" PRIx64 ": the descriptor was altered; ask its owner for it "
                       "again",
                       export->object.id);
}

bool export_is_owned_by(const struct export *export, const struct session *session)
{
    return session_may_see(session, export->object.session);
}

// ---- records --------------------------------------------------------------------------

doca_error_t export_keep(struct export *export, struct errtext *err)
{
    Docad__ExportRecord what = DOCAD__EXPORT_RECORD__INIT;
    Docad__Record record;
    int fds[SYNC_EVENT_FDS];
    size_t n = 0;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.region = export->region->object.id;
    what.descriptor = record_bytes(export->descriptor, export->descriptor_size);
    what.function = export->function->id;
    what.sync_event = export->sync_event != NULL;
    what.grant = export->origin_id;
    if (export->sync_event) {
        struct sync_event_watch watch = sync_event_watch(export->sync_event);
        n = sync_event_stored_fds(export->sync_event, fds, &what.has_page);
        what.holders_id = watch.id;
        what.holders_slot = watch.slot;
    }
    object_record(&export->object, &record);
    record.export = &what;
    if (export->origin) // charged to the delegating importer
        return fdstore_put(&export->object.stored, &record, export->origin->importer->user, NULL, 0,
                           err);
    return object_put(&export->object, &record, fds, n, err);
}
