// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The node: everything that one docad is.

#ifndef DAEMON_NODE_H
#define DAEMON_NODE_H

#include "counters.h"
#include "function.h"
#include "idmap.h"
#include "keep.h"
#include "kind.h"
#include "limit.h"
#include "list.h"
#include "node_id.h"
#include "state_slots.h"

struct chores;
struct config;
struct engine;
struct event_base;
struct known_node;
struct listener;
struct tls_door;
struct metrics_socket;
struct verbs;

// What the rooms above do for those below; NULL in a node without them.
struct node_hooks {
    // What the node serves has changed.
    void (*changed)(struct node *node);
    // Reads the configuration again. False if it stays as it was.
    bool (*reload)(struct node *node);
    // Puts the node's own record: ids, functions and their representors.
    void (*keep)(struct node *node);
};

struct node {
    struct event_base *base;
    struct config *config;
    const struct node_hooks *hooks;
    const struct object_kind *const *kinds; // the last one is followed by NULL
    uint8_t id[NODE_ID_SIZE];
    char id_text[NODE_ID_TEXT_SIZE];
    struct function functions[FUNCTIONS_MAX];
    size_t n_functions; // places; some may have gone

    struct engine *engine;
    struct verbs *verbs; // ibverbs devices
    struct state_slots slots;
    struct listener *listener;
    struct list rc_devices;    // by which other machines' nodes are reached
    struct chores *chores;     // pinning memory
    struct chores *connecting; // queue pairs to other machines
    struct tls_door *tls;      // NULL: no links to other machines
    struct metrics_socket *metrics_socket;
    struct counters counters;

    uint64_t started_ms;
    uint64_t last_id, last_export_id;
    uint64_t reserved_id, reserved_export_id; // up to these the store knows of them
    uint8_t run[NODE_RUN_SIZE];
    uint32_t restarts;
    bool keeping; // what was kept has been taken up: from now on this node's own state is
    struct kept kept;
    uint64_t region_bytes;
    unsigned n_sessions, n_publications, n_monitors;

    struct list users, visitors, sessions, peers;
    struct list regions, exports, imports, qpairs; // in the order of their ids
    struct list rdma_endpoints;
    struct list services, channels; // in the order of their ids
    struct idmap services_by_id, channels_by_id;
    struct list publications, lookups, representors, settlements;
    struct idmap regions_by_id, exports_by_id, imports_by_id, qpairs_by_id, grants_by_id,
        rdma_by_id;

    struct known_node *known; // nodes that were linked, oldest first: known_nodes.h
    size_t n_known;
};

// The collections and ids of a node that is all zero but for its configuration. False
// without random numbers.
bool node_init(struct node *node);
// All that was in them must have gone.
void node_fini(struct node *node);

void node_stop(struct node *node);

// What the node serves has changed: the status will say so, soon.
void node_changed(struct node *node);

// The functions that there are, or their representors, have changed.
void node_functions_changed(struct node *node);

// From now on the store knows of this node, which has taken up what was there.
void node_begin_to_keep(struct node *node);

// A new id for a session, region, import or queue pair; never used before.
uint64_t node_next_id(struct node *node);

// Likewise for an export.
uint64_t node_next_export_id(struct node *node);

const struct limits *node_limits(const struct node *node);

static inline const struct function *node_function(const struct node *node, uint32_t id)
{
    return function_find(node->functions, node->n_functions, id);
}

// The same for who asks for it: DOCA_ERROR_NOT_FOUND, and whether there was one.
doca_error_t node_ask_function(const struct node *node, uint32_t id, const struct function **out,
                               struct errtext *err);

// Has a session this function of the node open, also if it has gone?
bool node_function_is_open(const struct node *node, const struct function *function);

// Marks it as gone, and ends what is on it.
void node_function_end(struct node *node, struct function *function, enum slot_state state);

// The functions of the configuration, where there were these.
// Those that have gone keep their places and names.
void node_place_functions(struct node *node, const struct function *old, size_t n_old);

// NULL if there is none.
struct session *node_session(const struct node *node, uint64_t id);

size_t node_count_functions(const struct node *node);

// Is one of them an ibverbs device that is up? Linked nodes are told no more of these.
bool node_has_rdma(const struct node *node);

#endif
