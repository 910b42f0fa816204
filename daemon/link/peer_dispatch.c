// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a linked node says.

#include "channel.h"
#include "channel_relay.h"
#include "cleanup.h"
#include "connection.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "link_queue.h"
#include "log.h"
#include "node.h"
#include "peer_life.h"
#include "peer_link.h"
#include "peer_qpair.h"
#include "peer_request.h"
#include "peer_resume.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "region.h"
#include "representor.h"

#include <stdlib.h>

// ---- its functions ----------------------------------------------------------------------

static bool has_functions(const struct peer *peer, const struct function *functions, size_t n)
{
    for (size_t i = 0; i < n && i < peer->n_functions; i++)
        if (peer->functions[i].id != functions[i].id ||
            !function_same(&peer->functions[i], &functions[i]))
            return false;
    return n == peer->n_functions;
}

static void on_functions(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerFunctions *m = message->peer_functions;
    struct function functions[FUNCTIONS_MAX];
    struct errtext err;
    (void)fds;

    if (functions_from_messages(m->functions, m->n_functions, functions, &err) != DOCA_SUCCESS) {
        connection_drop(peer->connection, "%s", err.s);
        return;
    }
    peer->has_rdma = m->rdma;
    if (has_functions(peer, functions, m->n_functions))
        return; // nothing to keep
    memcpy(peer->functions, functions, m->n_functions * sizeof(*functions));
    peer->n_functions = m->n_functions;
    representors_sync(peer->node, peer);
    peer_keep(peer);
}

// ---- its sessions import from us ------------------------------------------------------------

static doca_error_t answer_import(struct peer *peer, uint64_t serial, struct grant *grant,
                                  struct errtext *err)
{
    Docad__PeerImportReply reply = DOCAD__PEER_IMPORT_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct grant_parts parts;

    doca_error_t r = grant_parts(grant, &parts, err);
    if (r != DOCA_SUCCESS)
        return r;
    reply.grant_id = grant->id.id;
    reply.grant_key = grant->key;
    reply.address = parts.address;
    reply.length = parts.length;
    reply.access = grant->export->access;
    reply.segments = parts.segments;
    reply.n_segments = parts.n_segments;
    reply.has_memfd = parts.has_memfd;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY;
    message.peer_import_reply = &reply;
    int sent = connection_send(peer->connection, &message, parts.fds.fds, parts.fds.count);
    free(parts.segments);
    if (sent < 0)
        return errtext_set(err, DOCA_ERROR_DRIVER, "the answer is too large");
    return DOCA_SUCCESS;
}

