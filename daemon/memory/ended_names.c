// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ended_names.h"

#include "node.h"
#include "peer.h"
#include "publication.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOW_MAX 64 // names that end in the turn of the loop that begins to end them

static void turn_init(struct sched_item *turn, struct node *node,
                      bool (*take)(struct sched_item *turn))
{
    *turn = (struct sched_item){.sched = node->sched, .user = &node->work, .take = take};
    list_init(&turn->in_user);
}

// Called in a later turn of the loop.
static bool take_later(struct sched_item *turn)
{
    container_of(turn, struct node, names_later)->names_now = 0;
    return false;
}

// Returns the number of steps for these names. One request may end thousands of exports; their
// names together have this number of steps.
static bool may_end_now(struct node *node)
{
    if (!node->sched)
        return true;
    if (node->names_now == NOW_MAX)
        return false;
    if (node->names_now++ == 0) {
        turn_init(&node->names_later, node, take_later);
        sched_queue(&node->names_later);
    }
    return true;
}

// Takes some turns now, and the others later. take() may free the structure that embeds the turn
// when it returns false.
static void begin(struct node *node, struct sched_item *turn)
{
    bool more = true;
    while (more && may_end_now(node))
        more = turn->take(turn);
    if (more)
        sched_queue(turn);
}

// ---- names of a linked node ---------------------------------------------------------------------

static void source_free(struct name_source *source)
{
    assert(list_empty(&source->names) && list_empty(&source->users.list) && source->count == 0);
    sched_dequeue(&source->turn);
    list_remove(&source->in_node);
    free(source);
}

// The first ones are those that were not announced again.
static bool take_source(struct sched_item *turn)
{
    struct name_source *source = container_of(turn, struct name_source, turn);
    struct publication *first = list_empty(&source->names)
                                    ? NULL
                                    : list_entry(source->names.next, struct publication, in_source);
    if (first && name_source_has_ended(source, first->round)) {
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
    users_init(&source->users);
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
    list_append(&source->node->ended_names, &source->in_node);
    begin(source->node, &source->turn);
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
    begin(peer->node, &peer->names->turn);
}

// ---- names of an export -------------------------------------------------------------------------

// An export that has ended, or a descriptor of it that was refused, and that still has names.
struct gone_export {
    struct tree_node in_node; // node->gone_exports
    struct node *node;
    struct export_desc desc; // of an export: only its id and node
    bool refused;
    struct sched_item turn;
};

struct gone_key {
    const struct export_desc *desc;
    bool refused;
};

static struct gone_export *of_node(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, struct gone_export, in_node);
}

static int compare_key(const struct tree_node *node, const void *key)
{
    const struct gone_export *gone = of_node(node);
    const struct gone_key *k = key;
    const struct export_desc *a = &gone->desc, *b = k->desc;
    int order = (a->export_id > b->export_id) - (a->export_id < b->export_id);
    if (!order)
        order = memcmp(a->node, b->node, NODE_ID_SIZE);
    if (!order)
        order = gone->refused - k->refused;
    return order || !k->refused ? order : memcmp(a->token, b->token, EXPORT_TOKEN_SIZE);
}

static int compare(const struct tree_node *a, const struct tree_node *b)
{
    return compare_key(a, &(struct gone_key){&of_node(b)->desc, of_node(b)->refused});
}

static bool is_gone(const struct node *node, const struct export_desc *desc, bool refused)
{
    const struct gone_key key = {desc, refused};
    if (!node->gone_exports.root)
        return false;
    const struct tree_node *found = tree_seek(&node->gone_exports, &key, compare_key);
    return found && compare_key(found, &key) == 0;
}

static void gone_free(struct gone_export *gone)
{
    sched_dequeue(&gone->turn);
    tree_remove(&gone->node->gone_exports, &gone->in_node, compare);
    free(gone);
}

static struct publication *first_of(const struct node *node, const struct export_desc *desc,
                                    bool refused)
{
    return refused ? publication_of_descriptor(node, desc)
                   : publication_of_export(node, desc->node, desc->export_id, NULL);
}

static bool withdraw_one(struct node *node, const struct export_desc *desc, bool refused)
{
    struct publication *p = first_of(node, desc, refused);
    if (p)
        publication_withdraw(node, p);
    return p;
}

static bool take_export(struct sched_item *turn)
{
    struct gone_export *gone = container_of(turn, struct gone_export, turn);
    bool more = withdraw_one(gone->node, &gone->desc, gone->refused);
    if (!more)
        gone_free(gone);
    return more;
}

static void end_names(struct node *node, const struct export_desc *desc, bool refused)
{
    if (is_gone(node, desc, refused) || !withdraw_one(node, desc, refused) ||
        !first_of(node, desc, refused))
        return;
    struct gone_export *gone = calloc(1, sizeof(*gone));
    if (!gone) { // then others wait
        while (withdraw_one(node, desc, refused)) {
        }
        return;
    }
    gone->node = node;
    gone->desc = *desc;
    gone->refused = refused;
    turn_init(&gone->turn, node, take_export);
    tree_add(&node->gone_exports, &gone->in_node, compare);
    begin(node, &gone->turn);
}

void names_of_export_end(struct node *node, const uint8_t *owner, uint64_t export_id)
{
    struct export_desc desc = {.export_id = export_id};
    memcpy(desc.node, owner, NODE_ID_SIZE);
    end_names(node, &desc, false);
}

void names_of_descriptor_end(struct node *node, const struct export_desc *desc)
{
    end_names(node, desc, true);
}

// ---- all ----------------------------------------------------------------------------------------

bool publication_has_ended(const struct node *node, const struct publication *p)
{
    return (p->source && name_source_has_ended(p->source, p->round)) ||
           is_gone(node, &p->desc, false) || (!p->source && is_gone(node, &p->desc, true));
}

void ended_names_free_all(struct node *node)
{
    while (!list_empty(&node->ended_names))
        source_free(list_entry(node->ended_names.next, struct name_source, in_node));
    while (node->gone_exports.root)
        gone_free(of_node(node->gone_exports.root));
    if (node->names_now > 0)
        sched_dequeue(&node->names_later);
    node->names_now = 0;
}
