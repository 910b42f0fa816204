// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "announcement.h"

#include "connection.h"
#include "ended_names.h"
#include "node.h"
#include "peer.h"
#include "peer_names.h"
#include "publication.h"
#include "user.h"

#include <string.h>

#define OUTPUT_MAX (256u << 10) // bytes queued on a link beyond which names wait
#define AT_ONCE    64           // names when the link comes up

// The limit on queued bytes while queue pairs or relays wait for room in the link.
#define SHARED_MAX (64u << 10)

// Names that are sent from one time that the output has drained to the next, while queue pairs wait
// for it to be empty.
#define SHARED_NAMES 8

// A withdrawn name of which the node still has to be notified.
struct withdrawn {
    struct list in_peer;
    struct tree_node by_key; // peer->announcement.theirs
    struct user *user;
    uid_t uid;
    bool is_theirs; // the node published it, for an export that has ended
    char name[];
};

// ---- messages ---------------------------------------------------------------------------------

// An older docad supports one owner of a name: the first one.
static bool is_known_to(const struct publication *p, const struct peer *peer)
{
    return p->first || peer->by_uid;
}

static void send_name(struct peer *peer, const struct publication *p)
{
    Docad__PeerPublish publish = DOCAD__PEER_PUBLISH__INIT;
    Docad__Account account = DOCAD__ACCOUNT__INIT;
    Docad__Audience to = audience_message(&p->to);
    publish.name = (char *)p->name;
    publish.descriptor = (ProtobufCBinaryData){p->descriptor_size, (uint8_t *)p->descriptor};
    publish.uid = p->uid;
    publish.to = &to;
    if (p->user->uid != p->uid) {
        account.uid = p->user->uid;
        publish.account = &account;
    }
    peer_send(peer, message_of(PEER_PUBLISH, peer_publish, &publish));
}

void announcement_gone(struct peer *peer, const char *name, uid_t uid)
{
    Docad__PeerUnpublish unpublish = DOCAD__PEER_UNPUBLISH__INIT;
    Docad__Account owner = DOCAD__ACCOUNT__INIT;
    owner.uid = uid;
    unpublish.name = (char *)name;
    unpublish.owner = &owner;
    peer_send(peer, message_of(PEER_UNPUBLISH, peer_unpublish, &unpublish));
}

// ---- withdrawn names ----------------------------------------------------------------------------

static struct charge charge_of(struct withdrawn *w)
{
    return (struct charge){LIMIT_METADATA, &w->user->metadata, sizeof(*w) + strlen(w->name) + 1};
}

static struct withdrawn *of_key(const struct tree_node *node)
{
    return node ? container_of((struct tree_node *)node, struct withdrawn, by_key) : NULL;
}

static int compare_key(const struct tree_node *node, const void *key)
{
    return publication_key_order(PUBLICATION_KEY(of_key(node)), key);
}

static int compare_keys(const struct tree_node *a, const struct tree_node *b)
{
    return compare_key(a, PUBLICATION_KEY(of_key(b)));
}

static struct withdrawn *withdrawn_free(struct peer *peer, struct withdrawn *w)
{
    struct charge charge = charge_of(w);
    limit_give_all(&charge, 1);
    if (w->is_theirs)
        tree_remove(&peer->announcement.theirs, &w->by_key, compare_keys);
    list_remove(&w->in_peer);
    user_unref(w->user);
    free(w);
    return NULL;
}

static bool withdrawn_new(struct peer *peer, const struct publication *p)
{
    size_t length = strlen(p->name);
    struct withdrawn *w = calloc(1, sizeof(*w) + length + 1);
    if (!w)
        return false;
    w->user = user_ref(p->user);
    w->uid = p->uid;
    w->is_theirs = p->source != NULL;
    memcpy(w->name, p->name, length);
    struct charge charge = charge_of(w);
    limit_take_all(NULL, &charge, 1, NULL);
    list_append(&peer->announcement.withdrawn, &w->in_peer);
    if (w->is_theirs)
        tree_add(&peer->announcement.theirs, &w->by_key, compare_keys);
    return true;
}

static struct withdrawn *first_withdrawn(const struct announcement *a)
{
    return list_empty(&a->withdrawn) ? NULL
                                     : list_entry(a->withdrawn.next, struct withdrawn, in_peer);
}

// ---- pieces -------------------------------------------------------------------------------------

static bool has_room(const struct peer *peer)
{
    const uint64_t queued = connection_queued(peer->connection);
    if (connection_waits(peer->connection))
        return queued == 0 && peer->announcement.in_succession < SHARED_NAMES;
    bool shared = !list_empty(&peer->link_ready) || !list_empty(&peer->relays_waiting);
    return queued < (shared ? SHARED_MAX : OUTPUT_MAX);
}

