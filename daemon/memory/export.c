// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export.h"

#include "access.h"
#include "grant.h"
#include "node.h"
#include "publication.h"
#include "region.h"
#include "session.h"
#include "sync_event.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

// What an export for this target grants; 0 if the map's permissions do not allow any.
static doca_error_t decide_access(const struct region *region, const struct function *function,
                                  uint32_t target, uint32_t *access, struct errtext *err)
{
    bool sync_event = target == DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    if (target != DOCAD__EXPORT_TARGET__TARGET_DPU && target != DOCAD__EXPORT_TARGET__TARGET_RDMA &&
        !sync_event)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "export target %u: unknown", target);
    bool dpu = target == DOCAD__EXPORT_TARGET__TARGET_DPU || sync_event;
    uint32_t granted = region->access & (dpu ? ACCESS_DPU : ACCESS_RDMA);
    if (granted == 0 || (sync_event && !access_lets_write(granted)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "region %" PRIu64 " has no permission for it; give the map %s before "
                           "it starts",
                           region->id.id,
                           dpu ? "DOCA_ACCESS_DPU_READ_ONLY or DOCA_ACCESS_DPU_READ_WRITE"
                               : "a DOCA_ACCESS_RDMA_* permission");
    if (dpu && !function->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s cannot export to a DPU; host functions can",
                           function->name);
    *access = granted;
    return DOCA_SUCCESS;
}

static doca_error_t make_descriptor(struct export *export, const struct node *node,
                                    const Docad__ExportCreate *request, struct errtext *err)
{
    const struct region *region = export->region;
    struct export_desc desc = {.export_id = export->id.id,
                               .address = region->address,
                               .length = region->length,
                               .access = export->access,
                               .target = export->target,
                               .has_rkey = request->has_rkey,
                               .rkey = request->rkey};
    memcpy(desc.node, node->id, sizeof(desc.node));
    memcpy(desc.token, export->token, sizeof(desc.token));
    strcpy(desc.pci_address, export->function->pci);
    strcpy(desc.vuid, export->function->vuid);
    if (export_desc_encode(&desc, export->descriptor, &export->descriptor_size) != DOCA_SUCCESS)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "VUID of function %s is too long for a descriptor; shorten it in "
                           "docad's configuration",
                           export->function->name);
    return DOCA_SUCCESS;
}

doca_error_t export_new(struct export **out, struct region *region, const struct function *function,
                        const Docad__ExportCreate *request, struct errtext *err)
{
    struct session *session = region->session;
    struct node *node = session->node;
    uint32_t access;

    restart_reserve_ids(node);

    doca_error_t r = decide_access(region, function, request->target, &access, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct export *export = calloc(1, sizeof(*export));
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    list_init(&export->grants);
    export->region = region;
    export->function = function;
    export->target = request->target;
    export->access = access;
    export->id.id = node->last_export_id + 1;
    if (RAND_bytes(export->token, sizeof(export->token)) != 1)
        r = errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "no random numbers for a token");
    if (r == DOCA_SUCCESS)
        r = make_descriptor(export, node, request, err);
    if (r == DOCA_SUCCESS)
        r = limit_take(node_limits(node), LIMIT_EXPORTS, &session->n_exports, 1, err);
    if (r != DOCA_SUCCESS) {
        free(export);
        return r;
    }
    idmap_add(&node->exports_by_id, &export->id, ++node->last_export_id);
    list_append(&node->exports, &export->link);
    list_append(&region->exports, &export->region_link);
    MONITOR(node, .event = "export-begin", .export_id = export->id.id, .owner = session,
            .name = function->name, .bytes = region->length);
    *out = export;
    return DOCA_SUCCESS;
}

void export_end(struct export *export, enum slot_state state, struct settlement *settlement)
{
    struct session *session = export->region->session;
    struct grant *grant, *next;

    MONITOR(session->node, .event = "export-end", .export_id = export->id.id, .owner = session,
            .name = export->function->name, .bytes = export->region->length,
            .text = slot_state_name(state));
    // First out of sight: what follows talks to others.
    keep_drop(&export->kept);
    idmap_remove(&session->node->exports_by_id, &export->id);
    list_remove(&export->link);
    list_remove(&export->region_link);
    list_for_each_safe (grant, next, &export->grants, export_link)
        grant_end(grant, state, settlement);
    publication_export_gone(session->node, session->node->id, export->id.id);
    limit_give(&session->n_exports, 1);
    sync_event_free(export->sync_event);
    OPENSSL_cleanse(export, sizeof(*export));
    free(export);
}

doca_error_t export_find(struct node *node, uint64_t id, const uint8_t token[EXPORT_TOKEN_SIZE],
                         struct export **out, struct errtext *err)
{
    struct export *export = idmap_get(&node->exports_by_id, id, struct export, id);
    // One text for both: who guesses ids learns nothing.
    if (!export || CRYPTO_memcmp(export->token, token, EXPORT_TOKEN_SIZE) != 0)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "export %016" PRIx64 " of node %s: revoked or expired; ask its owner "
                           "for a new descriptor",
                           id, node->config->name);
    *out = export;
    return DOCA_SUCCESS;
}

int export_memfd(const struct export *export)
{
    return access_lets_write(export->access) ? export->region->memfd : export->region->memfd_ro;
}

struct fd_list export_fds(const struct export *export)
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
