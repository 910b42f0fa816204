// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "grant.h"

#include "access.h"
#include "config.h"
#include "ending.h"
#include "engine.h"
#include "engine_event.h"
#include "export.h"
#include "import.h"
#include "memory_file.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"
#include "region.h"
#include "session.h"
#include "grace_period.h"
#include "sync_event.h"
#include "sync_page.h"
#include "user.h"

#include <string.h>

static const struct grant *of_node(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, const struct grant, by_node);
}

static int compare_node(const struct tree_node *node, const void *key)
{
    return memcmp(of_node(node)->importer->node_there, key, NODE_ID_SIZE);
}

static int compare_nodes(const struct tree_node *a, const struct tree_node *b)
{
    return compare_node(a, of_node(b)->importer->node_there);
}

static bool is_imported_by(const struct region *region, const uint8_t *node)
{
    const struct tree_node *found = tree_seek(&region->grants_by_node, node, compare_node);
    return found && compare_node(found, node) == 0;
}

// Ends the region's registrations for the importer's node, or for any node, if no session there
// imports the region any more.
static void end_registrations(struct region *region, const struct importer *importer)
{
    if (region->n_grants == 0)
        rc_memory_end(&region->rc);
    else if (importer->peer && importer->peer->no_descriptors &&
             !is_imported_by(region, importer->node_there))
        rc_memory_end_for(&region->rc, importer->node_there);
}

// Returns whether all bytes must be brokered. Write-only memory is mapped by the owner's own user
// alone, and on another machine nothing can be mapped.
static bool broker_all(const struct export *export, const struct importer *importer)
{
    if (importer->peer && importer->peer->no_descriptors)
        return true;
    return access_is_write_only(export->access) &&
           (importer->credentials.uid != export->object.session->credentials.uid ||
            importer->node->config->isolation_strict);
}

static uint32_t allowed_opcodes(uint32_t access)
{
    uint32_t allowed = 0;
    if (access & (ACCESS_RDMA_READ | ACCESS_DPU))
        allowed |= 1u << QP_READ;
    if (access & (ACCESS_RDMA_WRITE | ACCESS_DPU_READ_WRITE))
        allowed |= 1u << QP_WRITE;
    if (access & (ACCESS_RDMA_ATOMIC | ACCESS_DPU_READ_WRITE)) // also for sync events
        allowed |= 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP;
    return allowed;
}

// Describes where an export's bytes are, for importers that do not map them.
struct place {
    uint64_t address, length;
};

static bool counter_is_in_page(const struct export *export)
{
    return export->sync_event && export->region->memfd >= 0;
}

// In a sync event others can only access the counter.
static struct place place_of(const struct export *export)
{
    const struct region *region = export->region;
    if (counter_is_in_page(export))
        return (struct place){region->address + offsetof(struct sync_page, value), SYNC_VALUE_SIZE};
    return (struct place){region->address, region->length};
}

// An importer without the sync event's page cannot wake others, so the engine does it.
static int take_event(const struct export *export, struct engine_range *range)
{
    int fds[SYNC_EVENT_FDS];
    sync_event_fds(export, fds);
    range->allowed = 1u << QP_READ | 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP;
    return engine_event_new(&range->event, fds, counter_is_in_page(export),
                            export->object.session->user->uid);
}

// Brokered bytes move through the engine; mapped ones do not need it. 0 or -errno.
static int range_of(const struct grant *grant, struct engine_range *out)
{
    const struct export *export = grant->export;
    struct region *region = export->region;
    struct place place = place_of(export);

    *out = (struct engine_range){.owner_memory = region->memory ? region->memory->file : NULL,
                                 .owner = region->object.session->id,
                                 .uid = region->object.session->user->uid,
                                 .address = place.address,
                                 .length = place.length,
                                 .allowed = allowed_opcodes(export->access),
                                 .memory = export->sync_event ? NULL : &region->rc,
                                 .any_word = export->sync_event != NULL};
    return grant->brokered && export->sync_event ? take_event(export, out) : 0;
}

static bool engine_can_reach(const struct grant *grant)
{
    return grant->export->region->memory || (grant->brokered && counter_is_in_page(grant->export));
}

// The number of descriptors that the engine opens for it: the timer of a sync event. The owner's
// memory is shared by all grants.
static unsigned engine_fds(const struct grant *grant)
{
    return grant->brokered && grant->export->sync_event ? ENGINE_EVENT_FDS : 0;
}