static struct publication *next_name(const struct peer *peer)
{
    struct idmap_node *next =
        idmap_after(&peer->node->own_publications, peer->announcement.announced);
    return idmap_entry(next, struct publication, own);
}

// The objects that this node continues with were named already: peer_resume.h.
static void end_resume(struct peer *peer, const struct publication *next)
{
    struct announcement *a = &peer->announcement;
    if (!a->resume_after || (next && next->own.id <= a->resume_after))
        return;
    a->resume_after = 0;
    peer_names_last(peer);
}

// Sends the node one name. Returns false if there is nothing more, or no room for it.
static bool step(struct peer *peer)
{
    struct announcement *a = &peer->announcement;
    struct withdrawn *w = first_withdrawn(a);

    a->waits = !has_room(peer);
    if (a->waits)
        return false;
    a->in_succession++;
    if (w) {
        announcement_gone(peer, w->name, w->uid);
        withdrawn_free(peer, w);
        return true;
    }
    const struct publication *next = next_name(peer);
    end_resume(peer, next);
    a->behind = next != NULL;
    if (!next)
        return false;
    a->announced = next->own.id;
    if (is_known_to(next, peer))
        send_name(peer, next);
    return true;
}

static bool take(struct sched_item *turn)
{
    return step(container_of(turn, struct peer, announcement.turn));
}

static void go_on(struct peer *peer)
{
    struct announcement *a = &peer->announcement;
    if (a->turn.sched) {
        sched_queue(&a->turn);
        return;
    }
    while (step(peer)) { // for a node without a scheduler
    }
}

// From now on, names after this one are sent in pieces.
static void fall_behind(struct peer *peer, uint64_t announced)
{
    struct announcement *a = &peer->announcement;
    if (a->behind)
        return;
    a->behind = true;
    a->announced = announced;
}

// ---- events -------------------------------------------------------------------------------

void announcement_begin(struct peer *peer)
{
    struct announcement *a = &peer->announcement;

    *a = (struct announcement){
        .turn = {.sched = peer->node->sched, .user = &peer->sched, .take = take},
        .begun = true,
        .behind = true};
    list_init(&a->turn.in_user);
    list_init(&a->withdrawn);
    for (int i = 0; i < AT_ONCE && step(peer); i++) {
    }
    if (a->behind)
        go_on(peer);
}

void announcement_end(struct peer *peer)
{
    struct announcement *a = &peer->announcement;
    struct withdrawn *w;

    if (!a->begun)
        return;
    sched_dequeue(&a->turn);
    while ((w = first_withdrawn(a)))
        withdrawn_free(peer, w);
    a->begun = a->behind = a->waits = false;
    a->resume_after = 0;
}

void announcement_go_on(struct peer *peer)
{
    peer->announcement.in_succession = 0;
    if (peer->announcement.waits)
        go_on(peer);
}

void announcement_published(struct node *node, const struct publication *p)
{
    struct peer *peer;
    list_for_each (peer, &node->peers, in_node) {
        if (!peer->announcement.begun || peer->announcement.behind)
            continue;
        fall_behind(peer, p->own.id - 1);
        while (step(peer)) { // for a node without a scheduler
        }
    }
}

static bool was_notified_of(const struct peer *peer, const struct publication *p)
{
    const struct announcement *a = &peer->announcement;
    if (p->source)
        return p->source == peer->names && !name_source_has_ended(p->source, p->round);
    return is_known_to(p, peer) && (!a->behind || p->own.id <= a->announced);
}

void announcement_withdrawn(struct node *node, const struct publication *p)
{
    struct peer *peer;
    list_for_each (peer, &node->peers, in_node) {
        struct announcement *a = &peer->announcement;
        if (!a->begun || !was_notified_of(peer, p))
            continue;
        if (has_room(peer)) {
            announcement_gone(peer, p->name, p->uid);
            continue;
        }
        fall_behind(peer, node->last_id);
        if (!withdrawn_new(peer, p))
            connection_drop(peer->connection, "out of memory");
        else if (!a->waits)
            go_on(peer);
    }
}

void announcement_replaced(struct peer *peer, const struct publication_key *key)
{
    const struct tree *theirs = &peer->announcement.theirs;
    struct withdrawn *w = of_key(tree_seek(theirs, key, compare_key));
    if (w && compare_key(&w->by_key, key) == 0)
        withdrawn_free(peer, w);
}
