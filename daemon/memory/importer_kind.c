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
    struct importer *importer;
    list_append_all(&to->importers, &from->importers);
    to->importers_by_session = from->importers_by_session;
    idmap_init(&from->importers_by_session);
    list_for_each (importer, &to->importers, in_peer)
        importer->peer = to;
    users_adopt(&to->users, &from->users);
    to->held.importers += from->held.importers;
    to->held.grants += from->held.grants;
    to->held.qpairs += from->held.qpairs;
    to->held.descriptors += from->held.descriptors;
    from->held = (struct peer_held){0};
}

// ---- what has ended there -------------------------------------------------------------

static struct importer_item *of_named(struct idmap_node *named)
{
    return named ? container_of(named, struct importer_item, named) : NULL;
}

// The end of one may be that of others: delegation.h.
static bool sweep_kind(struct peer *peer, enum named kind, unsigned *steps)
{
    struct importer_item *item;
    while ((item = of_named(peer_named_missing(peer, kind))))
        if (!kind_step(steps) || !item->ops->end(item, steps))
            return false;
    return true;
}

static bool sweep(struct peer *peer, unsigned *steps)
{
    return sweep_kind(peer, NAMED_QUEUE_PAIRS, steps) && sweep_kind(peer, NAMED_GRANTS, steps);
}

static bool end_kind(struct peer *peer, enum named kind, unsigned *steps)
{
    struct importer_item *item;
    while ((item = of_named(idmap_first(&peer->named.kinds[kind]))))
        if (!kind_step(steps) || !item->ops->end(item, steps))
            return false;
    return true;
}

static bool gone(struct peer *peer, unsigned *steps)
{
    if (!end_kind(peer, NAMED_QUEUE_PAIRS, steps) || !end_kind(peer, NAMED_GRANTS, steps))
        return false;
    while (!list_empty(&peer->importers)) {
        if (!kind_step(steps))
            return false;
        importer_free(list_entry(peer->importers.next, struct importer, in_peer));
    }
    return true;
}

const struct object_kind importer_kind = {
    .end_of = end_of, .adopt = adopt, .sweep = sweep, .gone = gone};
