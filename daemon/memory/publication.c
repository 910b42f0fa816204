// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "publication.h"

#include "announcement.h"
#include "config.h"
#include "export.h"
#include "log.h"
#include "lookup.h"
#include "known_nodes.h"
#include "ended_names.h"
#include "node.h"
#include "owned_name.h"
#include "peer.h"
#include "publication_listed.h"
#include "session.h"
#include "text.h"
#include "trim.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>

// ---- names and exports ------------------------------------------------------------------------

static struct publication *of_name(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct publication, by_name) : NULL;
}

static struct publication *of_export(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct publication, by_export) : NULL;
}

// Each uid has names of its own. Names that were published here come before the same names of other
// nodes.
static int compare_name(const struct tree_node *node, const void *key)
{
    return publication_key_order(PUBLICATION_KEY(of_name(node)), key);
}

static int compare_names(const struct tree_node *a, const struct tree_node *b)
{
    const struct publication *p = of_name(a), *q = of_name(b);
    int order = compare_name(a, PUBLICATION_KEY(q));
    return order ? order : !!p->source - !!q->source;
}

static bool has_key(const struct publication *p, const struct publication_key *key)
{
    return p && publication_key_order(PUBLICATION_KEY(p), key) == 0;
}

static int compare_export(const struct tree_node *node, const void *key)
{
    const struct export_desc *a = &of_export(node)->desc, *b = key;
    int order = (a->export_id > b->export_id) - (a->export_id < b->export_id);
    return order ? order : memcmp(a->node, b->node, NODE_ID_SIZE);
}

static int compare_token(const struct tree_node *node, const struct export_desc *desc)
{
    int order = compare_export(node, desc);
    return order ? order : memcmp(of_export(node)->desc.token, desc->token, EXPORT_TOKEN_SIZE);
}

static bool is_of_linked_node(const struct tree_node *node)
{
    return of_export(node)->source != NULL;
}

// For names that were published here, which come before those of linked nodes.
static int compare_own(const struct tree_node *node, const void *key)
{
    int order = compare_token(node, key);
    return order ? order : is_of_linked_node(node);
}

static int compare_exports(const struct tree_node *a, const struct tree_node *b)
{
    int order = compare_token(a, &of_export(b)->desc);
    return order ? order : is_of_linked_node(a) - is_of_linked_node(b);
}

static struct publication *seek(const struct node *node, const struct publication_key *key)
{
    return of_name(tree_seek(&node->publications_by_name, key, compare_name));
}

static struct publication *next_of(const struct node *node, const struct publication *p)
{
    return of_name(tree_next(&node->publications_by_name, &p->by_name, compare_names));
}

// Finds the first one from here on that has not ended. Each uid has few: at most one of each linked
// node and those of nodes that have ended.
static struct publication *skip_over(const struct node *node, struct publication *p,
                                     const struct publication_key *key)
{
    while (has_key(p, key) && publication_has_ended(node, p))
        p = next_of(node, p);
    return has_key(p, key) ? p : NULL;
}

struct publication *publication_find(const struct node *node, const struct publication_key *key)
{
    return skip_over(node, seek(node, key), key);
}

struct publication *publication_next(const struct node *node, const struct publication *p)
{
    return skip_over(node, next_of(node, p), PUBLICATION_KEY(p));
}

// ---- names of one node --------------------------------------------------------------------------

static struct publication *of_source(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct publication, by_source) : NULL;
}

static int compare_text(const struct tree_node *node, const void *name)
{
    return strcmp(of_source(node)->name, name);
}

// The first owner of a name comes first.
static int compare_in_source(const struct tree_node *a, const struct tree_node *b)
{
    int order = compare_text(a, of_source(b)->name);
    return order ? order : of_source(b)->first - of_source(a)->first;
}

static struct publication *find_text(const struct tree *names, const char *name)
{
    struct publication *p = of_source(tree_seek(names, name, compare_text));
    return p && strcmp(p->name, name) == 0 ? p : NULL;
}

