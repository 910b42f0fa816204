// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "delegation.h"

#include "access.h"
#include "config.h"
#include "connection.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"
#include "region.h"
#include "session.h"

#include <string.h>

// ---- on the node that owns the memory -----------------------------------------------------

// The rules of the owner and those of the delegating importer must both allow the export.
static doca_error_t check(const struct grant *grant, uint32_t target, struct errtext *err)
{
    const struct policy *policy = &grant->importer->node->config->policy;
    uint32_t from = grant->export->target;

    if (target != DOCAD__EXPORT_TARGET__TARGET_RDMA)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "imported memory can be exported again for RDMA only");
    if (from != DOCAD__EXPORT_TARGET__TARGET_DPU && from != DOCAD__EXPORT_TARGET__TARGET_HOST)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "only memory that was imported across PCI can be exported again; its "
                           "owner can export it for RDMA itself");
    if (grant->revoked || grant->ending || export_is_ending(grant->export) ||
        (grant->delegated && grant->delegated->ended))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the export of this import was revoked; import the memory again");
    doca_error_t r =
        policy_export(policy, &grant->export->object.session->credentials, target, err);
    return r == DOCA_SUCCESS ? policy_export(policy, &grant->importer->credentials, target, err)
                             : r;
}

static doca_error_t make(struct export **out, struct grant *grant, uint32_t target,
                         struct errtext *err)
{
    const Docad__ExportCreate request = DOCAD__EXPORT_CREATE__INIT;
    struct export *export = export_make(grant->export->region, grant->export->function);
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    export->target = target;
    export->access = access_for_rdma(grant->export->access);
    export->origin_id = grant->object.id;
    doca_error_t r = export_begin(export, &request, err);
    if (r != DOCA_SUCCESS) {
        free(export);
        return r;
    }
    r = importer_take(grant->importer, IMPORTER_EXPORT, 1, node_limits(grant->importer->node), err);
    if (r == DOCA_SUCCESS) {
        export->origin = grant;
        grant->delegated = export;
        r = export_keep(export, err);
    }
    if (r != DOCA_SUCCESS) {
        export_end(export, SLOT_OWNER_GONE, NULL);
        return r;
    }
    *out = export;
    return DOCA_SUCCESS;
}

doca_error_t delegation_get(struct export **out, struct grant *grant, uint32_t target,
                            struct errtext *err)
{
    doca_error_t r = check(grant, target, err);
    if (r != DOCA_SUCCESS || !grant->delegated)
        return r == DOCA_SUCCESS ? make(out, grant, target, err) : r;
    *out = grant->delegated;
    return DOCA_SUCCESS;
}

void delegation_restore(struct grant *grant)
{
    struct export *export =
        idmap_get(&grant->object.node->delegated, grant->object.id, struct export, by_origin);
    if (!export || export->region != grant->export->region || export->origin)
        return;
    export->origin = grant;
    grant->delegated = export;
    importer_take(grant->importer, IMPORTER_EXPORT, 1, NULL, NULL);
    fdstore_charge(&export->object.stored, grant->importer->user);
}

void delegation_peer_request(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerExportCreate *m = message->peer_export_create;
    struct grant *grant = OBJECT_GET(peer->node, GRANT, m->grant_id, struct grant);
    Docad__PeerExportCreateReply reply = DOCAD__PEER_EXPORT_CREATE_REPLY__INIT;
    Docad__Message answer = DOCAD__MESSAGE__INIT;
    struct export *export;
    struct errtext err;

    doca_error_t r = grant && grant->importer->peer == peer
                         ? delegation_get(&export, grant, m->target, &err)
                         : errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                       "the memory is not granted any more; import it again");
    if (r != DOCA_SUCCESS) {
        peer_reply_error(peer, message->serial, r, err.s);
        return;
    }
    reply.export_id = export->object.id;
    reply.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
    answer.serial = message->serial;
    answer.body_case = DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE_REPLY;
    answer.peer_export_create_reply = &reply;
    connection_send(peer->connection, &answer, NULL, 0);
}

// ---- on the node of the delegating importer
// -------------------------------------------------------

static void answer(struct session *session, uint64_t serial, uint64_t export_id,
                   ProtobufCBinaryData descriptor)
{
    Docad__ExportCreateReply reply = DOCAD__EXPORT_CREATE_REPLY__INIT;
    reply.export_id = export_id;
    reply.descriptor = descriptor;
    session_reply(session, serial, message_of(EXPORT_CREATE_REPLY, export_create_reply, &reply),
                  NULL, 0);
}

// The answer of the other node is checked as if it came from a client.
static bool is_valid(const Docad__PeerExportCreateReply *m, const struct peer *peer)
{
    struct export_desc desc;
    return m->descriptor.len <= EXPORT_DESC_SIZE_MAX &&
           export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, NULL) == DOCA_SUCCESS &&
           desc.target == DOCAD__EXPORT_TARGET__TARGET_RDMA && desc.export_id == m->export_id &&
           memcmp(desc.node, peer->id_there, NODE_ID_SIZE) == 0;
}

static void on_peer_reply(void *arg, struct peer *peer, const Docad__Message *reply,
                          struct fd_list *fds, const struct errtext *why)
{
    struct import *import = arg;
    struct session *session = import->object.session;
    char text[sizeof(why->s) + 128];

    (void)fds;
    import->request = NULL;
    if (reply && reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
        session_reply_error(session, import->serial, peer_error_code(reply->error),
                            reply->error->text);
    } else if (reply && is_valid(reply->peer_export_create_reply, peer)) {
        answer(session, import->serial, reply->peer_export_create_reply->export_id,
               reply->peer_export_create_reply->descriptor);
    } else {
        snprintf(text, sizeof(text), "node %s: %s", peer->name,
                 reply ? "its answer is not valid" : why->s);
        session_reply_error(session, import->serial, DOCA_ERROR_DRIVER, text);
    }
}

static doca_error_t ask_owner(struct import *import, uint64_t serial, uint32_t target,
                              struct errtext *err)
{
    Docad__PeerExportCreate request = DOCAD__PEER_EXPORT_CREATE__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;

    if (import->request)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the import is being exported already; wait for the answer");
    request.grant_id = import->grant_id.id;
    request.target = (Docad__ExportTarget)target;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE;
    message.peer_export_create = &request;
    import->serial = serial;
    // An answer that comes too late has no effect: the export ends with the grant.
    return peer_request_send(&import->request, import->peer, &message, on_peer_reply, NULL, import,
                             err);
}

doca_error_t delegation_request(struct request *request)
{
    struct session *session = request->session;
    const Docad__ExportCreate *m = request->message->export_create;
    struct import *import = OBJECT_OF_SESSION(session, IMPORT, m->import_id, struct import);
    const struct function *function;
    struct export *export;

    if (!import || import->state == SLOT_FREE || import->ending)
        return session_has_no("import", m->import_id, request->err);
    doca_error_t r = session_open_function(session, m->function_id, &function, request->err);
    if (r == DOCA_SUCCESS)
        r = policy_export(&session->node->config->policy, &session->credentials, m->target,
                          request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!import->grant && !import->peer)
        return errtext_set(request->err, DOCA_ERROR_NOT_PERMITTED,
                           "the imported memory has ended (%s)", slot_state_name(import->state));
    if (import->peer)
        return ask_owner(import, request->message->serial, m->target, request->err);
    r = delegation_get(&export, import->grant, m->target, request->err);
    if (r == DOCA_SUCCESS)
        answer(session, request->message->serial, export->object.id,
               (ProtobufCBinaryData){export->descriptor_size, export->descriptor});
    return r;
}
