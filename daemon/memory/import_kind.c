// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "import.h"

#include "ending.h"
#include "export.h"
#include "grant.h"
#include "node.h"
#include "peer.h"
#include "peer_names.h"
#include "session.h"
#include "grace_period.h"
#include "user.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__ImportRecord *m = item->record->import;
    struct session *session = node_session(node, item->record->session);
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    struct export_desc desc;
    enum slot_state state;

    if (!session ||
        export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, NULL) != DOCA_SUCCESS ||
        !session_claim_slot(session, m->slot, item->record->id, &state))
        return;
    struct import *import = import_make(session, &desc);
    if (!import) {
        session_give_slot(session, m->slot);
        return;
    }
    import->object.slot = m->slot;
    import_set_state(import, state);
    import->address = m->address;
    import->length = m->length;
    import->access = m->access;
    import->lifeline = item->fds.count ? fd_list_take(&item->fds, 0) : -1;
    copy_text(import->owner_name, m->owner_name);
    session->user->descriptors += import->lifeline >= 0;
    import_enter(import, item->record->id, NULL, NULL);
    object_take(&import->object, item);
    if (state == SLOT_LIVE && peer) {
        import->peer = peer;
        idmap_add(&peer->imports_by_grant, &import->grant_id, m->grant);
    } else if (state == SLOT_LIVE && m->node.len) {
        import_end(import, SLOT_PEER_GONE, NULL);
    }
}

static void settle(struct node *node)
{
    struct import *import;
    list_for_each (import, NODE_OBJECTS(node, IMPORT), object.in_node)
        if (import->state == SLOT_LIVE && !import->grant && !import->peer)
            import_end(import, SLOT_OWNER_GONE, NULL);
}

// Ends the exports that delegate the import, and then releases the import.
static bool release_some(struct import *import, struct grace_period *grace, unsigned *steps)
{
    struct export *delegated = import->grant ? import->grant->delegated : NULL;
    if (delegated && !export_end_some(delegated, SLOT_OWNER_GONE, grace, steps))
        return false;
    import_free(import);
    return true;
}

static void end(struct object *object, unsigned *steps)
{
    release_some(container_of(object, struct import, object), object->session->ended_for, steps);
}

// Imports of this node of what the session has handed on.
static bool owner_gone(struct session *session, unsigned *steps)
{
    struct object *first;
    while ((first = session_first_unshown(session, DOCAD__RECORD__WHAT_IMPORT))) {
        const struct grant *grant = container_of(first, struct import, object)->grant;
        if (!kind_step(steps) || (grant && grant->delegated &&
                                  !export_show_end(grant->delegated, SLOT_OWNER_GONE, steps)))
            return false;
        object_shown(first);
    }
    return true;
}

// ---- links ----------------------------------------------------------------------------

// No import has to be reported over this link any more.
static bool drop_waiting_peer(struct peer *peer, unsigned *steps)
{
    while (!list_empty(&peer->ended_imports)) {
        struct import *import = list_entry(peer->ended_imports.next, struct import, in_ended);
        if (!kind_step(steps))
            return false;
        import->waiting_peer = NULL;
        list_remove(&import->in_ended);
    }
    return true;
}

static struct import *first_of(const struct peer *peer)
{
    return idmap_entry(idmap_first(&peer->imports_by_grant), struct import, grant_id);
}

static void adopt(struct peer *to, struct peer *from)
{
    struct import *import;
    to->imports_by_grant = from->imports_by_grant;
    idmap_init(&from->imports_by_grant);
    idmap_for_each (import, &to->imports_by_grant, grant_id)
        import->peer = to;
    drop_waiting_peer(from, &(unsigned){UINT_MAX}); // the peer will resend what it waits for
}

static bool name(struct peer *peer, struct peer_names *names, uint64_t *after, unsigned *steps)
{
    const struct import *import;
    idmap_for_each_after (import, &peer->imports_by_grant, *after, grant_id) {
        if (!kind_step(steps))
            return false;
        *after = import->grant_id.id;
        peer_names_add(names, NAMES_GRANTS, *after);
    }
    return true;
}

static bool gone(struct peer *peer, unsigned *steps)
{
    struct import *import;
    while ((import = first_of(peer))) {
        if (!kind_step(steps))
            return false;
        import_end(import, SLOT_PEER_GONE, NULL);
    }
    return drop_waiting_peer(peer, steps);
}

// ---- requests -------------------------------------------------------------------------

static doca_error_t on_import_create(struct request *request)
{
    return import_begin(request->session, request->message->serial, request->message->import_create,
                        request->err);
}

// The answer does not wait for copies by those to whom the import was delegated.
static bool end_some(void *object, struct grace_period *grace, unsigned *steps)
{
    (void)grace;
    return release_some(object, NULL, steps);
}

static doca_error_t on_import_release(struct request *request)
{
    uint64_t id = request->message->import_release->import_id;
    struct import *import = OBJECT_GET(request->session->node, IMPORT, id, struct import);

    if (!import || import->object.session != request->session || import->state == SLOT_FREE ||
        import->ending)
        return session_has_no("import", id, request->err);
    if (import->grant && import->grant->delegated)
        return ending_request(request, &(struct ending_root){import, &import->ending, end_some},
                              grace_period_new(request->session, request->message->serial));
    import_free(import);
    return request_reply_ok(request);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_IMPORT_CREATE, "ImportCreate", on_import_create},
    {DOCAD__MESSAGE__BODY_IMPORT_RELEASE, "ImportRelease", on_import_release},
    {0},
};

// ---- messages -------------------------------------------------------------------------

static void on_grant_ended(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerGrantEnded *m = message->peer_grant_ended;
    struct import *import =
        idmap_get(&peer->imports_by_grant, m->grant_id, struct import, grant_id);
    bool known = m->state == SLOT_REVOKED || m->state == SLOT_OWNER_GONE ||
                 m->state == SLOT_DEVICE_GONE; // by a fault of its configuration

    if (import) {
        struct export_desc desc = import->desc;
        import_end_there(import, known ? (enum slot_state)m->state : SLOT_OWNER_GONE,
                         message->serial);
        KINDS_CALL(peer->node, export_gone, peer->node, desc.node, desc.export_id);
    } else {
        peer_reply_ok(peer, message->serial);
    }
}

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, on_grant_ended},
    {0},
};

const struct object_kind import_kind = {.requests = requests,
                                        .messages = messages,
                                        .record = DOCAD__RECORD__WHAT_IMPORT,
                                        .restore = restore,
                                        .settle = settle,
                                        .end = end,
                                        .owner_gone = owner_gone,
                                        .adopt = adopt,
                                        .name = name,
                                        .gone = gone};