static struct tree *names_of(struct node *node, const struct publication *p)
{
    return p->source ? &p->source->by_name : &node->own_names;
}

struct peer *publication_origin(const struct publication *p)
{
    return p->source ? p->source->peer : NULL;
}

struct publication *publication_of_export(const struct node *node, const uint8_t *owner,
                                          uint64_t export_id, const struct publication *after)
{
    const struct tree *tree = &node->publications_by_export;
    struct export_desc key = {.export_id = export_id};
    memcpy(key.node, owner, sizeof(key.node));
    struct tree_node *found = after ? tree_next(tree, &after->by_export, compare_exports)
                                    : tree_seek(tree, &key, compare_export);
    return found && compare_export(found, &key) == 0 ? of_export(found) : NULL;
}

struct publication *publication_of_descriptor(const struct node *node,
                                              const struct export_desc *desc)
{
    struct tree_node *found = tree_seek(&node->publications_by_export, desc, compare_own);
    return found && compare_own(found, desc) == 0 ? of_export(found) : NULL;
}

// ---- visibility ---------------------------------------------------------------------------

static bool has_group(const struct audience *to, const struct credentials *who)
{
    for (size_t i = 0; i < to->n_gids; i++)
        if (credentials_has_group(who, to->gids[i]))
            return true;
    return false;
}

static bool has_user(const struct audience *to, uid_t uid)
{
    for (size_t i = 0; i < to->n_uids; i++)
        if (to->uids[i] == uid)
            return true;
    return false;
}

// NULL unless it is an export of this node.
static const struct export *export_of(const struct node *node, const struct publication *p)
{
    if (memcmp(p->desc.node, node->id, NODE_ID_SIZE) != 0)
        return NULL;
    return OBJECT_GET(node, EXPORT, p->desc.export_id, struct export);
}

static bool owns(const struct session *session, const struct publication *p)
{
    const struct export *export = export_of(session->node, p);
    return export && export_is_owned_by(export, session);
}

bool publication_is_offered(const struct publication *p, const struct session *session)
{
    const struct credentials *who = &session->credentials;
    if (publication_has_ended(session->node, p))
        return false;
    return p->to.all || p->uid == who->uid || has_user(&p->to, who->uid) ||
           has_group(&p->to, who) || session_is_privileged(session) || owns(session, p);
}

// Finds a publication of a linked node, ended or not; `source` NULL has none.
static struct publication *find_in_source(const struct node *node, const struct name_source *source,
                                          const struct publication_key *key)
{
    struct publication *p = source ? seek(node, key) : NULL;
    while (has_key(p, key) && p->source != source)
        p = next_of(node, p);
    return has_key(p, key) ? p : NULL;
}

// Publications of this node come before those of others.
static struct publication *find_own(const struct node *node, const struct publication_key *key)
{
    struct publication *p = publication_find(node, key);
    return p && !p->source ? p : NULL;
}

// ---- lifetime -------------------------------------------------------------------------

struct publication *publication_make(const char *name, const ProtobufCBinaryData *descriptor,
                                     const struct export_desc *desc,
                                     const struct publisher *publisher)
{
    struct publication *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    copy_text(p->name, name);
    p->desc = *desc;
    p->uid = publisher->uid;
    p->to = publisher->to;
    memcpy(p->descriptor, descriptor->data, descriptor->len);
    p->descriptor_size = descriptor->len;
    list_init(&p->in_source);
    list_init(&p->in_session);
    p->source = publisher->source;
    p->user = publisher->user ? user_ref(publisher->user) : NULL;
    return p;
}

#define CHARGES 2

// The memory for what other nodes publish is bounded by the first limit alone.
static void charges_of(const struct publication *p, struct charge out[CHARGES])
{
    struct user *user = p->user;
    out[0] = (struct charge){LIMIT_PUBLICATIONS, &user->publications, 1};
    if (p->source)
        out[0] =
            (struct charge){LIMIT_PEER_PUBLICATIONS, &user->publications, 1, &p->source->count};
    out[1] = (struct charge){LIMIT_METADATA, &user->metadata, p->source ? 0 : sizeof(*p)};
}

