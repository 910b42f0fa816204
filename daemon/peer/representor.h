// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Representors: the DPU-side proxies of functions of linked hosts and of local SFs.

#ifndef DAEMON_REPRESENTOR_H
#define DAEMON_REPRESENTOR_H

#include "function.h"
#include "list.h"
#include "message.h"

#include <record.pb-c.h>

struct node;
struct peer;

struct representor {
    struct list in_node;
    uint32_t id;
    struct peer *peer;             // NULL: it represents a local SF
    const struct function *parent; // the DPU function it is listed under
    char name[FUNCTION_NAME_SIZE + 16];
    Docad__FunctionType type;
    char pci[PCI_ADDRESS_TEXT_SIZE];
    char vuid[128];
    bool stale; // used while the functions are scanned
    uint8_t node_id[NODE_ID_SIZE];
};

// Updates the representors to match the existing functions: the peer's, if it is a host and this
// node is a DPU; NULL: this node's own SFs. A representor whose function still exists keeps its
// id.
void representors_sync(struct node *node, struct peer *peer);

// Fills the arrays with the representors' ids and VUIDs and returns their number. The names
// point into the representors.
size_t representors_to_names(const struct node *node, const struct peer *peer,
                             Docad__NameRecord names[FUNCTIONS_MAX],
                             Docad__NameRecord *list[FUNCTIONS_MAX]);

// Makes the representors, with these ids.
void representors_restore(struct node *node, struct peer *peer, Docad__NameRecord *const *names,
                          size_t n);

// Updates all representors after this node's functions have changed.
void representors_update(struct node *node);

// Removes the representors of a link that went down; NULL: the local ones.
void representors_remove(struct node *node, const struct peer *peer);

extern const struct object_kind representor_kind;

struct representor *representor_find(const struct node *node, uint32_t id);
void representor_to_message(const struct representor *representor, Docad__Representor *out);

#endif
