// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "grant.h"

#include "access.h"
#include "engine.h"
#include "engine_event.h"
#include "export.h"
#include "import.h"
#include "memory_file.h"
#include "node.h"
#include "peer.h"
#include "qpair.h"
#include "queue_pair.h"
#include "region.h"
#include "session.h"
#include "settlement.h"
#include "sync_event.h"
#include "sync_page.h"
#include "user.h"

#include <string.h>

static bool is_imported_by(const struct region *region, const struct peer *peer)
{
    const struct export *export;
    const struct grant *grant;
    list_for_each (export, &region->exports, region_link)
        list_for_each (grant, &export->grants, export_link)
            if (grant->importer->peer == peer)
                return true;
    return false;
}

// Of what is registered for its node, or for any, if nobody there imports it now.
static void end_registrations(struct region *region, const struct peer *peer)
{
    if (region_count_importers(region) == 0)
        rc_memory_end(&region->rc);
    else if (peer && peer->no_descriptors && !is_imported_by(region, peer))
        rc_memory_end_for(&region->rc, peer->id_there);
}

// Takes the grant out of everything but the engine.
static void unlink_grant(struct grant *grant)
{
    keep_drop(&grant->kept);
    importer_give(grant->importer, IMPORTER_FDS, grant->n_fds);
    importer_give(grant->importer, IMPORTER_GRANT, 1);
    idmap_remove(&grant->importer->node->grants_by_id, &grant->id);
    list_remove(&grant->export_link);
    list_remove(&grant->importer_link);
    grant->export->n_grants--;
    end_registrations(grant->export->region, grant->importer->peer);
    if (grant->import)
        grant->import->grant = NULL;
}

void grant_forget(struct grant *grant)
{
    unlink_grant(grant);
    free(grant);
}

// What only may be written is mapped by nobody but the owner's own user, and on another
// machine nothing is.
static bool broker_all(const struct export *export, const struct importer *importer)
{
    if (importer->peer && importer->peer->no_descriptors)
        return true;
    return access_is_write_only(export->access) &&
           (importer->credentials.uid != export->region->session->user->uid ||
            importer->node->config->isolation_strict);
}

static uint32_t allowed_opcodes(uint32_t access)
{
    uint32_t allowed = 0;
    if (access & (ACCESS_RDMA_READ | ACCESS_DPU))
        allowed |= 1u << QP_READ;
    if (access & (ACCESS_RDMA_WRITE | ACCESS_DPU_READ_WRITE))
        allowed |= 1u << QP_WRITE;
    if (access & (ACCESS_RDMA_ATOMIC | ACCESS_DPU_READ_WRITE)) // of sync events
        allowed |= 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP;
    return allowed;
}

// Where an export's bytes are for importers that map none of them.
struct place {
    uint64_t address, length;
};

static bool counter_is_in_page(const struct export *export)
{
    return export->sync_event && export->region->memfd >= 0;
}

// Of a sync event others get at the counter alone.
static struct place place_of(const struct export *export)
{
    const struct region *region = export->region;
    if (counter_is_in_page(export))
        return (struct place){region->address + offsetof(struct sync_page, value), SYNC_VALUE_SIZE};
    return (struct place){region->address, region->length};
}

// Who has no page of a sync event cannot wake others: the engine does it.
static int take_event(const struct export *export, struct engine_range *range)
{
    int fds[SYNC_EVENT_FDS];
    sync_event_fds(export, fds);
    range->allowed = 1u << QP_READ | 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP;
    return engine_event_new(&range->event, fds, counter_is_in_page(export),
                            export->region->session->user->uid);
}

// Brokered bytes move through the engine; mapped ones need it not. 0 or -errno.
static int range_of(const struct grant *grant, struct engine_range *out)
{
    const struct export *export = grant->export;
    struct region *region = export->region;
    struct place place = place_of(export);

    *out = (struct engine_range){.memory_fd = region->memory ? region->memory->fd : -1,
                                 .owner = region->session->id,
                                 .uid = region->session->user->uid,
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

// What the engine keeps open for it: sockets of a sync event, and the owner's memory.
static unsigned engine_fds(const struct grant *grant)
{
    if (!grant->brokered || !grant->export->sync_event)
        return 1;
    return ENGINE_EVENT_FDS + !counter_is_in_page(grant->export);
}

bool grant_restore_in_engine(struct grant *grant, struct export *export, struct importer *importer,
                             uint32_t key)
{
    struct engine_range range;

    grant->export = export;
    grant->importer = importer;
    grant->brokered = broker_all(export, importer);
    grant->key = key;
    if (!engine_can_reach(grant) || range_of(grant, &range) < 0)
        return false;
    grant->in_engine = engine_grant_restore(importer->engine, &range, key) == 0;
    if (!grant->in_engine) {
        engine_event_free(range.event);
        return false;
    }
    grant->n_fds = engine_fds(grant);
    importer_take_restored(importer, IMPORTER_FDS, grant->n_fds);
    return true;
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
                           (int)region->session->pid);
    if (!engine_can_reach(grant))
        return DOCA_SUCCESS;
    doca_error_t code = importer_take(grant->importer, IMPORTER_FDS, engine_fds(grant), err);
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

doca_error_t grant_new(struct grant **out, struct export *export, struct importer *importer,
                       struct errtext *err)
{
    doca_error_t allowed =
        policy_import(&importer->node->config->policy, &export->region->session->credentials,
                      &importer->credentials, err);
    if (allowed != DOCA_SUCCESS)
        return allowed;
    doca_error_t r = importer_take(importer, IMPORTER_GRANT, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct grant *grant = calloc(1, sizeof(*grant));
    if (!grant) {
        importer_give(importer, IMPORTER_GRANT, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    grant->export = export;
    grant->importer = importer;
    grant->brokered = broker_all(export, importer);
    r = add_to_engine(grant, err);
    if (r != DOCA_SUCCESS) {
        importer_give(importer, IMPORTER_GRANT, 1);
        free(grant);
        return r;
    }
    idmap_add(&importer->node->grants_by_id, &grant->id, node_next_id(importer->node));
    list_append(&export->grants, &grant->export_link);
    list_append(&importer->grants, &grant->importer_link);
    export->n_grants++;
    *out = grant;
    return DOCA_SUCCESS;
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

void grant_end(struct grant *grant, enum slot_state state, struct settlement *settlement)
{
    struct importer *importer = grant->importer;
    struct import *import = grant->import;

    unlink_grant(grant);
    if (import)
        import_end(import, state, settlement);
    else
        peer_grant_ended(importer->peer, grant->id.id, state, settlement);
    if (grant->in_engine) {
        if (settlement)
            settlement_hold(settlement);
        engine_grant_drop(importer->engine, grant->key, slot_state_error(state),
                          settlement ? settlement_release : NULL, settlement);
        qpairs_hurry(importer);
    }
    free(grant);
    importer_free_if_idle(importer);
}

void grant_release(struct grant *grant)
{
    struct importer *importer = grant->importer;
    unlink_grant(grant);
    if (grant->in_engine)
        engine_grant_drop(importer->engine, grant->key, DOCA_ERROR_NOT_PERMITTED, NULL, NULL);
    qpairs_hurry(importer);
    free(grant);
    importer_free_if_idle(importer);
}