doca_error_t publication_enter(struct publication *p, struct node *node, uint64_t id,
                               const struct limits *limits, struct errtext *err)
{
    struct charge charges[CHARGES];

    charges_of(p, charges);
    doca_error_t r = limit_take_all(limits, charges, CHARGES, err);
    if (r != DOCA_SUCCESS)
        return r;
    p->first = !p->source && !find_text(&node->own_names, p->name);
    list_append(&node->publications, &p->in_node);
    idmap_add(&node->publications_by_id, &p->id, id);
    tree_add(names_of(node, p), &p->by_source, compare_in_source);
    if (p->source) {
        p->round = p->source->round;
        list_append(&p->source->names, &p->in_source);
    } else {
        idmap_add(&node->own_publications, &p->own, id);
    }
    tree_add(&node->publications_by_name, &p->by_name, compare_names);
    tree_add(&node->publications_by_export, &p->by_export, compare_exports);
    publication_listed_add(node, p);
    node->n_publications++;
    return DOCA_SUCCESS;
}

static void drop(struct publication *p)
{
    user_unref(p->user);
    free(p);
}

void publication_free(struct node *node, struct publication *p)
{
    struct charge charges[CHARGES];

    charges_of(p, charges);
    limit_give_all(charges, CHARGES);
    fdstore_drop(&p->stored);
    list_remove(&p->in_node);
    tree_remove(names_of(node, p), &p->by_source, compare_in_source);
    list_remove(&p->in_source);
    list_remove(&p->in_session);
    if (!p->source)
        idmap_remove(&node->own_publications, &p->own);
    tree_remove(&node->publications_by_name, &p->by_name, compare_names);
    tree_remove(&node->publications_by_export, &p->by_export, compare_exports);
    publication_listed_remove(node, p);
    idmap_remove(&node->publications_by_id, &p->id);
    node->n_publications--;
    trim_count(node, sizeof(*p));
    drop(p);
}

static doca_error_t add(struct publication **out, struct node *node, const char *name,
                        const ProtobufCBinaryData *descriptor, const struct export_desc *desc,
                        const struct publisher *publisher, struct errtext *err)
{
    struct publication *p = publication_make(name, descriptor, desc, publisher);
    if (!p)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = publication_enter(p, node, node_next_id(node), node_limits(node), err);
    if (r == DOCA_SUCCESS)
        *out = p;
    else
        drop(p);
    return r;
}

// Notifies the nodes that have the name, then frees it. If another node published the name for one
// of our exports, that node is notified.
void publication_withdraw(struct node *node, struct publication *p)
{
    announcement_withdrawn(node, p);
    publication_free(node, p);
}

void publications_withdraw_ended(struct node *node, const struct publication_key *key)
{
    struct publication *p = seek(node, key), *next;
    for (; has_key(p, key); p = next) {
        const struct export *export = export_of(node, p);
        next = next_of(node, p);
        if (publication_has_ended(node, p) || (export && export->object.session->ending))
            publication_withdraw(node, p);
    }
}

doca_error_t publication_check_name(const struct node *node, const char *name, struct errtext *err)
{
    bool portable = !node->config->names_utf8;
    if (text_is_name(name, PUBLICATION_NAME_SIZE) && !strchr(name, '/') &&
        (!portable || owned_name_is_portable(name)))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       portable ? "name of a publication: use 1 to %d letters, digits and . _ : @ "
                                  "+ - (names = utf8 in docad's configuration allows others)"
                                : "name of a publication: use 1 to %d printable characters, but "
                                  "no /",
                       PUBLICATION_NAME_SIZE - 1);
}

doca_error_t publication_read_name(const struct session *session, const char *text,
                                   struct publication_key *out, struct errtext *err)
{
    struct owned_name name;
    if (!owned_name_split(text, &name))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "name of another user's publication: write UID/NAME");
    *out =
        (struct publication_key){name.name, name.has_owner ? name.uid : session->credentials.uid};
    return publication_check_name(session->node, name.name, err);
}