static doca_error_t add_to_engine(struct grant *grant, struct errtext *err)
{
    const struct region *region = grant->export->region;
    struct engine_range range;

    if (region->segments.brokered_bytes == 0 && !grant->brokered)
        return DOCA_SUCCESS;
    if (!engine_can_reach(grant) && grant->brokered)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "memory that cannot be mapped there, and whose owner has given docad "
                           "no access to it (pid %d)",
                           (int)region->object.session->pid);
    if (!engine_can_reach(grant))
        return DOCA_SUCCESS;
    doca_error_t code = importer_take(grant->importer, IMPORTER_FDS, engine_fds(grant),
                                      node_limits(grant->importer->node), err);
    if (code != DOCA_SUCCESS)
        return code;
    int r = range_of(grant, &range);
    if (r == 0) {
        r = engine_grant_add(grant->importer->engine, &range, &grant->key);
        if (r < 0)
            engine_event_free(range.event);
    }
    if (r < 0) {
        importer_give(grant->importer, IMPORTER_FDS, engine_fds(grant));
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "engine cannot take the range: %s",
                           strerror(-r));
    }
    grant->in_engine = true;
    grant->n_fds = engine_fds(grant);
    return DOCA_SUCCESS;
}

bool grant_restore_in_engine(struct grant *grant, uint32_t key)
{
    struct engine_range range;

    grant->key = key;
    if (!engine_can_reach(grant) || range_of(grant, &range) < 0)
        return false;
    grant->in_engine = engine_grant_restore(grant->importer->engine, &range, key) == 0;
    if (!grant->in_engine) {
        engine_event_free(range.event);
        return false;
    }
    grant->n_fds = engine_fds(grant);
    importer_take(grant->importer, IMPORTER_FDS, grant->n_fds, NULL, NULL);
    return true;
}

// ---- lifetime -------------------------------------------------------------------------

bool grant_release_some(struct grant *grant, unsigned *steps)
{
    if (grant->delegated && !export_end_some(grant->delegated, SLOT_OWNER_GONE, NULL, steps))
        return false;
    grant_release(grant);
    return true;
}

static bool end_item(struct importer_item *item, unsigned *steps)
{
    return grant_release_some(container_of(item, struct grant, item), steps);
}

static void drop_item(struct importer_item *item);

static const struct importer_item_ops item_ops = {.end = end_item, .drop = drop_item};

struct grant *grant_make(struct export *export, struct importer *importer)
{
    struct grant *grant = calloc(1, sizeof(*grant));
    if (!grant)
        return NULL;
    object_init(&grant->object, DOCAD__RECORD__WHAT_GRANT, importer->node, NULL);
    grant->export = export;
    grant->importer = importer;
    grant->item.ops = &item_ops;
    grant->brokered = broker_all(export, importer);
    return grant;
}

doca_error_t grant_enter(struct grant *grant, uint64_t id, const struct limits *limits,
                         struct errtext *err)
{
    struct importer *importer = grant->importer;

    doca_error_t r = importer_take(importer, IMPORTER_GRANT, 1, limits, err);
    if (r != DOCA_SUCCESS)
        return r;
    object_enter(&grant->object, id, NULL, 0, NULL, NULL);
    list_append(&grant->export->grants, &grant->in_export);
    list_append(&importer->grants, &grant->item.in_importer);
    grant->export->n_grants++;
    grant->export->region->n_grants++;
    if (importer->peer) {
        peer_named_add(importer->peer, NAMED_GRANTS, &grant->item.named);
        tree_add(&grant->export->region->grants_by_node, &grant->by_node, compare_nodes);
    }
    return DOCA_SUCCESS;
}

void grant_hold(struct grant *grant)
{
    const struct importer *importer = grant->importer;

    if (!grant->export->sync_event ||
        (!importer->peer && importer->session_id == grant->export->object.session->id))
        return;
    sync_event_taken(grant->export->sync_event);
    grant->holds = true;
}

static void release(struct grant *grant)
{
    const struct peer *peer = grant->importer->peer;

    if (grant->holds)
        sync_event_given_back(grant->export->sync_event,
                              peer && !peer->connection ? SLOT_PEER_GONE : SLOT_OWNER_GONE);
}

// Ends the export that delegates it. It is still one of the importer's, which therefore stays.
static void end_delegated(struct grant *grant, enum slot_state state, struct grace_period *grace)
{
    if (grant->delegated)
        export_end(grant->delegated, state, grace);
}

// Removes the grant from everything except the engine.
static void grant_leave(struct grant *grant)
{
    release(grant);
    importer_give(grant->importer, IMPORTER_FDS, grant->n_fds);
    importer_give(grant->importer, IMPORTER_GRANT, 1);
    object_leave(&grant->object);
    list_remove(&grant->in_export);
    list_remove(&grant->item.in_importer);
    grant->export->n_grants--;
    grant->export->region->n_grants--;
    if (grant->importer->peer) {
        peer_named_remove(grant->importer->peer, NAMED_GRANTS, &grant->item.named);
        tree_remove(&grant->export->region->grants_by_node, &grant->by_node, compare_nodes);
    }
    end_registrations(grant->export->region, grant->importer);
    ending_leave(grant->ending);
    if (grant->import)
        grant->import->grant = NULL;
}

