// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "publication_listed.h"

#include "export.h"
#include "node.h"
#include "publication.h"
#include "session.h"

#include <string.h>

struct place {
    bool for_others;
    uid_t uid; // of names that are not
    uint64_t id;
};

static struct publication *of_listed(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, struct publication, listed);
}

static struct place place_of(const struct publication *p)
{
    return (struct place){p->for_others, p->for_others ? 0 : p->uid, p->id.id};
}

static int compare_place(const struct tree_node *node, const void *key)
{
    const struct place a = place_of(of_listed(node)), *b = key;
    if (a.for_others != b->for_others)
        return a.for_others - b->for_others;
    if (a.uid != b->uid)
        return a.uid < b->uid ? -1 : 1;
    return (a.id > b->id) - (a.id < b->id);
}

static int compare(const struct tree_node *a, const struct tree_node *b)
{
    const struct place place = place_of(of_listed(b));
    return compare_place(a, &place);
}

// Its export's owner sees a name, too.
static bool is_of_another(const struct node *node, const struct publication *p)
{
    const struct export *export = memcmp(p->desc.node, node->id, NODE_ID_SIZE) == 0
                                      ? OBJECT_GET(node, EXPORT, p->desc.export_id, struct export)
                                      : NULL;
    return export && export->object.session->credentials.uid != p->uid;
}

void publication_listed_add(struct node *node, struct publication *p)
{
    p->for_others = p->to.all || p->to.n_uids || p->to.n_gids || is_of_another(node, p);
    tree_add(&node->publications_listed, &p->listed, compare);
}

void publication_listed_remove(struct node *node, struct publication *p)
{
    tree_remove(&node->publications_listed, &p->listed, compare);
}

static struct publication *seek(const struct node *node, const struct place *after)
{
    const struct place from = {after->for_others, after->uid, after->id + 1};
    const struct tree_node *found = tree_seek(&node->publications_listed, &from, compare_place);
    struct publication *p = found ? of_listed(found) : NULL;
    return p && p->for_others == from.for_others && place_of(p).uid == from.uid ? p : NULL;
}

struct publication *publication_listed_after(const struct session *session, uint64_t id)
{
    const struct node *node = session->node;
    if (id == UINT64_MAX)
        return NULL;
    if (session_is_privileged(session))
        return idmap_entry(idmap_after(&node->publications_by_id, id), struct publication, id);
    struct publication *own = seek(node, &(struct place){false, session->credentials.uid, id});
    struct publication *offered = seek(node, &(struct place){true, 0, id});
    return !offered || (own && own->id.id < offered->id.id) ? own : offered;
}
