// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "importer.h"

#include "fdstore.h"
#include "node.h"
#include "peer.h"
#include "session.h"
#include "loop_sched.h"
#include "user.h"

void importer_record(const struct importer *importer, Docad__ImporterRecord *out,
                     Docad__Account *account)
{
    docad__importer_record__init(out);
    if (importer->peer)
        out->node = record_bytes(importer->peer->id_there, NODE_ID_SIZE);
    out->session = importer->session_id;
    out->pid = (uint32_t)importer->pid;
    if (importer->peer) // those of a session of this node are read again
        CREDENTIALS_PUT(&importer->credentials, out, account);
}

struct importer *importer_of_record(struct node *node, const Docad__ImporterRecord *m)
{
    struct importer *importer;
    if (m->node.len == 0) {
        struct session *session = node_session(node, m->session);
        return session && session_importer(session, &importer, NULL) == DOCA_SUCCESS ? importer
                                                                                     : NULL;
    }
    struct peer *peer = m->node.len == NODE_ID_SIZE ? peer_find(node, m->node.data) : NULL;
    struct credentials who;
    if (!peer || credentials_of_message(CREDENTIALS_CARRIED(m), &who) < 0)
        return NULL;
    struct importer *restored = importer_restore(peer, m->session, (pid_t)m->pid, &who);
    credentials_drop(&who);
    return restored;
}

static void end_of(struct session *session, uint64_t serial)
{
    if (!serial)
        session->importer = importer_free(session->importer);
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct importer *importer, *next;
    sched_dequeue(&from->sweeping);
    list_for_each_safe (importer, next, &from->importers, in_peer) {
        importer->peer = to;
        list_remove(&importer->in_peer);
        list_append(&to->importers, &importer->in_peer);
        idmap_remove(&from->importers_by_session, &importer->by_session);
        idmap_add(&to->importers_by_session, &importer->by_session, importer->session_id);
    }
    struct user *user, *next_user;
    list_for_each_safe (user, next_user, &from->users, in_users) {
        list_remove(&user->in_users);
        list_append(&to->users, &user->in_users);
    }
    to->held.importers += from->held.importers;
    to->held.grants += from->held.grants;
    to->held.qpairs += from->held.qpairs;
    to->held.descriptors += from->held.descriptors;
    from->held = (struct peer_held){0};
}

static void mark_items(struct list *items)
{
    struct importer_item *item;
    list_for_each (item, items, in_importer)
        item->stale = true;
}

// Sweeping that goes on ends with the link: what it would end may be named after all.
static void mark(struct peer *peer)
{
    struct importer *importer;
    sched_dequeue(&peer->sweeping);
    list_for_each (importer, &peer->importers, in_peer) {
        importer->to_sweep = true;
        mark_items(&importer->grants);
        mark_items(&importer->qpairs);
    }
}

static size_t count_named(const struct list *items)
{
    const struct importer_item *item;
    size_t n = 0;
    list_for_each (item, items, in_importer)
        n += !item->stale;
    return n;
}

static void nothing(struct importer_item *item)
{
    (void)item;
}

static const struct importer_item_ops no_ops = {
    .end = nothing, .drop = nothing, .set_deadline = nothing};

// The end of an item may be that of others of the list. So each item is taken from its front and
// put behind an item that stands for the end of the list, and that keeps the importer from being
// idle.
static void sweep_items(struct importer *importer, struct list *items)
{
    struct importer_item *last = &importer->last;

    last->ops = &no_ops;
    list_append(items, &last->in_importer);
    while (items->next != &last->in_importer) {
        struct importer_item *item = list_entry(items->next, struct importer_item, in_importer);
        list_remove(&item->in_importer);
        list_append(items, &item->in_importer);
        if (item->stale)
            item->ops->end(item);
    }
    list_remove(&last->in_importer);
}

// Sweeps one importer, which comes behind those that are to be swept yet. Returns false if there is
// none. The end of a grant may be that of other importers.
static bool sweep_one(struct peer *peer)
{
    if (list_empty(&peer->importers))
        return false;
    struct importer *importer = list_entry(peer->importers.next, struct importer, in_peer);
    if (!importer->to_sweep)
        return false;
    importer->to_sweep = false;
    list_remove(&importer->in_peer);
    list_append(&peer->importers, &importer->in_peer);
    if (count_named(&importer->grants) + count_named(&importer->qpairs) == 0) {
        importer_free(importer);
        return true;
    }
    sweep_items(importer, &importer->qpairs);
    sweep_items(importer, &importer->grants);
    importer_free_if_idle(importer);
    return true;
}

static bool take_sweep(struct sched_item *turn)
{
    return sweep_one(container_of(turn, struct peer, sweeping));
}

#define AT_ONCE 32 // importers that are swept when the linked node has named what it has

static void sweep(struct peer *peer)
{
    struct sched_item *turn = &peer->sweeping;
    bool more = true;

    sched_dequeue(turn);
    *turn =
        (struct sched_item){.sched = peer->node->sched, .user = &peer->sched, .take = take_sweep};
    list_init(&turn->in_user);
    for (unsigned i = 0; more && (i < AT_ONCE || !turn->sched); i++)
        more = sweep_one(peer);
    if (more)
        sched_queue(turn);
}

static void gone(struct peer *peer)
{
    sched_dequeue(&peer->sweeping);
    while (!list_empty(&peer->importers))
        importer_free(list_entry(peer->importers.next, struct importer, in_peer));
}

const struct object_kind importer_kind = {
    .end_of = end_of, .adopt = adopt, .mark = mark, .sweep = sweep, .gone = gone};
