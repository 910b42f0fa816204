// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "region.h"

#include "cleanup.h"
#include "node.h"
#include "process_memories.h"
#include "session.h"

void region_keep(struct region *region)
{
    Docad__KeptRegion what = DOCAD__KEPT_REGION__INIT;
    Docad__Kept record;
    uint32_t functions[ARRAY_SIZE(region->functions)];
    int fds[2];
    size_t n = 0;

    if (!keep_is_on())
        return;
    cleanup_free Docad__Segment **segments = segments_to_messages(&region->segments);
    if (!segments)
        return;
    for (; what.n_functions < region->n_functions; what.n_functions++)
        functions[what.n_functions] = region->functions[what.n_functions]->id;
    what.functions = functions;
    what.address = region->address;
    what.length = region->length;
    what.access = region->access;
    what.segments = segments;
    what.n_segments = region->segments.count;
    what.memory = region->memory ? region->memory->id : 0;
    what.has_memfd = region->memfd >= 0;
    what.has_memfd_ro = region->memfd_ro >= 0;
    if (what.has_memfd)
        fds[n++] = region->memfd;
    if (what.has_memfd_ro)
        fds[n++] = region->memfd_ro;
    keep_record_init(&record, region->id.id, region->session->id, &region->kept);
    record.what_case = DOCAD__KEPT__WHAT_REGION;
    record.region = &what;
    keep_put(&region->kept, &record, fds, n);
}

static void restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptRegion *m = item->record->region;
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
    region->memory = process_memories_find(m->memory);
    if (m->has_memfd)
        region->memfd = fd_list_take(&item->fds, 0);
    if (m->has_memfd_ro)
        region->memfd_ro = fd_list_take(&item->fds, m->has_memfd);
    region_enter(region, item->record->id, NULL, NULL);
    keep_take(item, &region->kept);
}

static void end_of(struct session *session, uint64_t serial)
{
    struct region *region, *next;
    list_for_each_safe (region, next, &session->regions, session_link)
        if (!serial || region->kept.serial == serial)
            region_free(region, SLOT_OWNER_GONE, NULL);
}

const struct object_kind region_kind = {
    .record = DOCAD__KEPT__WHAT_REGION, .restore = restore, .end_of = end_of};
