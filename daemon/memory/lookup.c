// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "clock.h"
#include "node.h"
#include "publication.h"
#include "session.h"

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

// ---- those that wait ----------------------------------------------------------------------------

static struct lookup *of_name(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct lookup, by_name) : NULL;
}

static int compare_name(const struct tree_node *node, const void *name)
{
    return strcmp(of_name(node)->name, name);
}

static int compare_names(const struct tree_node *a, const struct tree_node *b)
{
    return compare_name(a, of_name(b)->name);
}

void lookups_answer(struct node *node, const struct publication *p)
{
    struct lookup *lookup;
    while ((lookup = of_name(tree_seek(&node->lookups_by_name, p->name, compare_name))) &&
           strcmp(lookup->name, p->name) == 0)
        lookup->found(lookup, p);
}

// ---- answers ------------------------------------------------------------------------------------

static void answer(struct session *session, uint64_t serial, const struct publication *p)
{
    Docad__LookupReply reply = DOCAD__LOOKUP_REPLY__INIT;
    reply.descriptor = (ProtobufCBinaryData){p->descriptor_size, (uint8_t *)p->descriptor};
    session_reply(session, serial, message_of(LOOKUP_REPLY, lookup_reply, &reply), NULL, 0);
}

struct lookup *lookup_free(struct lookup *lookup)
{
    if (!lookup)
        return NULL;
    limit_give(&lookup->session->n_lookups, 1);
    list_remove(&lookup->in_node);
    tree_remove(&lookup->session->node->lookups_by_name, &lookup->by_name, compare_names);
    list_remove(&lookup->in_session);
    if (lookup->timer)
        event_free(lookup->timer);
    free(lookup);
    return NULL;
}

static doca_error_t not_offered(const struct publication *p, const struct session *session,
                                struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "name %s: uid %u has published it, and not for uid %u; the publisher "
                       "says for whom: docad_export_publish_to(), docactl exports publish --to",
                       p->name, (unsigned)p->uid, (unsigned)session->credentials.uid);
}

static void on_found(struct lookup *lookup, const struct publication *p)
{
    struct errtext err;

    if (publication_is_offered(p, lookup->session))
        answer(lookup->session, lookup->serial, p);
    else
        session_reply_error(lookup->session, lookup->serial, not_offered(p, lookup->session, &err),
                            err.s);
    lookup_free(lookup);
}

// The name as the session sees it: what is offered to it goes first. NULL if there is none.
static const struct publication *find_for(const struct session *session, const char *name)
{
    const struct publication *first = publication_find(session->node, name), *p = first;
    while (p && !publication_is_offered(p, session))
        p = publication_next(session->node, p);
    return p ? p : first;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct lookup *lookup = arg;
    struct session *session = lookup->session;
    uint64_t serial = lookup->serial;
    struct errtext err;
    (void)fd;
    (void)what;

    snprintf(err.s, sizeof(err.s), "name %s: not published within %u ms", lookup->name,
             lookup->timeout_ms);
    lookup_free(lookup);
    session_reply_error(session, serial, DOCA_ERROR_TIME_OUT, err.s);
}

static doca_error_t wait_for(struct session *session, uint64_t serial, const Docad__Lookup *request,
                             struct errtext *err)
{
    struct node *node = session->node;
    struct timeval limit = ms_to_timeval(request->timeout_ms);
    doca_error_t r = limit_take(node_limits(node), LIMIT_LOOKUPS, &session->n_lookups, 1, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct lookup *lookup = calloc(1, sizeof(*lookup));
    if (!lookup) {
        limit_give(&session->n_lookups, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    lookup->session = session;
    lookup->serial = serial;
    lookup->timeout_ms = request->timeout_ms;
    lookup->found = on_found;
    copy_text(lookup->name, request->name);
    list_append(&node->lookups, &lookup->in_node);
    tree_add(&node->lookups_by_name, &lookup->by_name, compare_names);
    list_append(&session->lookups, &lookup->in_session);
    lookup->timer = event_new(node->base, -1, 0, on_timer, lookup);
    if (!lookup->timer || event_add(lookup->timer, &limit) < 0) {
        lookup_free(lookup);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    return DOCA_SUCCESS;
}

doca_error_t lookup_begin(struct session *session, uint64_t serial, const Docad__Lookup *request,
                          struct errtext *err)
{
    doca_error_t r = publication_check_name(request->name, err);
    if (r != DOCA_SUCCESS)
        return r;
    publications_end_over(session->node, request->name);
    const struct publication *p = find_for(session, request->name);
    if (p && !publication_is_offered(p, session))
        return not_offered(p, session, err);
    if (p) {
        answer(session, serial, p);
        return DOCA_SUCCESS;
    }
    if (request->timeout_ms == 0)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "name %s: not published", request->name);
    return wait_for(session, serial, request, err);
}

static void end_of(struct session *session, uint64_t serial)
{
    while (!serial && !list_empty(&session->lookups))
        lookup_free(list_entry(session->lookups.next, struct lookup, in_session));
}

static doca_error_t on_lookup(struct request *request)
{
    return lookup_begin(request->session, request->message->serial, request->message->lookup,
                        request->err);
}

static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_LOOKUP, "Lookup", on_lookup},
    {0},
};

const struct object_kind lookup_kind = {.requests = requests, .end_of = end_of};
