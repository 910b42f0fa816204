// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node.h"

#include "activity_page.h"
#include "cleanup.h"
#include "config.h"
#include "random_bytes.h"
#include "session.h"
#include "trim.h"

#include <assert.h>
#include <event2/event.h>
#include <string.h>

#define IDS_RESERVED 4096 // ids reserved at a time

// ---- functions of other rooms ----------------------------------------------------------

void node_changed(struct node *node)
{
    if (node->hooks)
        node->hooks->changed(node);
}

void node_functions_changed(struct node *node)
{
    if (node->keeping)
        node->hooks->keep(node);
}

// ---- ids ------------------------------------------------------------------------------

// Called before ids are allocated: ids that are not reserved in the store would be used again.
static void reserve_ids(struct node *node)
{
    if (!node->keeping ||
        (node->last_id < node->reserved_id && node->last_export_id < node->reserved_export_id))
        return;
    node->reserved_id = node->last_id + IDS_RESERVED;
    node->reserved_export_id = node->last_export_id + IDS_RESERVED;
    node->hooks->keep(node);
}

void node_begin_to_keep(struct node *node)
{
    node->keeping = true;
    node->reserved_id = node->last_id;
    node->reserved_export_id = node->last_export_id;
    reserve_ids(node);
}

uint64_t node_next_id(struct node *node)
{
    reserve_ids(node);
    node->last_id++;
    assert(node->last_id < 1ull << 48);
    return node->last_id;
}

uint64_t node_next_export_id(struct node *node)
{
    reserve_ids(node);
    return ++node->last_export_id;
}

// ---- functions and sessions
// ----------------------------------------------------------------------

const struct limits *node_limits(const struct node *node)
{
    return &node->config->limits;
}

struct session *node_session(const struct node *node, uint64_t id)
{
    return idmap_get(&node->sessions_by_id, id, struct session, by_id);
}

void node_place_functions(struct node *node, const struct function *old, size_t n_old)
{
    const struct config *config = node->config;
    struct function next[FUNCTIONS_MAX];
    size_t n = topology_place(config->functions, config->n_functions, old, n_old, next,
                              config->role, config->name, node->id);
    for (size_t i = 0; i < n; i++) {
        struct function *f = &node->functions[i];
        *f = next[i];
        if (i >= n_old || next[i].name[0])
            continue;
        copy_text(f->name, old[i].name);
        copy_text(f->ibdev, old[i].ibdev);
        f->backing = old[i].backing;
    }
    for (size_t i = n; i < n_old; i++) {
        node->functions[i] = old[i];
        node->functions[i].id = (uint32_t)i + 1;
        node->functions[i].gone = true;
    }
    node->n_functions = n > n_old ? n : n_old;
}

doca_error_t node_ask_function(const struct node *node, uint32_t id, const struct function **out,
                               struct errtext *err)
{
    *out = node_function(node, id);
    if (*out)
        return DOCA_SUCCESS;
    if (id > 0 && id <= node->n_functions && node->functions[id - 1].name[0])
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "function %s of node %s is not there any more: its device was removed, "
                           "or the configuration does not offer it",
                           node->functions[id - 1].name, node->config->name);
    return errtext_set(err, DOCA_ERROR_NOT_FOUND, "function %u: node %s has none with this id", id,
                       node->config->name);
}

bool node_function_is_open(const struct node *node, const struct function *f)
{
    const struct session *session;
    list_for_each (session, &node->sessions, in_node) {
        if (session->open[f - node->functions])
            return true;
    }
    return false;
}

void node_function_end(struct node *node, struct function *f, enum slot_state state)
{
    f->gone = true;
    KINDS_CALL(node, function_gone, node, f, state);
    function_drop_gids(f);
}

size_t node_count_functions(const struct node *node)
{
    size_t count = 0;
    for (size_t i = 0; i < node->n_functions; i++)
        count += !node->functions[i].gone;
    return count;
}

bool node_has_rdma(const struct node *node)
{
    for (size_t i = 0; i < node->n_functions; i++) {
        const struct function *f = &node->functions[i];
        if (f->backing == DOCAD__BACKING__VERBS && !f->gone && f->verbs.active)
            return true;
    }
    return false;
}

// ---- lifetime -------------------------------------------------------------------------

static void init_collections(struct node *node)
{
    struct list *const lists[] = {
        &node->ending,       &node->users.list,   &node->pending_connections,
        &node->sessions,     &node->peers,        &node->peers_ending,
        &node->publications, &node->representors, &node->grace_periods,
        &node->rc_devices,   &node->monitors,     &node->privileged_monitors,
        &node->endings,      &node->barrier_waits};
    for (size_t i = 0; i < OBJECT_KINDS; i++) {
        list_init(&node->objects[i].list);
        idmap_init(&node->objects[i].by_id);
    }
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        list_init(lists[i]);
    sched_user_init(&node->work, NULL);
    node->work.is_internal = true;
    list_init(&node->ended_names);
    idmap_init(&node->sessions_by_id);
    idmap_init(&node->publications_by_id);
    idmap_init(&node->own_publications);
    idmap_init(&node->delegated);
}

// Export ids of an earlier run must not recur in this one.
static bool draw_export_id(struct node *node)
{
    uint64_t start;
    if (!random_bytes(&start, sizeof(start)))
        return false;
    node->last_export_id = start >> 1; // room to count forever
    return true;
}

bool node_init(struct node *node)
{
    init_collections(node);
    return draw_export_id(node) && random_bytes(node->run, NODE_RUN_SIZE);
}

void node_fini(struct node *node)
{
    trim_end(node);
    activity_batches_end(node);
    // Anything left now was leaked by its owner.
    for (size_t i = 0; i < OBJECT_KINDS; i++)
        idmap_fini(&node->objects[i].by_id); // asserts that it is empty
    idmap_fini(&node->sessions_by_id);
    idmap_fini(&node->publications_by_id);
    idmap_fini(&node->own_publications);
    idmap_fini(&node->delegated);
    assert(!node->wanted_names.root && !node->gone_exports.root);
    assert(list_empty(&node->endings) && list_empty(&node->peers_ending));
    assert(list_empty(&node->representors) && node->n_sessions == 0 && node->region_bytes == 0);
    for (size_t i = 0; i < node->n_functions; i++)
        function_drop_gids(&node->functions[i]);
    free(node->known);
}

void node_stop(struct node *node)
{
    event_base_loopbreak(node->base);
}
