// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The node: everything that one docad is.

#ifndef DAEMON_NODE_H
#define DAEMON_NODE_H

#include "config.h"
#include "idmap.h"
#include "list.h"
#include "metrics.h"
#include "node_id.h"
#include "restart.h"
#include "state_slots.h"

struct chores;
struct engine;
struct event_base;
struct listener;
struct tls_door;
struct metrics_socket;
struct verbs;

#define KNOWN_NODES_MAX 64 // besides those that are linked or waited for

// A node that was linked once in this run: what it exported is out of reach, not foreign.
struct known_node {
    uint8_t id[NODE_ID_SIZE];
    char name[NODE_NAME_SIZE];
    bool certified; // a certificate says that this is its name
};

struct node {
    struct event_base *base;
    struct config *config;
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
    struct metrics metrics;

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

    struct known_node *known; // oldest first
    size_t n_known;
};

// Makes the node of a complete configuration, which must outlive it and is changed by a
// reload.
doca_error_t node_new(struct node **out, struct config *config, struct errtext *err);

// Takes `listener` over, dials the peers and serves until node_stop(). False on failure.
bool node_run(struct node *node, struct listener *listener);
void node_stop(struct node *node);

// Everything goes, and no charge may be left. Takes NULL, returns NULL.
struct node *node_free(struct node *node);

// A new id for a session, region, import or queue pair; never used before.
uint64_t node_next_id(struct node *node);

static inline const struct limits *node_limits(const struct node *node)
{
    return &node->config->limits;
}

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

// Once what was kept has been taken up, in which functions of ibverbs devices have their ids:
// looks for the devices. What is on functions that have gone meanwhile ends.
void node_find_devices(struct node *node);

// The functions of the configuration, where there were these.
// Those that have gone keep their places and names.
void node_place_functions(struct node *node, const struct function *old, size_t n_old);

void node_stop_listening(struct node *node);

// NULL if there is none.
struct session *node_session(const struct node *node, uint64_t id);

size_t node_count_functions(const struct node *node);

// Is one of them an ibverbs device that is up? Linked nodes are told no more of these.
bool node_has_rdma(const struct node *node);

// A certified name has one id: this one from now on.
void node_remember(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name,
                   bool certified);

// NULL if the node was never linked.
const struct known_node *node_known(const struct node *node, const uint8_t id[NODE_ID_SIZE]);

#endif
