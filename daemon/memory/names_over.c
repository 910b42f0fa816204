// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "names_over.h"

#include "node.h"
#include "peer.h"
#include "publication.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 64 // names that end at the moment when it is known that they do

static void turn_init(struct turn *turn, struct node *node, bool (*take)(struct turn *turn))
{
    *turn = (struct turn){.turns = node->turns, .user = &node->work, .take = take};
    list_init(&turn->in_user);
}

// Takes some turns now, and the others later. take() may free what the turn is embedded in, when it
// returns false.
static void begin(struct turn *turn)
{
    bool more = true;
    for (unsigned i = 0; more && (i < AT_ONCE || !turn->turns); i++)
        more = turn->take(turn);
    if (more)
        turn_want(turn);
}

// ---- names of a linked node ---------------------------------------------------------------------

static void source_free(struct name_source *source)
{
    assert(list_empty(&source->names) && list_empty(&source->users) && source->count == 0);
    turn_drop(&source->turn);
    list_remove(&source->in_node);
    free(source);
}

// Those that came first are the ones that were not announced again.
static bool take_source(struct turn *turn)
{
    struct name_source *source = container_of(turn, struct name_source, turn);
    struct publication *first = list_empty(&source->names)
                                    ? NULL
                                    : list_entry(source->names.next, struct publication, in_source);
    if (first && name_source_is_over(source, first->round)) {
        publication_free(source->node, first);
        return true;
    }
    if (!source->peer)
        source_free(source);
    return false;
}

struct name_source *name_source_get(struct peer *peer)
{
    struct name_source *source = peer->names ?: calloc(1, sizeof(*source));
    if (!source || source == peer->names)
        return source;
    source->node = peer->node;
    source->peer = peer;
    source->round = 1;
    list_init(&source->in_node);
    list_init(&source->names);
    list_init(&source->users);
    turn_init(&source->turn, peer->node, take_source);
    peer->names = source;
    return source;
}

void name_source_gone(struct peer *peer)
{
    struct name_source *source = peer->names;
    if (!source)
        return;
    peer->names = NULL;
    source->peer = NULL;
    list_append(&source->node->names_over, &source->in_node);
    begin(&source->turn);
}

void name_source_mark(struct peer *peer)
{
    if (peer->names)
        peer->names->round++;
}

void name_source_sweep(struct peer *peer)
{
    if (!peer->names)
        return;
    peer->names->over_until = peer->names->round - 1;
    begin(&peer->names->turn);
}

// ---- names of an export -------------------------------------------------------------------------

// An export that has ended, and still has names.
struct gone_export {
    struct tree_node in_node; // node->gone_exports
    struct node *node;
    uint64_t id;
    uint8_t owner[NODE_ID_SIZE];
    struct turn turn;
};

struct gone_key {
    uint64_t id;
    const uint8_t *owner;
};

static struct gone_export *of_node(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, struct gone_export, in_node);
}

static int compare_key(const struct tree_node *node, const void *key)
{
    const struct gone_export *gone = of_node(node);
    const struct gone_key *k = key;
    int order = (gone->id > k->id) - (gone->id < k->id);
    return order ? order : memcmp(gone->owner, k->owner, NODE_ID_SIZE);
}

static int compare(const struct tree_node *a, const struct tree_node *b)
{
    return compare_key(a, &(struct gone_key){of_node(b)->id, of_node(b)->owner});
}

static bool is_gone(const struct node *node, const uint8_t *owner, uint64_t id)
{
    const struct gone_key key = {id, owner};
    const struct tree_node *found = tree_seek(&node->gone_exports, &key, compare_key);
    return found && compare_key(found, &key) == 0;
}

static void gone_free(struct gone_export *gone)
{
    turn_drop(&gone->turn);
    tree_remove(&gone->node->gone_exports, &gone->in_node, compare);
    free(gone);
}

static bool withdraw_one(struct node *node, const uint8_t *owner, uint64_t id)
{
    struct publication *p = publication_of_export(node, owner, id, NULL);
    if (p)
        publication_withdraw(node, p);
    return p;
}

static bool take_export(struct turn *turn)
{
    struct gone_export *gone = container_of(turn, struct gone_export, turn);
    bool more = withdraw_one(gone->node, gone->owner, gone->id);
    if (!more)
        gone_free(gone);
    return more;
}

void names_of_export_end(struct node *node, const uint8_t *owner, uint64_t export_id)
{
    if (is_gone(node, owner, export_id) || !withdraw_one(node, owner, export_id) ||
        !publication_of_export(node, owner, export_id, NULL))
        return;
    struct gone_export *gone = calloc(1, sizeof(*gone));
    if (!gone) { // then others wait
        while (withdraw_one(node, owner, export_id)) {
        }
        return;
    }
    gone->node = node;
    gone->id = export_id;
    memcpy(gone->owner, owner, NODE_ID_SIZE);
    turn_init(&gone->turn, node, take_export);
    tree_add(&node->gone_exports, &gone->in_node, compare);
    begin(&gone->turn);
}

// ---- both ---------------------------------------------------------------------------------------

bool publication_is_over(const struct node *node, const struct publication *p)
{
    return (p->source && name_source_is_over(p->source, p->round)) ||
           is_gone(node, p->desc.node, p->desc.export_id);
}

void names_over_free_all(struct node *node)
{
    while (!list_empty(&node->names_over))
        source_free(list_entry(node->names_over.next, struct name_source, in_node));
    while (node->gone_exports.root)
        gone_free(of_node(node->gone_exports.root));
}
