// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ending.h"
#include "export.h"
#include "region.h"

#include "node.h"
#include "process_memories.h"
#include "session.h"
#include "grace_period.h"

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__RegionRecord *m = item->record->region;
    struct session *session = node_session(node, item->record->session);
    struct region *region = session ? region_make(session) : NULL;

    if (!region)
        return;
    region->n_files = (unsigned)m->has_memfd + m->has_memfd_ro;
    if (item->fds.count != region->n_files ||
        segments_read(m->address, m->length, m->segments, m->n_segments, &region->segments, NULL) !=
            DOCA_SUCCESS) {
        region_drop(region);
        return;
    }
    region->address = m->address;
    region->length = m->length;
    region->access = m->access;
    for (size_t i = 0; i < m->n_functions && i < ARRAY_SIZE(region->functions); i++)
        if (m->functions[i] - 1 < node->n_functions)
            region->functions[region->n_functions++] = &node->functions[m->functions[i] - 1];
    region->memory = process_memories_find(node, m->memory);
    if (m->has_memfd)
        region->memfd = fd_list_take(&item->fds, 0);
    if (m->has_memfd_ro)
        region->memfd_ro = fd_list_take(&item->fds, m->has_memfd);
    region_enter(region, item->record->id, NULL, NULL);
    object_take(&region->object, item);
}

static void end(struct object *object, unsigned *steps)
{
    (void)steps;
    struct region *region = container_of(object, struct region, object);
    struct grace_period *by_tool = object->session->ended_for;
    region_free(region, SLOT_OWNER_GONE, by_tool ? by_tool : ending_grace_period(region->ending));
}

// ---- requests -------------------------------------------------------------------------

static doca_error_t on_region_register(struct request *request)
{
    Docad__RegionRegisterReply reply = DOCAD__REGION_REGISTER_REPLY__INIT;
    struct region *region;

    doca_error_t r = region_new(&region, request->session, request->message->region_register,
                                request->fds, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    reply.region_id = region->object.id;
    reply.copy_key = region->copies.key;
    reply.copy_writable = region->copies.writable;
    return request_reply(request, message_of(REGION_REGISTER_REPLY, region_register_reply, &reply));
}

static bool end_some(void *object, struct grace_period *grace, unsigned *steps)
{
    struct region *region = object;
    if (!exports_end_some(region, SLOT_OWNER_GONE, grace, steps))
        return false;
    region_free(region, SLOT_OWNER_GONE, grace);
    return true;
}

// The owner will reuse the memory once it has the answer, so no copy may be in progress then. The
// next docad restores nothing of a region whose record has left the store.
static doca_error_t on_region_unregister(struct request *request)
{
    struct session *session = request->session;
    uint64_t id = request->message->region_unregister->region_id;
    struct region *region = region_find(session, id);

    if (!region)
        return session_has_no("region", id, request->err);
    fdstore_drop(&region->object.stored);
    struct grace_period *grace = grace_period_new(session, request->message->serial);
    if (grace)
        grace_period_follow(grace, &region->grace_periods);
    return ending_request(request, &(struct ending_root){region, &region->ending, end_some}, grace);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_REGION_REGISTER, "RegionRegister", on_region_register},
    {DOCAD__MESSAGE__BODY_REGION_UNREGISTER, "RegionUnregister", on_region_unregister},
    {0},
};

const struct object_kind region_kind = {
    .requests = requests, .record = DOCAD__RECORD__WHAT_REGION, .restore = restore, .end = end};
