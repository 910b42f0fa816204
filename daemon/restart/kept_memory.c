// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeping memory, regions, exports, and what others have of them.

#include "kept.h"

#include "access.h"
#include "cleanup.h"
#include "engine.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "memory_file.h"
#include "node.h"
#include "peer.h"
#include "region.h"
#include "session.h"
#include "sync_event.h"
#include "user.h"

#include <string.h>

static ProtobufCBinaryData bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)data};
}

void kept_init(Docad__Kept *record, uint64_t id, const struct session *session,
               const struct kept *kept)
{
    docad__kept__init(record);
    record->id = id;
    record->session = session ? session->id : 0;
    record->serial = kept->serial;
}

struct session *kept_session_of(const struct node *node, const struct keep_item *item)
{
    return node_session(node, item->record->session);
}

// ---- /proc/PID/mem --------------------------------------------------------------------

void kept_memory(struct process_memory *memory)
{
    Docad__KeptMemory what = DOCAD__KEPT_MEMORY__INIT;
    Docad__Kept record;
    if (!keep_is_on())
        return;
    kept_init(&record, memory->id, NULL, &memory->kept);
    what.uid = memory->user->uid;
    record.what_case = DOCAD__KEPT__WHAT_MEMORY;
    record.memory = &what;
    keep_put(&memory->kept, &record, &memory->fd, 1);
}

// While regions are taken up: each memory with one reference too many.
static struct process_memory **memories;
static size_t n_memories;

void kept_memory_restore(struct node *node, struct keep_item *item)
{
    struct process_memory **more =
        reallocarray(memories, n_memories + 1, sizeof(struct process_memory *));
    struct process_memory *memory = calloc(1, sizeof(*memory));
    struct user *user = user_get(&node->users, item->record->memory->uid);

    memories = more ? more : memories;
    if (!more || !memory || !user || item->fds.count != 1) {
        free(memory);
        user_unref(user);
        return;
    }
    memory->fd = fd_list_take(&item->fds, 0);
    memory->id = item->record->id;
    memory->references = 1;
    memory->user = user;
    user->descriptors++;
    keep_take(item, &memory->kept);
    memories[n_memories++] = memory;
}

static struct process_memory *find_memory(uint64_t id)
{
    for (size_t i = 0; i < n_memories; i++)
        if (memories[i]->id == id && id != 0)
            return process_memory_ref(memories[i]);
    return NULL;
}

void kept_memories_settle(struct node *node)
{
    struct session *session;
    list_for_each (session, &node->sessions, link)
        session->memory = find_memory(session->kept_memory);
    for (size_t i = 0; i < n_memories; i++)
        process_memory_unref(memories[i]);
    free(memories);
    memories = NULL;
    n_memories = 0;
}

// ---- regions --------------------------------------------------------------------------

void kept_region(struct region *region)
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
    kept_init(&record, region->id.id, region->session, &region->kept);
    record.what_case = DOCAD__KEPT__WHAT_REGION;
    record.region = &what;
    keep_put(&region->kept, &record, fds, n);
}

void kept_region_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptRegion *m = item->record->region;
    struct session *session = kept_session_of(node, item);
    struct region *region = session ? calloc(1, sizeof(*region)) : NULL;

    if (!region || item->fds.count != (size_t)m->has_memfd + m->has_memfd_ro ||
        segments_read(m->address, m->length, m->segments, m->n_segments, &region->segments, NULL) !=
            DOCA_SUCCESS) {
        free(region);
        return;
    }
    region->session = session;
    region->address = m->address;
    region->length = m->length;
    region->access = m->access;
    for (size_t i = 0; i < m->n_functions && i < ARRAY_SIZE(region->functions); i++)
        if (m->functions[i] - 1 < node->n_functions)
            region->functions[region->n_functions++] = &node->functions[m->functions[i] - 1];
    region->memory = find_memory(m->memory);
    region->memfd = m->has_memfd ? fd_list_take(&item->fds, 0) : -1;
    region->memfd_ro = m->has_memfd_ro ? fd_list_take(&item->fds, m->has_memfd) : -1;
    list_init(&region->exports);
    rc_memory_init(&region->rc, region);
    session->n_regions++;
    session->region_bytes += region->length;
    session->user->region_bytes += region->length;
    session->user->descriptors += (uint64_t)m->has_memfd + m->has_memfd_ro;
    node->region_bytes += region->length;
    list_append(&node->regions, &region->link);
    list_append(&session->regions, &region->session_link);
    idmap_add(&node->regions_by_id, &region->id, item->record->id);
    keep_take(item, &region->kept);
}

