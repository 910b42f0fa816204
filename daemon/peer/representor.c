// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "representor.h"

#include "config.h"
#include "log.h"
#include "monitor.h"
#include "node.h"
#include "peer.h"

#include <string.h>

static const struct function *parent_of(const struct node *node, uint32_t port)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->type == DOCAD__FUNCTION_TYPE__PF && f->port == port && f->can_list_reps && !f->gone)
            return f;
    }
    return NULL;
}

static struct representor *find_of(const struct node *node, const struct peer *peer,
                                   const char *vuid)
{
    struct representor *r;
    list_for_each (r, &node->representors, in_node) {
        if (r->peer == peer && strcmp(r->vuid, vuid) == 0)
            return r;
    }
    return NULL;
}

// Finds or makes the function's representor. Returns NULL if memory runs out, or if the function is
// on a port that no PF here has, so that this DPU cannot see it.
static struct representor *take(struct node *node, const struct function *of,
                                const uint8_t node_id[NODE_ID_SIZE], struct peer *peer)
{
    const struct function *parent = parent_of(node, of->port);
    struct representor *r = parent ? find_of(node, peer, of->vuid) : NULL;
    if (!r) {
        r = parent ? calloc(1, sizeof(*r)) : NULL;
        if (!r)
            return NULL;
        r->id = (uint32_t)node_next_id(node);
        r->peer = peer;
        copy_text(r->vuid, of->vuid);
        memcpy(r->node_id, node_id, NODE_ID_SIZE);
        list_append(&node->representors, &r->in_node);
    }
    r->stale = false;
    r->parent = parent;
    r->type = of->type;
    copy_text(r->pci, of->pci);
    return r;
}

static void sync_local(struct node *node)
{
    unsigned sfs[FUNCTION_PORT_MAX + 1] = {0};
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->gone || f->type != DOCAD__FUNCTION_TYPE__SF || !parent_of(node, f->port))
            continue;
        struct representor *r = take(node, f, node->id, NULL);
        if (r)
            snprintf(r->name, sizeof(r->name), "pf%usf%u", f->port, sfs[f->port]++);
        else
            log_warning("function %s has no representor: out of memory", f->name);
    }
}

static void sync_peer(struct node *node, struct peer *peer)
{
    if (node->config->role != ROLE_DPU || peer->role != ROLE_HOST)
        return;
    for (size_t i = 0; i < peer->n_functions; i++) {
        const struct function *f = &peer->functions[i];
        struct representor *r = take(node, f, peer->id_there, peer);
        bool is_new = r && !r->name[0];
        if (r)
            snprintf(r->name, sizeof(r->name), "h%s", f->name);
        if (is_new)
            MONITOR(node, .event = "representor-begin", .id = r->id, .for_all = true,
                    .name = r->name);
        else if (r)
            continue;
        else if (!parent_of(node, f->port))
            log_peer_limited(LOG_LEVEL_INFO, peer,
                             "function %s of node %s has no representor: no PF here has port %u",
                             f->name, peer->name, f->port);
        else
            log_peer_limited(LOG_LEVEL_WARNING, peer,
                             "function %s of node %s has no representor: out of memory", f->name,
                             peer->name);
    }
}

static void drop(struct node *node, struct representor *r)
{
    MONITOR(node, .event = "representor-end", .id = r->id, .for_all = true, .name = r->name);
    list_remove(&r->in_node);
    free(r);
}

void representors_sync(struct node *node, struct peer *peer)
{
    struct representor *r, *next;
    list_for_each (r, &node->representors, in_node)
        r->stale = r->peer == peer;
    if (peer)
        sync_peer(node, peer);
    else
        sync_local(node);
    list_for_each_safe (r, next, &node->representors, in_node) {
        if (r->stale)
            drop(node, r);
    }
}

size_t representors_to_names(const struct node *node, const struct peer *peer,
                             Docad__NameRecord names[FUNCTIONS_MAX],
                             Docad__NameRecord *list[FUNCTIONS_MAX])
{
    const struct representor *r;
    size_t n = 0;
    list_for_each (r, &node->representors, in_node) {
        if (r->peer != peer || n == FUNCTIONS_MAX)
            continue;
        list[n] = &names[n];
        docad__name_record__init(list[n]);
        list[n]->id = r->id;
        list[n++]->name = (char *)r->vuid;
    }
    return n;
}

void representors_restore(struct node *node, struct peer *peer, Docad__NameRecord *const *names,
                          size_t n)
{
    representors_sync(node, peer);
    for (size_t i = 0; i < n; i++) {
        struct representor *r = find_of(node, peer, names[i]->name);
        if (r)
            r->id = (uint32_t)names[i]->id;
    }
}

void representors_update(struct node *node)
{
    struct peer *peer;
    representors_sync(node, NULL);
    list_for_each (peer, &node->peers, in_node) {
        if (peer->state == PEER_LINKED || peer->away)
            representors_sync(node, peer);
    }
}

void representors_remove(struct node *node, const struct peer *peer)
{
    struct representor *r, *next;
    list_for_each_safe (r, next, &node->representors, in_node) {
        if (r->peer == peer)
            drop(node, r);
    }
}

struct representor *representor_find(const struct node *node, uint32_t id)
{
    struct representor *r;
    list_for_each (r, &node->representors, in_node) {
        if (r->id == id)
            return r;
    }
    return NULL;
}

void representor_to_message(const struct representor *r, Docad__Representor *out)
{
    docad__representor__init(out);
    out->id = r->id;
    out->name = (char *)r->name;
    out->type = r->type;
    out->pci_address = (char *)r->pci;
    out->vuid = (char *)r->vuid;
    out->parent_function = r->parent->id;
    out->node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)r->node_id};
}

// ---- links ----------------------------------------------------------------------------

static void adopt(struct peer *to, struct peer *from)
{
    struct representor *r;
    list_for_each (r, &to->node->representors, in_node)
        if (r->peer == from)
            r->peer = to;
}

// There are FUNCTIONS_MAX at most.
static bool gone(struct peer *peer, unsigned *steps)
{
    (void)steps;
    representors_remove(peer->node, peer);
    return true;
}

const struct object_kind representor_kind = {.adopt = adopt, .gone = gone};
