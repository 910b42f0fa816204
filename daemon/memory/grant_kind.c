// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "connection.h"
#include "grant.h"

#include "delegation.h"
#include "ending.h"
#include "export.h"
#include "import.h"
#include "node.h"
#include "peer.h"
#include "session.h"

#include <stdlib.h>

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__GrantRecord *m = item->record->grant;
    struct export *export = OBJECT_GET(node, EXPORT, m->export, struct export);
    struct import *import = OBJECT_GET(node, IMPORT, m->import, struct import);
    struct importer *importer =
        export && m->importer ? importer_of_record(node, m->importer) : NULL;
    bool wanted = m->import ? import && import->state == SLOT_LIVE : true;
    struct grant *grant = importer && wanted ? grant_make(export, importer) : NULL;

    if (grant && m->in_engine && !grant_restore_in_engine(grant, m->key)) {
        free(grant);
        grant = NULL;
    }
    if (!grant) {
        if (importer)
            importer_free_if_idle(importer);
        return;
    }
    grant_enter(grant, item->record->id, NULL, NULL);
    grant_hold(grant);
    delegation_restore(grant);
    if (import)
        import_take_grant(import, grant);
    fdstore_take(item, &grant->object.stored, importer->user);
}

static void confirm(struct peer *peer, const Docad__PeerResume *named)
{
    for (size_t i = 0; i < named->n_grants; i++) {
        struct grant *grant = OBJECT_GET(peer->node, GRANT, named->grants[i], struct grant);
        if (grant && grant->importer->peer == peer)
            peer_named_again(peer, NAMED_GRANTS, &grant->item.named);
        else
            peer_notify_no_grant(peer, named->grants[i]);
    }
}

// ---- messages -------------------------------------------------------------------------

static doca_error_t answer_import(struct peer *peer, uint64_t serial, struct grant *grant,
                                  struct errtext *err)
{
    Docad__PeerImportReply reply = DOCAD__PEER_IMPORT_REPLY__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    struct grant_parts parts;

    doca_error_t r = grant_parts(grant, &parts, err);
    if (r != DOCA_SUCCESS)
        return r;
    reply.grant_id = grant->object.id;
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

// Sets *policy if a rule refuses the import.
static doca_error_t grant_import(struct peer *peer, uint64_t serial, const Docad__PeerImport *m,
                                 bool *policy, struct errtext *err)
{
    struct importer *importer;
    struct credentials who;
    struct export *export;
    struct grant *grant;

    if (m->token.len != EXPORT_TOKEN_SIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "token of %zu bytes", m->token.len);
    doca_error_t r = export_find(peer->node, m->export_id, m->token.data, &export, err);
    if (r == DOCA_SUCCESS && m->target != DOCAD__EXPORT_TARGET__TARGET_NONE)
        r = export_check_target(export, m->target, err);
    if (r == DOCA_SUCCESS)
        r = importer_read_credentials(CREDENTIALS_CARRIED(m), &who, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = importer_of_peer(&importer, peer, m->importer, (pid_t)m->pid, &who, err);
    credentials_drop(&who);
    if (r != DOCA_SUCCESS)
        return r;
    r = grant_new(&grant, export, importer, err);
    if (r != DOCA_SUCCESS) {
        *policy = r == DOCA_ERROR_NOT_PERMITTED;
        importer_free_if_idle(importer);
        return r;
    }
    r = grant_keep(grant, err);
    if (r == DOCA_SUCCESS)
        r = answer_import(peer, serial, grant, err);
    if (r != DOCA_SUCCESS)
        grant_release(grant);
    else
        export_imported(export);
    return r;
}

static void on_import(struct peer *peer, const Docad__Message *message)
{
    struct errtext err;
    bool policy = false;
    doca_error_t r = grant_import(peer, message->serial, message->peer_import, &policy, &err);
    if (policy)
        peer_reply_refused(peer, message->serial, err.s);
    else if (r != DOCA_SUCCESS)
        peer_reply_error(peer, message->serial, r, err.s);
}

static bool release_some(void *object, struct grace_period *grace, unsigned *steps)
{
    (void)grace;
    return grant_release_some(object, steps);
}

static void on_import_release(struct peer *peer, const Docad__Message *message)
{
    struct grant *grant =
        OBJECT_GET(peer->node, GRANT, message->peer_import_release->grant_id, struct grant);
    // It may have ended here already.
    if (!grant || grant->importer->peer != peer || grant->ending)
        return;
    const struct ending_root root = {grant, &grant->ending, release_some};
    if (grant->delegated)
        ending_begin(peer->node, &root, grant->importer->user, NULL);
    else
        grant_release(grant);
}

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_IMPORT, on_import},
    {DOCAD__MESSAGE__BODY_PEER_IMPORT_RELEASE, on_import_release},
    {0},
};

const struct object_kind grant_kind = {.messages = messages,
                                       .record = DOCAD__RECORD__WHAT_GRANT,
                                       .restore = restore,
                                       .confirm = confirm};
