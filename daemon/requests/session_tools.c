// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests from tools: status, exports by their id, and the end of a session.

#include "clock.h"
#include "config.h"
#include "connection.h"
#include "export.h"
#include "node.h"
#include "node_faults.h"
#include "peer.h"
#include "publication.h"
#include "region.h"
#include "session_requests.h"
#include "grace_period.h"
#include "tls.h"
#include "tls_endpoint.h"
#include "user.h"

#include <inttypes.h>
#include <unistd.h>

static void count(const struct node *node, Docad__StatusReply *reply)
{
    const struct peer *peer;
    const struct list *l;

    reply->sessions = node->n_programs;
    list_for_each (peer, &node->peers, in_node) {
        reply->peers += peer->state != PEER_STANDBY;
        reply->peers_linked += peer->state == PEER_LINKED;
    }
    reply->imports = (uint32_t)NODE_OBJECTS_IN_USE(node, IMPORT);
    reply->queue_pairs =
        (uint32_t)(NODE_OBJECTS_IN_USE(node, QUEUE_PAIR) + NODE_OBJECTS_COUNT(node, RDMA));
    for (l = node->representors.next; l != &node->representors; l = l->next)
        reply->representors++;
    reply->functions = (uint32_t)node_count_functions(node);
    reply->regions = (uint32_t)NODE_OBJECTS_COUNT(node, REGION);
    reply->region_bytes = node->region_bytes;
    reply->exports = (uint32_t)NODE_OBJECTS_COUNT(node, EXPORT);
    reply->publications = node->n_publications;
}

doca_error_t on_status(struct request *request)
{
    struct node *node = request->session->node;
    Docad__StatusReply reply = DOCAD__STATUS_REPLY__INIT;

    reply.node_name = (char *)node->config->name;
    reply.node = node->id_text;
    reply.role = (char *)role_name(node->config->role);
    reply.version = (char *)DOCAD_VERSION;
    reply.pid = (uint32_t)getpid();
    reply.uid = (uint32_t)geteuid();
    reply.uptime_ms = clock_ms() - node->started_ms;
    reply.socket = (char *)node->config->socket;
    reply.config = (char *)node->config->path;
    if (node->tls) {
        int64_t left_s = tls_expires_s(node->tls->tls) - (int64_t)(clock_wall_us() / 1000000);
        reply.has_certificate = true;
        reply.certificate_valid_ms = left_s > 0 ? (uint64_t)left_s * 1000 : 0;
    }
    reply.faults = (char *)node->config->faults;
    reply.faults_injected = node_faults_number(node);
    count(node, &reply);
    return request_reply(request, message_of(STATUS_REPLY, status_reply, &reply));
}

// `verb` is what the tool would do with the export, for the error text.
static doca_error_t find_export(const struct session *session, uint64_t id, const char *verb,
                                struct export **out, struct errtext *err)
{
    struct export *export = OBJECT_GET(session->node, EXPORT, id, struct export);
    if (!export || export_is_ending(export))
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "export %016" PRIx64 ": node %s has none", id,
                           session->node->config->name);
    const struct credentials *owner = &export->object.session->credentials;
    if (!export_is_owned_by(export, session))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "export %016" PRIx64 " belongs to uid %u; only that uid, docad's uid "
                           "(%u) and root may %s it; you are uid %u",
                           id, (unsigned)owner->uid, (unsigned)geteuid(), verb,
                           (unsigned)session->credentials.uid);
    *out = export;
    return DOCA_SUCCESS;
}

doca_error_t on_export_get(struct request *request)
{
    Docad__ExportGetReply reply = DOCAD__EXPORT_GET_REPLY__INIT;
    struct export *export;

    doca_error_t r = find_export(request->session, request->message->export_get->export_id, "get",
                                 &export, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    reply.descriptor = (ProtobufCBinaryData){export->descriptor_size, export->descriptor};
    return request_reply(request, message_of(EXPORT_GET_REPLY, export_get_reply, &reply));
}

doca_error_t on_export_revoke(struct request *request)
{
    struct session *session = request->session;
    struct export *export;

    doca_error_t r = find_export(session, request->message->export_revoke->export_id, "revoke",
                                 &export, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    session->node->counters.exports_revoked++;
    return export_revoke(export, request);
}

// ---- the end of a session --------------------------------------------------------------------

static doca_error_t find_session(const struct session *by, uint64_t id, struct session **out,
                                 struct errtext *err)
{
    struct session *session = node_session(by->node, id);
    if (!session || session->ending || session->ended_for)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "session %" PRIu64 ": node %s has none", id,
                           by->node->config->name);
    if (!session_may_see(by, session))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "session %" PRIu64 " belongs to uid %u; only that uid, docad's uid (%u) "
                           "and root may end it; you are uid %u",
                           id, (unsigned)session->credentials.uid, (unsigned)geteuid(),
                           (unsigned)by->credentials.uid);
    if (session == by)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "session %" PRIu64 " is your own", id);
    *out = session;
    return DOCA_SUCCESS;
}

doca_error_t on_session_end(struct request *request)
{
    struct session *by = request->session, *session;

    doca_error_t r =
        find_session(by, request->message->session_end->session_id, &session, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    struct grace_period *grace = grace_period_new(by, request->message->serial);
    if (!grace)
        return errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    grace_period_hold(grace);
    session->ended_for = grace;
    connection_drop(session->connection, "%s (pid %d, uid %u) has ended it", by->program,
                    (int)by->pid, (unsigned)by->credentials.uid);
    grace_period_start(grace, by, request->message->serial);
    return DOCA_SUCCESS;
}