bool publication_is_of_unlinked(const struct node *node, const struct export_desc *desc)
{
    return memcmp(desc->node, node->id, NODE_ID_SIZE) != 0 && !known_node_find(node, desc->node);
}

static doca_error_t check_lasting(const struct node *node, const char *name,
                                  const struct export_desc *desc, struct errtext *err)
{
    char id[NODE_ID_TEXT_SIZE];
    if (!publication_is_of_unlinked(node, desc))
        return DOCA_SUCCESS;
    node_id_format(desc->node, id);
    return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                       "name %s: its export is of node %s, which has never been linked with node "
                       "%s, and the end of the export would not be reported; link them first",
                       name, id, node->config->name);
}

doca_error_t publication_new(struct session *session, const Docad__Publish *request,
                             struct errtext *err)
{
    struct node *node = session->node;
    struct publisher publisher = {.user = session->user, .uid = session->credentials.uid};
    const struct publication_key key = {request->name, session->credentials.uid};
    struct export_desc desc;
    struct export *export;

    doca_error_t r = publication_check_name(node, request->name, err);
    if (r == DOCA_SUCCESS)
        r = audience_of_message(request->to, &publisher.to, err);
    if (r == DOCA_SUCCESS)
        r = export_desc_decode(request->descriptor.data, request->descriptor.len, &desc, err);
    if (r == DOCA_SUCCESS && memcmp(desc.node, node->id, NODE_ID_SIZE) == 0)
        r = export_find(node, desc.export_id, desc.token, &export, err);
    if (r == DOCA_SUCCESS && request->lasting)
        r = check_lasting(node, request->name, &desc, err);
    if (r != DOCA_SUCCESS)
        return r;
    publications_withdraw_ended(node, &key);
    const struct publication *taken = publication_find(node, &key);
    if (taken)
        return errtext_set(
            err, DOCA_ERROR_ALREADY_EXIST,
            "name %s: you have published it on node %s already; unpublish it first, or use "
            "another name",
            request->name, taken->source ? taken->source->peer->name : node->config->name);
    struct publication *p;
    r = add(&p, node, request->name, &request->descriptor, &desc, &publisher, err);
    if (r != DOCA_SUCCESS)
        return r;
    p->session_id = session->id;
    list_append(&session->publications, &p->in_session);
    p->stored.serial = session->serial;
    r = publication_keep(p, err);
    if (r != DOCA_SUCCESS) {
        publication_free(node, p);
        return r;
    }
    announcement_published(node, p);
    lookups_mark_due(node, p);
    return DOCA_SUCCESS;
}

// The publisher and the export's owner may withdraw it.
static bool may_remove(const struct session *session, const struct publication *p)
{
    return session_is_privileged(session) || p->uid == session->credentials.uid || owns(session, p);
}

doca_error_t publication_remove(struct session *session, const char *name, struct errtext *err)
{
    struct node *node = session->node;
    struct publication_key key;
    doca_error_t r = publication_read_name(session, name, &key, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct publication *p = publication_find(node, &key);
    if (!p || !publication_is_offered(p, session))
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "name %s: not published", name);
    if (p->source)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "name %s: published on node %s; unpublish it there", name,
                           p->source->peer->name);
    if (!may_remove(session, p))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "name %s: published by uid %u; only that uid, the export's owner, "
                           "docad's uid and root may unpublish it",
                           name, (unsigned)p->uid);
    publication_withdraw(node, p);
    return DOCA_SUCCESS;
}

void publication_refused(struct node *node, const struct export_desc *desc, doca_error_t code)
{
    if (code == DOCA_ERROR_NOT_PERMITTED)
        names_of_descriptor_end(node, desc);
}

// ---- linked nodes -----------------------------------------------------------------------

