// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "publication.h"

#include "account.h"
#include "ended_names.h"
#include "node.h"
#include "peer.h"
#include "session.h"
#include "text.h"
#include "user.h"

#include <string.h>

static void restore(struct node *node, struct stored_item *item)
{
    const Docad__PublicationRecord *m = item->record->publication;
    struct publisher publisher = {.uid = m->uid};
    struct export_desc desc;

    // A docad with another configuration may have taken other names.
    if (!text_is_name(m->name, PUBLICATION_NAME_SIZE) || strchr(m->name, '/') ||
        audience_of_message(m->to, &publisher.to, NULL) != DOCA_SUCCESS ||
        export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, NULL) != DOCA_SUCCESS ||
        (memcmp(desc.node, node->id, NODE_ID_SIZE) == 0 &&
         !object_find(node, DOCAD__RECORD__WHAT_EXPORT, desc.export_id)))
        return;
    publisher.user = user_get(&node->users, account_of(m->uid));
    struct publication *p =
        publisher.user ? publication_make(m->name, &m->descriptor, &desc, &publisher) : NULL;
    user_unref(publisher.user);
    if (!p)
        return;
    p->session_id = item->record->session;
    publication_enter(p, node, item->record->id, NULL, NULL);
    struct session *session = node_session(node, p->session_id);
    if (session)
        list_append(&session->publications, &p->in_session);
    fdstore_take(item, &p->stored, p->user);
}

// Names stay when their session ends, unless no node that was ever linked has their exports. A
// session may have published thousands.
static bool end_one(struct session *session)
{
    struct node *node = session->node;
    if (list_empty(&session->publications))
        return false;
    struct publication *p = list_entry(session->publications.next, struct publication, in_session);
    list_remove(&p->in_session);
    if (publication_is_of_unlinked(node, &p->desc))
        publication_withdraw(node, p);
    return true;
}

static void undo(struct session *session, uint64_t serial)
{
    struct publication *p, *next;
    list_for_each_safe (p, next, &session->publications, in_session)
        if (p->stored.serial == serial)
            publication_withdraw(session->node, p);
}

void publications_free_all(struct node *node)
{
    struct publication *p, *next;
    list_for_each_safe (p, next, &node->publications, in_node)
        publication_free(node, p);
    ended_names_free_all(node);
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    name_source_gone(to); // it has none, as its link is new
    to->names = from->names;
    from->names = NULL;
    if (to->names)
        to->names->peer = to;
}

// The names have pieces of their own: ended_names.h.
static bool sweep(struct peer *peer, unsigned *steps)
{
    (void)steps;
    name_source_sweep(peer);
    return true;
}

static bool gone(struct peer *peer, unsigned *steps)
{
    (void)steps;
    name_source_gone(peer);
    return true;
}

// ---- requests -------------------------------------------------------------------------

static doca_error_t on_publish(struct request *request)
{
    doca_error_t r = publication_new(request->session, request->message->publish, request->err);
    if (r == DOCA_SUCCESS)
        request_reply_ok(request);
    return r;
}

static doca_error_t on_unpublish(struct request *request)
{
    doca_error_t r =
        publication_remove(request->session, request->message->unpublish->name, request->err);
    if (r == DOCA_SUCCESS)
        request_reply_ok(request);
    return r;
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_PUBLISH, "Publish", on_publish},
    {DOCAD__MESSAGE__BODY_UNPUBLISH, "Unpublish", on_unpublish},
    {0},
};

// ---- messages -------------------------------------------------------------------------

static void on_publish_there(struct peer *peer, const Docad__Message *message)
{
    publication_from_peer(peer->node, peer, message->peer_publish);
}

static void on_unpublish_there(struct peer *peer, const Docad__Message *message)
{
    publication_gone_at_peer(peer->node, peer, message->peer_unpublish);
}

static const struct kind_message messages[] = {
    {DOCAD__MESSAGE__BODY_PEER_PUBLISH, on_publish_there},
    {DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, on_unpublish_there},
    {0},
};

const struct object_kind publication_kind = {.requests = requests,
                                             .messages = messages,
                                             .record = DOCAD__RECORD__WHAT_PUBLICATION,
                                             .restore = restore,
                                             .end_one = end_one,
                                             .undo = undo,
                                             .export_gone = names_of_export_end,
                                             .adopt = adopt,
                                             .mark = name_source_mark,
                                             .sweep = sweep,
                                             .gone = gone};