// ---- exports --------------------------------------------------------------------------

void kept_export(struct export *export)
{
    Docad__KeptExport what = DOCAD__KEPT_EXPORT__INIT;
    Docad__Kept record;
    int fds[SYNC_EVENT_FDS];
    size_t n = 0;

    if (!keep_is_on())
        return;
    what.region = export->region->id.id;
    what.descriptor = bytes(export->descriptor, export->descriptor_size);
    what.function = export->function->id;
    what.sync_event = export->sync_event != NULL;
    if (export->sync_event)
        n = sync_event_kept_fds(export->sync_event, fds, &what.has_page);
    kept_init(&record, export->id.id, export->region->session, &export->kept);
    record.what_case = DOCAD__KEPT__WHAT_EXPORT;
    record.export = &what;
    keep_put(&export->kept, &record, fds, n);
}

void kept_export_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptExport *m = item->record->export;
    struct region *region = idmap_get(&node->regions_by_id, m->region, struct region, id);
    struct export_desc desc;
    struct export *export = region ? calloc(1, sizeof(*export)) : NULL;

    if (!export || m->function - 1 >= node->n_functions ||
        m->descriptor.len > sizeof(export->descriptor) ||
        export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, NULL) != DOCA_SUCCESS) {
        free(export);
        return;
    }
    export->region = region;
    export->function = &node->functions[m->function - 1];
    export->target = desc.target;
    export->access = desc.access;
    memcpy(export->token, desc.token, sizeof(export->token));
    memcpy(export->descriptor, m->descriptor.data, m->descriptor.len);
    export->descriptor_size = m->descriptor.len;
    if (m->sync_event)
        export->sync_event = sync_event_restore(region->session->user, m->has_page, &item->fds);
    if (m->sync_event && !export->sync_event) {
        free(export);
        return;
    }
    list_init(&export->grants);
    region->session->n_exports++;
    idmap_add(&node->exports_by_id, &export->id, item->record->id);
    list_append(&node->exports, &export->link);
    list_append(&region->exports, &export->region_link);
    keep_take(item, &export->kept);
}

// ---- imports --------------------------------------------------------------------------

void kept_import(struct import *import)
{
    Docad__KeptImport what = DOCAD__KEPT_IMPORT__INIT;
    Docad__Kept record;
    uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
    size_t size;

    if (!keep_is_on() || export_desc_encode(&import->desc, descriptor, &size) != DOCA_SUCCESS)
        return;
    what.slot = import->slot;
    what.descriptor = bytes(descriptor, size);
    what.owner_name = import->owner_name;
    what.address = import->address;
    what.length = import->length;
    what.access = import->access;
    if (import->peer) {
        what.node = bytes(import->peer->id_there, NODE_ID_SIZE);
        what.grant = import->grant_id.id;
    }
    kept_init(&record, import->id.id, import->session, &import->kept);
    record.what_case = DOCAD__KEPT__WHAT_IMPORT;
    record.import = &what;
    keep_put(&import->kept, &record, &import->lifeline, import->lifeline >= 0);
}

