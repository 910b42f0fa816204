// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export.h"

#include "node.h"
#include "region.h"
#include "session.h"
#include "sync_event.h"

#include <stdlib.h>
#include <string.h>

void export_keep(struct export *export)
{
    Docad__KeptExport what = DOCAD__KEPT_EXPORT__INIT;
    Docad__Kept record;
    int fds[SYNC_EVENT_FDS];
    size_t n = 0;

    if (!keep_is_on())
        return;
    what.region = export->region->id.id;
    what.descriptor = keep_bytes(export->descriptor, export->descriptor_size);
    what.function = export->function->id;
    what.sync_event = export->sync_event != NULL;
    if (export->sync_event) {
        struct sync_event_watch watch = sync_event_watch(export->sync_event);
        n = sync_event_kept_fds(export->sync_event, fds, &what.has_page);
        what.holders_id = watch.id;
        what.holders_slot = watch.slot;
    }
    keep_record_init(&record, export->id.id, export->region->session->id, &export->kept);
    record.what_case = DOCAD__KEPT__WHAT_EXPORT;
    record.export = &what;
    keep_put(&export->kept, &record, fds, n);
}

static void restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptExport *m = item->record->export;
    struct region *region = idmap_get(&node->regions_by_id, m->region, struct region, id);
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
        export->sync_event = sync_event_restore(region->session, m, &item->fds);
    if (m->sync_event && !export->sync_event) {
        free(export);
        return;
    }
    export_enter(export, item->record->id, NULL, NULL);
    keep_take(item, &export->kept);
}

static void end_of(struct session *session, uint64_t serial)
{
    struct region *region;
    struct export *export, *next;
    list_for_each (region, &session->regions, session_link)
        list_for_each_safe (export, next, &region->exports, region_link)
            if (!serial || export->kept.serial == serial)
                export_end(export, SLOT_OWNER_GONE, NULL);
}

static void function_gone(struct node *node, const struct function *function, enum slot_state state)
{
    struct export *export, *next;
    list_for_each_safe (export, next, &node->exports, link)
        if (export->function == function)
            export_end(export, state, NULL);
}

const struct object_kind export_kind = {.record = DOCAD__KEPT__WHAT_EXPORT,
                                        .restore = restore,
                                        .end_of = end_of,
                                        .function_gone = function_gone};