// The node has ended its earlier publication of this name. No message is sent about that, even if
// the earlier one had ended: the node would take the message for the end of the new one.
static void replace(struct node *node, struct peer *peer, const struct publication_key *key)
{
    struct publication *old = find_in_source(node, peer->names, key);
    if (old)
        publication_free(node, old);
    announcement_replaced(peer, key);
}

void publication_from_peer(struct node *node, struct peer *peer, const Docad__PeerPublish *m)
{
    struct publisher publisher = {.source = name_source_get(peer), .uid = m->uid};
    struct export_desc desc;
    struct errtext err;
    struct export *export;

    const struct publication_key key = {m->name, m->uid};
    doca_error_t r = publication_check_name(node, m->name, &err);
    if (r == DOCA_SUCCESS)
        r = audience_of_message(m->to, &publisher.to, &err);
    if (r == DOCA_SUCCESS)
        r = export_desc_decode(m->descriptor.data, m->descriptor.len, &desc, &err);
    if (r != DOCA_SUCCESS) {
        log_limited(LOG_LEVEL_WARNING, "node %s published an entry that is not valid: %s",
                    peer->name, err.s);
        return;
    }
    replace(node, peer, &key);
    if (memcmp(desc.node, node->id, NODE_ID_SIZE) == 0 &&
        export_find(node, desc.export_id, desc.token, &export, NULL) != DOCA_SUCCESS) {
        announcement_gone(peer, m->name, m->uid); // the peer has not got its end
        return;
    }
    publications_withdraw_ended(node, &key);
    struct publication *p;
    if (publisher.source)
        publisher.user = user_get(&publisher.source->users, m->account ? m->account->uid : m->uid);
    r = publisher.user ? add(&p, node, m->name, &m->descriptor, &desc, &publisher, &err)
                       : errtext_set(&err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    user_unref(publisher.user);
    if (r != DOCA_SUCCESS) {
        log_limited(LOG_LEVEL_WARNING, "name %s of node %s is unknown here: %s", m->name,
                    peer->name, err.s);
        return;
    }
    lookups_mark_due(node, p);
}

static bool gone_at_peer(struct node *node, struct peer *peer, struct publication *p)
{
    if (p && p->source && p->source == peer->names)
        publication_free(node, p);
    else if (p && !p->source && memcmp(p->desc.node, peer->id_there, NODE_ID_SIZE) == 0)
        publication_withdraw(node, p);
    else
        return false;
    return true;
}

// An older docad has one owner of a name, and does not send it: of the publications of this node it
// can only end the one that was sent to it.
static void gone_at_older(struct node *node, struct peer *peer, const char *name)
{
    struct publication *p = peer->names ? find_text(&peer->names->by_name, name) : NULL;
    struct publication *own = find_text(&node->own_names, name);
    if (!gone_at_peer(node, peer, p) && own && own->first)
        gone_at_peer(node, peer, own);
}

void publication_gone_at_peer(struct node *node, struct peer *peer, const Docad__PeerUnpublish *m)
{
    if (!m->owner) {
        gone_at_older(node, peer, m->name);
        return;
    }
    const struct publication_key key = {m->name, m->owner->uid};
    if (!gone_at_peer(node, peer, find_in_source(node, peer->names, &key)))
        gone_at_peer(node, peer, find_own(node, &key));
}

// ---- records --------------------------------------------------------------------------

doca_error_t publication_keep(struct publication *p, struct errtext *err)
{
    Docad__PublicationRecord what = DOCAD__PUBLICATION_RECORD__INIT;
    Docad__Audience to = audience_message(&p->to);
    Docad__Record record;
    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    what.name = p->name;
    what.descriptor = record_bytes(p->descriptor, p->descriptor_size);
    what.uid = p->uid;
    what.to = &to;
    record_init(&record, p->id.id, p->session_id, &p->stored);
    record.what_case = DOCAD__RECORD__WHAT_PUBLICATION;
    record.publication = &what;
    return fdstore_put(&p->stored, &record, p->user, NULL, 0, err);
}