// *policy: refused by a rule.
static doca_error_t grant_import(struct peer *peer, uint64_t serial, const Docad__PeerImport *m,
                                 bool *policy, struct errtext *err)
{
    struct importer *importer;
    struct export *export;
    struct grant *grant;

    if (m->token.len != EXPORT_TOKEN_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "token of %zu bytes", m->token.len);
    doca_error_t r = export_find(peer->node, m->export_id, m->token.data, &export, err);
    struct credentials who = credentials_of_message(m->uid, m->gids, m->n_gids);
    if (r == DOCA_SUCCESS)
        r = importer_of_peer(&importer, peer, m->importer, (pid_t)m->pid, &who, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = grant_new(&grant, export, importer, err);
    if (r != DOCA_SUCCESS) {
        *policy = r == DOCA_ERROR_NOT_PERMITTED;
        importer_free_if_idle(importer);
        return r;
    }
    grant_keep(grant);
    r = answer_import(peer, serial, grant, err);
    if (r != DOCA_SUCCESS)
        grant_release(grant);
    return r;
}

static void on_import(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    struct errtext err;
    bool policy = false;
    (void)fds;
    doca_error_t r = grant_import(peer, message->serial, message->peer_import, &policy, &err);
    if (policy)
        peer_reply_refused(peer, message->serial, err.s);
    else if (r != DOCA_SUCCESS)
        peer_reply_error(peer, message->serial, r, err.s);
}

static void on_import_release(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    struct grant *grant = idmap_get(&peer->node->grants_by_id,
                                    message->peer_import_release->grant_id, struct grant, id);
    (void)fds;
    // Gone already if we ended it meanwhile.
    if (grant && grant->importer->peer == peer)
        grant_release(grant);
}

// ---- our sessions import from it ----------------------------------------------------------------

static void on_grant_ended(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    const Docad__PeerGrantEnded *m = message->peer_grant_ended;
    struct import *import =
        idmap_get(&peer->imports_by_grant, m->grant_id, struct import, grant_id);
    bool known = m->state == SLOT_REVOKED || m->state == SLOT_OWNER_GONE;
    (void)fds;

    if (import) {
        struct export_desc desc = import->desc;
        import_end_there(import, known ? (enum slot_state)m->state : SLOT_OWNER_GONE,
                         message->serial);
        KINDS_CALL(peer->node, export_gone, peer->node, desc.node, desc.export_id);
    } else {
        peer_reply_ok(peer, message->serial);
    }
}

static void on_queue_pair_failed(struct peer *peer, const Docad__Message *message,
                                 struct fd_list *fds)
{
    (void)fds;
    qpair_failed_there(peer, message->peer_queue_pair_failed->queue_pair_id);
}

static void on_publish(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    (void)fds;
    publication_from_peer(peer->node, peer, message->peer_publish);
}

static void on_unpublish(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    (void)fds;
    publication_gone_at_peer(peer->node, peer, message->peer_unpublish->name);
}

// ---- dispatch ---------------------------------------------------------------------------

typedef void (*peer_message_fn)(struct peer *peer, const Docad__Message *message,
                                struct fd_list *fds);

static const peer_message_fn messages[] = {
    [DOCAD__MESSAGE__BODY_PEER_FUNCTIONS] = on_functions,
    [DOCAD__MESSAGE__BODY_PEER_IMPORT] = on_import,
    [DOCAD__MESSAGE__BODY_PEER_IMPORT_RELEASE] = on_import_release,
    [DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED] = on_grant_ended,
    [DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE] = peer_qpair_create,
    [DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY] = peer_qpair_end,
    [DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED] = on_queue_pair_failed,
    [DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA] = link_queue_message,
    [DOCAD__MESSAGE__BODY_PEER_PUBLISH] = on_publish,
    [DOCAD__MESSAGE__BODY_PEER_UNPUBLISH] = on_unpublish,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT] = channel_peer_connect,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED] = channel_peer_ended,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA] = channel_peer_data,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS] = channel_peer_progress,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_LEFT] = channel_peer_left,
    [DOCAD__MESSAGE__BODY_PEER_CHANNEL_RESUME] = channel_peer_resume,
    [DOCAD__MESSAGE__BODY_PEER_RESUME] = peer_resume,
    [DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT] = rdma_peer_connect,
    [DOCAD__MESSAGE__BODY_PEER_RDMA_ENDED] = rdma_peer_ended,
};

static bool is_answer(Docad__Message__BodyCase body)
{
    return body == DOCAD__MESSAGE__BODY_ERROR || body == DOCAD__MESSAGE__BODY_OK ||
           body == DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY ||
           body == DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT_REPLY;
}

void peer_dispatch(struct peer *peer, const Docad__Message *message, struct fd_list *fds)
{
    size_t body = (size_t)message->body_case;

    if (message->body_case == DOCAD__MESSAGE__BODY_OK && message->serial == 0)
        return; // an older docad acknowledges what it was only told
    if (is_answer(message->body_case)) {
        if (!peer_request_answer(peer, message, fds))
            connection_drop(peer->connection, "answered what was not asked");
    } else if (body < ARRAY_SIZE(messages) && messages[body]) {
        messages[body](peer, message, fds);
    } else if (message->serial != 0) {
        peer_reply_error(peer, message->serial, DOCA_ERROR_NOT_SUPPORTED,
                         "this docad does not know the request; upgrade it");
    }
}
