// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests about regions, exports, imports, queue pairs and names.

#include "config.h"
#include "export.h"
#include "import.h"
#include "node.h"
#include "publication.h"
#include "qpair.h"
#include "region.h"
#include "session_requests.h"
#include "settlement.h"
#include "sync_event.h"

#include <inttypes.h>

static doca_error_t no_such(struct errtext *err, const char *what, uint64_t id)
{
    return errtext_set(err, DOCA_ERROR_NOT_FOUND, "%s %" PRIu64 ": this session has none", what,
                       id);
}

static struct region *find_region(const struct session *session, uint64_t id)
{
    struct region *region = idmap_get(&session->node->regions_by_id, id, struct region, id);
    return region && region->session == session ? region : NULL;
}

SESSION_REQUEST(on_region_register)
{
    Docad__RegionRegisterReply reply = DOCAD__REGION_REGISTER_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct region *region;

    doca_error_t r = region_new(&region, session, request->region_register, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    reply.region_id = region->id.id;
    reply.copy_key = region->copies.key;
    reply.copy_writable = region->copies.writable;
    message.body_case = DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY;
    message.region_register_reply = &reply;
    session_reply(session, request->serial, &message, NULL, 0);
    return DOCA_SUCCESS;
}

// The owner will reuse the memory once it has the answer: nobody may be in the middle of
// a copy then.
SESSION_REQUEST(on_region_unregister)
{
    uint64_t id = request->region_unregister->region_id;
    struct region *region = find_region(session, id);
    (void)fds;

    if (!region)
        return no_such(err, "region", id);
    struct settlement *settlement = settlement_new(session, request->serial);
    exports_end(region, SLOT_OWNER_GONE, settlement);
    region_free(region, SLOT_OWNER_GONE, settlement);
    settlement_begin(settlement, session, request->serial);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_export_create)
{
    const Docad__ExportCreate *m = request->export_create;
    Docad__ExportCreateReply reply = DOCAD__EXPORT_CREATE_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct region *region = find_region(session, m->region_id);
    const struct function *function;
    struct export *export;
    struct sync_event *sync_event;

    if (!region)
        return no_such(err, "region", m->region_id);
    doca_error_t r = session_open_function(session, m->function_id, &function, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!region_has_function(region, function))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "region %" PRIu64 " was not registered with function %s; add the "
                           "device to the map before it starts",
                           m->region_id, function->name);
    r = policy_export(&session->node->config->policy, &session->credentials, m->target, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = sync_event_new(&sync_event, region, m, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = export_new(&export, region, function, m, err);
    if (r != DOCA_SUCCESS) {
        sync_event_free(sync_event);
        return r;
    }
    export->sync_event = sync_event;
    export->kept.serial = request->serial;
    export_keep(export);
    reply.export_id = export->id.id;
    reply.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
    if (sync_event) {
        struct sync_event_watch watch = sync_event_watch(sync_event);
        reply.holders_id = watch.id;
        reply.holders_slot = watch.slot;
    }
    message.body_case = DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY;
    message.export_create_reply = &reply;
    session_reply(session, request->serial, &message, NULL, 0);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_import_create)
{
    (void)fds;
    return import_begin(session, request->serial, request->import_create, err);
}

SESSION_REQUEST(on_import_release)
{
    uint64_t id = request->import_release->import_id;
    struct import *import = idmap_get(&session->node->imports_by_id, id, struct import, id);
    (void)fds;

    if (!import || import->session != session || import->state == SLOT_FREE)
        return no_such(err, "import", id);
    import_free(import);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

SESSION_REQUEST(on_queue_pair_create)
{
    (void)fds;
    return qpair_begin(session, request->serial, request->queue_pair_create, err);
}

SESSION_REQUEST(on_queue_pair_destroy)
{
    uint64_t id = request->queue_pair_destroy->queue_pair_id;
    struct qpair *qp = idmap_get(&session->node->qpairs_by_id, id, struct qpair, id);
    (void)fds;

    if (!qp || qp->session != session || qp->state == SLOT_FREE)
        return no_such(err, "queue pair", id);
    qpair_free(qp);
    session_reply_ok(session, request->serial);
    return DOCA_SUCCESS;
}

// ---- names --------------------------------------------------------------------------------

SESSION_REQUEST(on_publish)
{
    (void)fds;
    doca_error_t r = publication_new(session, request->publish, err);
    if (r == DOCA_SUCCESS)
        session_reply_ok(session, request->serial);
    return r;
}

SESSION_REQUEST(on_unpublish)
{
    (void)fds;
    doca_error_t r = publication_remove(session, request->unpublish->name, err);
    if (r == DOCA_SUCCESS)
        session_reply_ok(session, request->serial);
    return r;
}

SESSION_REQUEST(on_lookup)
{
    (void)fds;
    return lookup_begin(session, request->serial, request->lookup, err);
}
