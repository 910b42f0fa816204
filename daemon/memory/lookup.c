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

static int compare_name(const struct tree_node *node, const void *key)
{
    return publication_key_order(PUBLICATION_KEY(of_name(node)), key);
}

static int compare_names(const struct tree_node *a, const struct tree_node *b)
{
    return compare_name(a, PUBLICATION_KEY(of_name(b)));
}

void lookups_answer(struct node *node, const struct publication *p)
{
    const struct tree *tree = &node->lookups_by_name;
    struct lookup *lookup = of_name(tree_seek(tree, PUBLICATION_KEY(p), compare_name)), *next;

    for (; lookup && compare_name(&lookup->by_name, PUBLICATION_KEY(p)) == 0; lookup = next) {
        next = of_name(tree_next(tree, &lookup->by_name, compare_names));
        if (publication_is_offered(p, lookup->session))
            lookup->found(lookup, p);
    }
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

static void on_found(struct lookup *lookup, const struct publication *p)
{
    answer(lookup->session, lookup->serial, p);
    lookup_free(lookup);
}

// The name as the session sees it: one that is not offered to it is not there.
static const struct publication *find_for(const struct session *session,
                                          const struct publication_key *key)
{
    const struct publication *p = publication_find(session->node, key);
    while (p && !publication_is_offered(p, session))
        p = publication_next(session->node, p);
    return p;
}

// One text whether the name does not exist or is not offered.
static void say_not_there(const struct publication_key *key, const struct session *session,
                          const char *when, struct errtext *err)
{
    if (key->uid == session->credentials.uid)
        snprintf(err->s, sizeof(err->s),
                 "name %s: uid %u has not published it%s; write USER/%s for another user's",
                 key->name, (unsigned)key->uid, when, key->name);
    else
        snprintf(err->s, sizeof(err->s),
                 "name %s: uid %u has not published it for uid %u%s; the publisher says for whom: "
                 "docad_export_publish_to(), docactl exports publish --to",
                 key->name, (unsigned)key->uid, (unsigned)session->credentials.uid, when);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct lookup *lookup = arg;
    struct session *session = lookup->session;
    uint64_t serial = lookup->serial;
    struct errtext err;
    char when[32];
    (void)fd;
    (void)what;

    snprintf(when, sizeof(when), " within %u ms", lookup->timeout_ms);
    say_not_there(PUBLICATION_KEY(lookup), session, when, &err);
    lookup_free(lookup);
    session_reply_error(session, serial, DOCA_ERROR_TIME_OUT, err.s);
}

static doca_error_t wait_for(struct session *session, uint64_t serial,
                             const struct publication_key *key, uint32_t timeout_ms,
                             struct errtext *err)
{
    struct node *node = session->node;
    struct timeval limit = ms_to_timeval(timeout_ms);
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
    lookup->timeout_ms = timeout_ms;
    lookup->found = on_found;
    copy_text(lookup->name, key->name);
    lookup->uid = key->uid;
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
    struct publication_key key;
    doca_error_t r = publication_read_name(session, request->name, &key, err);
    if (r != DOCA_SUCCESS)
        return r;
    publications_end_over(session->node, &key);
    const struct publication *p = find_for(session, &key);
    if (p) {
        answer(session, serial, p);
        return DOCA_SUCCESS;
    }
    if (request->timeout_ms > 0)
        return wait_for(session, serial, &key, request->timeout_ms, err);
    say_not_there(&key, session, "", err);
    return DOCA_ERROR_NOT_FOUND;
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
