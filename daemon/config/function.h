// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A function: a device of this node, or of a linked one as that node describes it.

#ifndef DAEMON_FUNCTION_H
#define DAEMON_FUNCTION_H

#include "card.h"
#include "copy_text.h"
#include "errtext.h"
#include "pci_address.h"
#include "verbs_device.h"

#include <docad.pb-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_MAX      64 // functions of one node: a list of them fits into one message
#define FUNCTION_NAME_SIZE 32
#define FUNCTION_PORT_MAX  63

// The part of a function that comes from the port of an ibverbs device.
struct function_verbs {
    uint8_t port;
    bool active, ethernet, atomics;
    uint32_t lid, mtu, max_message, max_queue, max_list, gid_table;
    struct verbs_gid *gids; // allocated; the function owns them: see function_drop_gids()
    size_t n_gids;
    size_t gids_left_out, reported_left_out; // GIDs that did not fit
    uint32_t timeout, retries, rnr_retries, rnr_timer;
    uint8_t address[VERBS_GID_SIZE]; // the address whose GID connections use
    size_t address_size;             // 0: use the best GID
};

struct function {
    uint32_t id;
    char name[FUNCTION_NAME_SIZE];
    Docad__FunctionType type;
    char pci[PCI_ADDRESS_TEXT_SIZE];
    uint32_t port;
    char vuid[128];
    char iface[64];
    char ibdev[64];
    char card[CARD_NAME_SIZE]; // that it imitates; empty: the node's. Of this node's functions
    uint8_t mac[6];
    bool has_ipv4, has_ipv6;
    uint8_t ipv4[4], ipv6[16];
    Docad__Backing backing;
    bool can_export_dpu, can_import_dpu, can_dma, can_list_reps;
    // Only for this node's functions: it is no longer in the configuration, or its ibverbs device
    // was removed. Its slot is kept.
    bool gone;
    struct function_verbs verbs;
};

// "PF", "VF", "SF".
const char *function_type_name(Docad__FunctionType type);

// The message points into the function.
void function_to_message(const struct function *function, Docad__Function *out);

// Would both give the same message?
bool function_same(const struct function *a, const struct function *b);

// Reads a function that another node sent. DOCA_ERROR_INVALID_VALUE if a field is not valid.
doca_error_t function_from_message(const Docad__Function *message, struct function *out,
                                   struct errtext *err);

// Reads all functions of a node; their ids must differ.
doca_error_t functions_from_messages(Docad__Function *const *messages, size_t n,
                                     struct function out[FUNCTIONS_MAX], struct errtext *err);

void function_drop_gids(struct function *function);

#define FUNCTION_GIDS_MAX                                                                          \
    1024 // for all functions of a node together, so that they fit into one
         // message

// Returns how many GIDs of each function fit into a message.
size_t functions_gids_max(const struct function *functions, size_t n);

struct function_messages {
    Docad__Function items[FUNCTIONS_MAX];
    Docad__Function *list[FUNCTIONS_MAX];
    Docad__FunctionVerbs verbs[FUNCTIONS_MAX];
    Docad__VerbsGid gids[FUNCTION_GIDS_MAX];
    Docad__VerbsGid *gid_list[FUNCTION_GIDS_MAX];
    size_t n_gids;
};

// Makes messages of the functions that exist: of all, or of those for other nodes, without ibverbs
// devices. Returns their number.
size_t functions_to_messages(const struct function *functions, size_t n, bool all,
                             struct function_messages *out);

// Returns NULL if there is none, or it was removed.
const struct function *function_find(const struct function *functions, size_t n, uint32_t id);

#endif
