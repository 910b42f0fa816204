// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Representors: the DPU-side proxies of functions of linked hosts and of local SFs.

#ifndef DAEMON_REPRESENTOR_H
#define DAEMON_REPRESENTOR_H

#include "function.h"
#include "list.h"
#include "message.h"

struct node;
struct peer;

struct representor {
    struct list link;
    uint32_t id;
    struct peer *peer;             // NULL: of a local SF
    const struct function *parent; // the DPU function it is listed under
    char name[FUNCTION_NAME_SIZE + 16];
    Docad__FunctionType type;
    char pci[PCI_ADDRESS_TEXT_SIZE];
    char vuid[128];
    uint8_t node_id[NODE_ID_SIZE];
};

// Those of this node's own SFs. False if memory is short.
bool representors_add_local(struct node *node);

// Those of a node that has linked itself; on a DPU only, and of hosts only.
void representors_add_peer(struct node *node, struct peer *peer);

// Those of a link that went down; NULL: the local ones.
void representors_remove(struct node *node, const struct peer *peer);

struct representor *representor_find(const struct node *node, uint32_t id);
void representor_to_message(const struct representor *representor, Docad__Representor *out);

#endif
