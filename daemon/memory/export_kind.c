// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config.h"
#include "delegation.h"
#include "ending.h"
#include "export.h"
#include "grant.h"
#include "import.h"

#include "node.h"
#include "region.h"
#include "session.h"
#include "sync_event.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__ExportRecord *m = item->record->export;
    struct region *region = OBJECT_GET(node, REGION, m->region, struct region);
    struct export_desc desc;

    if (!region || m->function - 1 >= node->n_functions ||
        m->descriptor.len > EXPORT_DESC_SIZE_MAX ||
        export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, NULL) != DOCA_SUCCESS)
        return;
    struct export *export = export_make(region, &node->functions[m->function - 1]);
    if (!export)
        return;
    export->target = desc.target;
    export->access = desc.access;
    memcpy(export->token, desc.token, sizeof(export->token));
    memcpy(export->descriptor, m->descriptor.data, m->descriptor.len);
    export->descriptor_size = m->descriptor.len;
    if (m->sync_event)
        export->sync_event = sync_event_restore(region->object.session, m, &item->fds);
    if (m->sync_event && !export->sync_event) {
        free(export);
        return;
    }
    export->origin_id = m->grant;
    export_enter(export, item->record->id, NULL, NULL);
    if (export->origin_id)
        fdstore_take(item, &export->object.stored, NULL);
    else
        object_take(&export->object, item);
}

// An export that delegates a grant which was not restored ends.
static void settle(struct node *node)
{
    struct export *export, *next;
    list_for_each_safe (export, next, NODE_OBJECTS(node, EXPORT), object.in_node)
        if (export->origin_id && !export->origin)
            export_end(export, SLOT_OWNER_GONE, NULL);
}

static void end(struct object *object, unsigned *steps)
{
    struct export *export = container_of(object, struct export, object);
    struct grace_period *grace = object->session->ended_for;
    if (export_end_some(export, SLOT_OWNER_GONE, grace, steps))
        export_end(export, SLOT_OWNER_GONE, grace);
}

// Imports of this node find that it has ended; linked nodes are told when each ends.
static bool owner_gone(struct session *session, unsigned *steps)
{
    struct object *first;
    while ((first = session_first_unshown(session, DOCAD__RECORD__WHAT_EXPORT))) {
        if (!kind_step(steps) ||
            !export_show_end(container_of(first, struct export, object), SLOT_OWNER_GONE, steps))
            return false;
        object_shown(first);
    }
    return true;
}

static struct export *next_of(const struct node *node, uint64_t after)
{
    return idmap_entry(idmap_after(NODE_MAP(node, EXPORT), after), struct export, object.by_id);
}

static void function_gone(struct node *node, const struct function *function, enum slot_state state)
{
    struct export *export;
    // The end of one may end others, which delegate what it granted.
    for (uint64_t id = 0; (export = next_of(node, id));) {
        id = export->object.id;
        if (export->function == function)
            export_end(export, state, NULL);
    }
}

// ---- requests -------------------------------------------------------------------------

static doca_error_t on_export_create(struct request *request)
{
    struct session *session = request->session;
    const Docad__ExportCreate *m = request->message->export_create;
    Docad__ExportCreateReply reply = DOCAD__EXPORT_CREATE_REPLY__INIT;
    struct region *region = region_find(session, m->region_id);
    const struct function *function;
    struct export *export;
    struct sync_event *sync_event;

    if (m->import_id)
        return delegation_request(request);
    if (!region)
        return session_has_no("region", m->region_id, request->err);
    doca_error_t r = session_open_function(session, m->function_id, &function, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!region_has_function(region, function))
        return errtext_set(request->err, DOCA_ERROR_INVALID_VALUE,
                           "region %" PRIu64 " was not registered with function %s; add the "
                           "device to the map before it starts",
                           m->region_id, function->name);
    r = policy_export(&session->node->config->policy, &session->credentials, m->target,
                      request->err);
    if (r != DOCA_SUCCESS)
        return r;
    r = sync_event_new(&sync_event, region, m, request->fds, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    r = export_new(&export, region, function, m, request->err);
    if (r != DOCA_SUCCESS) {
        sync_event_free(sync_event);
        return r;
    }
    export->sync_event = sync_event;
    export->object.stored.serial = request->message->serial;
    r = export_keep(export, request->err);
    if (r != DOCA_SUCCESS) {
        export_end(export, SLOT_OWNER_GONE, NULL);
        return r;
    }
    reply.export_id = export->object.id;
    reply.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
    if (sync_event) {
        struct sync_event_watch watch = sync_event_watch(sync_event);
        reply.holders_id = watch.id;
        reply.holders_slot = watch.slot;
    }
    return request_reply(request, message_of(EXPORT_CREATE_REPLY, export_create_reply, &reply));
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_EXPORT_CREATE, "ExportCreate", on_export_create},
    {0},
};

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE, delegation_peer_request},
    {0},
};

const struct object_kind export_kind = {.requests = requests,
                                        .messages = messages,
                                        .record = DOCAD__RECORD__WHAT_EXPORT,
                                        .restore = restore,
                                        .settle = settle,
                                        .end = end,
                                        .owner_gone = owner_gone,
                                        .function_gone = function_gone};
