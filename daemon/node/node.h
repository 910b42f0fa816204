// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The node: the entire state of one docad.

#ifndef DAEMON_NODE_H
#define DAEMON_NODE_H

#include "counters.h"
#include "fdstore.h"
#include "function.h"
#include "idmap.h"
#include "kind.h"
#include "limit.h"
#include "list.h"
#include "node_id.h"
#include "object.h"
#include "refusals.h"
#include "state_slots.h"
#include "loop_sched.h"
#include "user.h"

struct chores;
struct config;
struct engine;
struct event;
struct event_base;
struct known_node;
struct listener;
struct tls_endpoint;
struct metrics_socket;
struct process_memory;
struct monitor_log;
struct node_faults;
struct verbs;
struct work_walk;

// Functions of the directories above for those below; NULL in a node without them.
struct node_hooks {
    // Called when the functions or objects that the node serves have changed.
    void (*changed)(struct node *node);
    // Reads the configuration again. Returns false if it stays unchanged.
    bool (*reload)(struct node *node);
    // Stores the node's own record: ids, functions and their representors.
    void (*keep)(struct node *node);
};

// Used while regions are restored: each memory has one extra reference here.
struct restored_memories {
    struct process_memory **list;
    size_t count;
};

struct node {
    struct event_base *base;
    struct config *config;
    const struct node_hooks *hooks;
    const struct object_kind *const *kinds; // NULL-terminated
    uint8_t id[NODE_ID_SIZE];
    char id_text[NODE_ID_TEXT_SIZE];
    struct function functions[FUNCTIONS_MAX];
    size_t n_functions; // number of slots; some functions may have been removed

    struct engine *engine;
    struct verbs *verbs; // ibverbs devices
    struct state_slots slots;
    struct sched *sched;    // of connections and lists; NULL in tests of parts
    struct sched_user work; // the node's own work in pieces, for no user
    struct listener *listener;
    struct list rc_devices;    // through which nodes on other machines are reached
    struct chores *chores;     // these pin memory
    struct chores *connecting; // these connect queue pairs to other machines
    struct tls_endpoint *tls;  // NULL: no links to other machines
    struct metrics_socket *metrics_socket;
    struct work_walk *work_walk; // NULL until metrics are requested
    struct node_faults *faults;  // NULL: the configuration has none
    uint64_t links_down_until;   // clock_ms(), by a fault: until then there are no links
    struct counters counters;
    struct refusals refusals; // of hellos, by node or user

    struct event *helpers; // answers of the helper processes that close descriptors

    uint64_t started_ms;
    uint64_t last_id, last_export_id;
    uint64_t reserved_id, reserved_export_id; // the store reserves ids up to these
    uint8_t run[NODE_RUN_SIZE];
    uint32_t restarts;
    bool keeping; // the kept objects are restored: from now on this node's state is kept
    struct stored stored;
    uint64_t region_bytes;
    uint64_t mapped_bytes, brokered_bytes; // of regions
    uint64_t rdma_bytes;                   // registered with RDMA devices
    struct list ending;        // sessions whose objects end in pieces, see session_end.c
    struct list endings;       // of objects that end in pieces: ending.h
    struct list barrier_waits; // for threads that use imports: activity_page.h
    unsigned barrier_batches;
    struct event *barrier; // at the end of this turn of the loop; NULL: there was none
    uint64_t freed_bytes;  // since memory was returned to the system: trim.h
    struct event *trim;
    unsigned n_programs, n_tools; // sessions of either that are charged and not ending
    unsigned n_sessions, n_publications;
    // Sessions that follow events: all of them, and those of root and of docad's uid.
    struct list monitors, privileged_monitors;
    struct monitor_log *monitor_log; // NULL: no session does

    struct users users;
    struct list pending_connections, sessions, peers;
    struct list peers_ending;             // freed, when all that used their links has ended
    struct objects objects[OBJECT_KINDS]; // by the number of their record
    struct list publications, representors, grace_periods;
    struct idmap sessions_by_id, publications_by_id;
    struct idmap own_publications; // those of this node
    struct tree own_names;         // likewise, by name: publication.c
    struct tree gone_exports;      // with names: ended_names.c
    struct idmap delegated;        // exports of imported memory: delegation.h
    struct list ended_names;       // of linked nodes that have ended
    unsigned names_now;            // names that ended in this turn of the loop: ended_names.c
    struct sched_item names_later; // ends the count
    struct tree publications_by_name, publications_by_export; // publication.c
    struct tree publications_listed;                          // publication_listed.c
    struct tree wanted_names;                                 // lookup.c
    struct tree services_by_place;                            // channel_service.c
    struct tree listeners_by_port;                            // rdma_listener.c

    struct restored_memories restored_memories; // process_memories.h

    struct known_node *known; // nodes that were linked, oldest first: known_nodes.h
    size_t n_known;
};

// Initializes the collections and ids of a node that is all zero except for its configuration.
// Returns false if there are no random numbers.
bool node_init(struct node *node);
// The collections must be empty.
void node_fini(struct node *node);

void node_stop(struct node *node);

// Called when the functions or objects that the node serves have changed: the status will show that
// soon.
void node_changed(struct node *node);

// Called when the functions or their representors have changed.
void node_functions_changed(struct node *node);

// Called when the node has restored everything from the store: from now on the store follows
// this node.
void node_begin_to_keep(struct node *node);

// A new id for a session, region, import or queue pair; never used before.
uint64_t node_next_id(struct node *node);

// A new id for an export.
uint64_t node_next_export_id(struct node *node);

const struct limits *node_limits(const struct node *node);

static inline const struct function *node_function(const struct node *node, uint32_t id)
{
    return function_find(node->functions, node->n_functions, id);
}

// Finds a function for a client's request. Returns DOCA_ERROR_NOT_FOUND with a text if there is
// none, or it has been removed.
doca_error_t node_ask_function(const struct node *node, uint32_t id, const struct function **out,
                               struct errtext *err);

// Returns whether a session has this function of the node open, even if it was removed.
bool node_function_is_open(const struct node *node, const struct function *function);

// Marks the function as removed and ends the objects on it.
void node_function_end(struct node *node, struct function *function, enum slot_state state);

// Replaces the functions by those of the configuration. Functions that were removed keep their
// slots and names.
void node_place_functions(struct node *node, const struct function *old, size_t n_old);

// Returns NULL if there is none.
struct session *node_session(const struct node *node, uint64_t id);

size_t node_count_functions(const struct node *node);

// Returns whether one of the functions is an ibverbs device that is up. Linked nodes are informed
// of nothing else about these devices.
bool node_has_rdma(const struct node *node);

#endif