void kept_import_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptImport *m = item->record->import;
    struct session *session = kept_session_of(node, item);
    struct import *import = session ? calloc(1, sizeof(*import)) : NULL;
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;

    if (!import || !state_slot_claim(&node->slots, m->slot, item->record->id, &import->state) ||
        export_desc_decode(m->descriptor.data, m->descriptor.len, &import->desc, NULL) !=
            DOCA_SUCCESS) {
        free(import);
        return;
    }
    import->session = session;
    import->slot = m->slot;
    import->address = m->address;
    import->length = m->length;
    import->access = m->access;
    import->lifeline = item->fds.count ? fd_list_take(&item->fds, 0) : -1;
    snprintf(import->owner_name, sizeof(import->owner_name), "%s", m->owner_name);
    list_init(&import->wait.link);
    list_init(&import->teller_link);
    session->n_imports++;
    session->user->slots++;
    session->user->descriptors += import->lifeline >= 0;
    list_append(&node->imports, &import->link);
    list_append(&session->imports, &import->session_link);
    idmap_add(&node->imports_by_id, &import->id, item->record->id);
    keep_take(item, &import->kept);
    if (import->state == SLOT_LIVE && peer) {
        import->peer = peer;
        idmap_add(&peer->imports_by_grant, &import->grant_id, m->grant);
    } else if (import->state == SLOT_LIVE && m->node.len) {
        import_end(import, SLOT_PEER_GONE, NULL);
    }
}

// ---- grants ---------------------------------------------------------------------------

void kept_importer(const struct importer *importer, Docad__KeptImporter *out)
{
    docad__kept_importer__init(out);
    if (importer->peer)
        out->node = bytes(importer->peer->id_there, NODE_ID_SIZE);
    out->session = importer->session_id;
    out->pid = (uint32_t)importer->pid;
    out->uid = importer->credentials.uid;
    out->gids = (uint32_t *)importer->credentials.gids;
    out->n_gids = importer->credentials.n_gids;
}

struct importer *kept_importer_find(struct node *node, const Docad__KeptImporter *m)
{
    struct importer *importer;
    if (m->node.len == 0) {
        struct session *session = node_session(node, m->session);
        return session && session_importer(session, &importer, NULL) == DOCA_SUCCESS ? importer
                                                                                     : NULL;
    }
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    struct credentials who = credentials_of_message(m->uid, m->gids, m->n_gids);
    return peer ? importer_restore(peer, m->session, (pid_t)m->pid, &who) : NULL;
}

void kept_grant(struct grant *grant)
{
    Docad__KeptGrant what = DOCAD__KEPT_GRANT__INIT;
    Docad__KeptImporter importer;
    Docad__Kept record;

    if (!keep_is_on())
        return;
    kept_importer(grant->importer, &importer);
    what.export = grant->export->id.id;
    what.importer = &importer;
    what.in_engine = grant->in_engine;
    what.key = grant->key;
    what.import = grant->import ? grant->import->id.id : 0;
    kept_init(&record, grant->id.id, NULL, &grant->kept);
    record.what_case = DOCAD__KEPT__WHAT_GRANT;
    record.grant = &what;
    keep_put(&grant->kept, &record, NULL, 0);
}

void kept_grant_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptGrant *m = item->record->grant;
    struct export *export = idmap_get(&node->exports_by_id, m->export, struct export, id);
    struct import *import = idmap_get(&node->imports_by_id, m->import, struct import, id);
    struct importer *importer = export ? kept_importer_find(node, m->importer) : NULL;
    bool wanted = m->import ? import && import->state == SLOT_LIVE : true;
    struct grant *grant = importer && wanted ? calloc(1, sizeof(*grant)) : NULL;

    if (grant && m->in_engine && !grant_restore_in_engine(grant, export, importer, m->key)) {
        free(grant);
        grant = NULL;
    }
    if (!grant) {
        if (importer)
            importer_free_if_idle(importer);
        return;
    }
    importer_take_restored(importer, IMPORTER_GRANT, 1);
    grant->export = export;
    grant->importer = importer;
    grant->import = import;
    if (import)
        import->grant = grant;
    idmap_add(&node->grants_by_id, &grant->id, item->record->id);
    list_append(&export->grants, &grant->export_link);
    list_append(&importer->grants, &grant->importer_link);
    export->n_grants++;
    keep_take(item, &grant->kept);
}
