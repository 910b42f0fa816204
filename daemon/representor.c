// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "representor.h"

#include "log.h"
#include "node.h"
#include "peer.h"

#include <string.h>

static const struct function *parent_of(const struct node *node, uint32_t port)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->type == DOCAD__FUNCTION_TYPE__PF && f->port == port && f->can_list_reps)
            return f;
    }
    return NULL;
}

// A function on a port that no PF here has is out of this DPU's sight.
static struct representor *add(struct node *node, const struct function *of,
                               const uint8_t node_id[NODE_ID_SIZE], struct peer *peer)
{
    const struct function *parent = parent_of(node, of->port);
    struct representor *r = parent ? calloc(1, sizeof(*r)) : NULL;
    if (!r)
        return NULL;
    r->id = (uint32_t)node_next_id(node);
    r->peer = peer;
    r->parent = parent;
    r->type = of->type;
    strcpy(r->pci, of->pci);
    strcpy(r->vuid, of->vuid);
    memcpy(r->node_id, node_id, NODE_ID_SIZE);
    list_append(&node->representors, &r->link);
    return r;
}

bool representors_add_local(struct node *node)
{
    unsigned sfs[FUNCTION_PORT_MAX + 1] = {0};
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->type != DOCAD__FUNCTION_TYPE__SF || !parent_of(node, f->port))
            continue;
        struct representor *r = add(node, f, node->id, NULL);
        if (!r)
            return false;
        snprintf(r->name, sizeof(r->name), "pf%usf%u", f->port, sfs[f->port]++);
    }
    return true;
}

void representors_add_peer(struct node *node, struct peer *peer)
{
    if (node->config->role != ROLE_DPU || peer->role != ROLE_HOST)
        return;
    for (size_t i = 0; i < peer->n_functions; i++) {
        const struct function *f = &peer->functions[i];
        struct representor *r = add(node, f, peer->id_there, peer);
        if (r)
            snprintf(r->name, sizeof(r->name), "h%s", f->name);
        else if (!parent_of(node, f->port))
            log_info("function %s of node %s has no representor: no PF here has port %u", f->name,
                     peer->name, f->port);
        else
            log_warning("function %s of node %s has no representor: out of memory", f->name,
                        peer->name);
    }
}

void representors_remove(struct node *node, const struct peer *peer)
{
    struct representor *r, *next;
    list_for_each_safe (r, next, &node->representors, link) {
        if (r->peer == peer) {
            list_remove(&r->link);
            free(r);
        }
    }
}

struct representor *representor_find(const struct node *node, uint32_t id)
{
    struct representor *r;
    list_for_each (r, &node->representors, link) {
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