static void drop_item(struct importer_item *item)
{
    struct grant *grant = container_of(item, struct grant, item);
    end_delegated(grant, SLOT_OWNER_GONE, NULL);
    grant_leave(grant);
    free(grant);
}

doca_error_t grant_new(struct grant **out, struct export *export, struct importer *importer,
                       struct errtext *err)
{
    struct node *node = importer->node;

    const struct policy *policy = &node->config->policy;
    const struct credentials *who = &importer->credentials;

    doca_error_t r = policy_import(policy, &export->object.session->credentials, who, err);
    if (r == DOCA_SUCCESS && export->origin) // both rules count: delegation.h
        r = policy_import(policy, &export->origin->importer->credentials, who, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct grant *grant = grant_make(export, importer);
    if (!grant)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    r = grant_enter(grant, node_next_id(node), node_limits(node), err);
    if (r != DOCA_SUCCESS) {
        free(grant);
        return r;
    }
    r = add_to_engine(grant, err);
    if (r != DOCA_SUCCESS) {
        drop_item(&grant->item);
        return r;
    }
    grant_hold(grant);
    *out = grant;
    return DOCA_SUCCESS;
}

// The memory file that the export may pass on, -1 if the region has no mapped part.
static int export_memfd(const struct export *export)
{
    return access_lets_write(export->access) ? export->region->memfd : export->region->memfd_ro;
}

// Lists all descriptors for an importer; the export keeps them.
static struct fd_list export_fds(const struct export *export)
{
    struct fd_list list = FD_LIST_EMPTY;
    int memfd = export_memfd(export);
    if (export->sync_event) {
        sync_event_fds(export, list.fds);
        list.count = SYNC_EVENT_FDS;
    } else if (memfd >= 0) {
        list.fds[list.count++] = memfd;
    }
    return list;
}

doca_error_t grant_parts(const struct grant *grant, struct grant_parts *out, struct errtext *err)
{
    const struct region *region = grant->export->region;
    struct place place = {region->address, region->length};
    if (grant->brokered)
        place = place_of(grant->export);
    struct segment whole = {.address = place.address, .length = place.length};
    struct segments one = {.items = &whole, .count = 1};
    const struct segments *segments = grant->brokered ? &one : &region->segments;

    out->segments = segments_to_messages(segments);
    if (!out->segments)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    out->address = place.address;
    out->length = place.length;
    out->n_segments = segments->count;
    out->has_memfd = !grant->brokered && export_memfd(grant->export) >= 0;
    out->fds = export_fds(grant->export);
    if (grant->brokered)
        out->fds.count = 0;
    return DOCA_SUCCESS;
}

void grant_end(struct grant *grant, enum slot_state state, struct grace_period *grace)
{
    struct importer *importer = grant->importer;
    struct import *import = grant->import;

    end_delegated(grant, state, grace);
    grant_leave(grant);
    if (import)
        grant->import_ended(import, state, grace);
    else
        peer_grant_ended(importer->peer, grant->object.id, state, grace);
    if (grant->in_engine) {
        if (grace)
            grace_period_hold(grace);
        engine_grant_drop(importer->engine, grant->key, slot_state_error(state),
                          grace ? grace_period_release : NULL, grace);
        importer_set_deadlines(importer);
    }
    free(grant);
    importer_free_if_idle(importer);
}

void grant_release(struct grant *grant)
{
    struct importer *importer = grant->importer;
    end_delegated(grant, SLOT_OWNER_GONE, NULL);
    grant_leave(grant);
    if (grant->in_engine)
        engine_grant_drop(importer->engine, grant->key, DOCA_ERROR_NOT_PERMITTED, NULL, NULL);
    importer_set_deadlines(importer);
    free(grant);
    importer_free_if_idle(importer);
}

// ---- records --------------------------------------------------------------------------

doca_error_t grant_keep(struct grant *grant, struct errtext *err)
{
    Docad__GrantRecord what = DOCAD__GRANT_RECORD__INIT;
    Docad__Account account;
    Docad__ImporterRecord importer;
    Docad__Record record;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    importer_record(grant->importer, &importer, &account);
    what.export = grant->export->object.id;
    what.importer = &importer;
    what.in_engine = grant->in_engine;
    what.key = grant->key;
    what.import = grant->import ? grant->import->object.id : 0;
    object_record(&grant->object, &record);
    record.grant = &what;
    return fdstore_put(&grant->object.stored, &record, grant->importer->user, NULL, 0, err);
}
