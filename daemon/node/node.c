// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node.h"

#include "chores.h"
#include "clock.h"
#include "closer.h"
#include "engine.h"
#include "export.h"
#include "listener.h"
#include "log.h"
#include "metrics_socket.h"
#include "peer.h"
#include "publication.h"
#include "rdma_endpoint.h"
#include "representor.h"
#include "session.h"
#include "settlement.h"
#include "tls_door.h"
#include "verbs.h"
#include "visitor.h"

#include <assert.h>
#include <event2/event.h>
#include <openssl/rand.h>
#include <string.h>

uint64_t node_next_id(struct node *node)
{
    restart_reserve_ids(node);
    node->last_id++;
    assert(node->last_id < 1ull << 48);
    return node->last_id;
}

struct session *node_session(const struct node *node, uint64_t id)
{
    struct session *session;
    list_for_each (session, &node->sessions, link) {
        if (session->id == id)
            return session;
    }
    return NULL;
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
        strcpy(f->name, old[i].name);
        strcpy(f->ibdev, old[i].ibdev);
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
    list_for_each (session, &node->sessions, link) {
        if (session->open[f - node->functions])
            return true;
    }
    return false;
}

static void end_exports(struct node *node, const struct function *f, enum slot_state state)
{
    struct export *export, *next;
    list_for_each_safe (export, next, &node->exports, link) {
        if (export->function == f)
            export_end(export, state, NULL);
    }
}

void node_function_end(struct node *node, struct function *f, enum slot_state state)
{
    f->gone = true;
    // Who sees memory go finds the connection gone already, and takes that for the reason.
    rdma_function_gone(node, f, state);
    end_exports(node, f, state);
    function_drop_gids(f);
}

void node_find_devices(struct node *node)
{
    verbs_look(node->verbs);
    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (!f->gone)
            continue;
        bool removed = f->backing == DOCAD__BACKING__VERBS && !verbs_is_there(f->ibdev);
        node_function_end(node, f, removed ? SLOT_DEVICE_GONE : SLOT_REVOKED);
    }
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

// ---- nodes that were linked -----------------------------------------------------------------

static struct known_node *find_known(const struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    for (size_t i = 0; i < node->n_known; i++)
        if (memcmp(node->known[i].id, id, NODE_ID_SIZE) == 0)
            return &node->known[i];
    return NULL;
}

static void remove_known(struct node *node, size_t i)
{
    node->n_known--;
    memmove(&node->known[i], &node->known[i + 1], (node->n_known - i) * sizeof(*node->known));
}

static void remove_namesakes(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name)
{
    for (size_t i = node->n_known; i-- > 0;) {
        const struct known_node *known = &node->known[i];
        if (known->certified && strcmp(known->name, name) == 0 &&
            memcmp(known->id, id, NODE_ID_SIZE) != 0)
            remove_known(node, i);
    }
}

// Whoever is linked or waited for stays: nobody else may come with its id.
static struct known_node *add_known(struct node *node)
{
    size_t i = 0;
    while (node->n_known >= KNOWN_NODES_MAX && i < node->n_known &&
           peer_find(node, node->known[i].id))
        i++;
    if (node->n_known >= KNOWN_NODES_MAX && i < node->n_known)
        remove_known(node, i);
    struct known_node *more = reallocarray(node->known, node->n_known + 1, sizeof(*node->known));
    if (!more)
        return NULL;
    node->known = more;
    return &node->known[node->n_known++];
}

void node_remember(struct node *node, const uint8_t id[NODE_ID_SIZE], const char *name,
                   bool certified)
{
    if (certified)
        remove_namesakes(node, id, name);
    struct known_node *known = find_known(node, id);
    if (!known)
        known = add_known(node);
    if (!known)
        return; // out of memory: it is known while it is linked
    memcpy(known->id, id, NODE_ID_SIZE);
    snprintf(known->name, sizeof(known->name), "%s", name);
    known->certified = certified;
}

const struct known_node *node_known(const struct node *node, const uint8_t id[NODE_ID_SIZE])
{
    return find_known(node, id);
}

// ---- life -----------------------------------------------------------------------------------

static void init_collections(struct node *node)
{
    struct list *const lists[] = {
        &node->users,          &node->visitors, &node->sessions,     &node->peers,
        &node->regions,        &node->exports,  &node->imports,      &node->qpairs,
        &node->publications,   &node->lookups,  &node->representors, &node->settlements,
        &node->rdma_endpoints, &node->services, &node->channels,     &node->rc_devices};
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        list_init(lists[i]);
    idmap_init(&node->regions_by_id);
    idmap_init(&node->exports_by_id);
    idmap_init(&node->imports_by_id);
    idmap_init(&node->qpairs_by_id);
    idmap_init(&node->grants_by_id);
    idmap_init(&node->rdma_by_id);
    idmap_init(&node->services_by_id);
    idmap_init(&node->channels_by_id);
}

// Export ids of an earlier run must not be those of this one.
static bool draw_export_id(struct node *node)
{
    uint64_t start;
    if (RAND_bytes((uint8_t *)&start, sizeof(start)) != 1)
        return false;
    node->last_export_id = start >> 1; // room to count for ever
    return true;
}

static void on_accept_remote(void *arg, struct tls_transport *tls)
{
    visitor_new_remote(arg, tls);
}

static doca_error_t fill(struct node *node, struct errtext *err)
{
    const struct config *config = node->config;
    const char *role = role_name(config->role);

    if (!node_id_make(role, config->name, config->socket, node->id) || !draw_export_id(node) ||
        RAND_bytes(node->run, NODE_RUN_SIZE) != 1)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make the node's id");
    node_id_format(node->id, node->id_text);
    topology_complete(config->functions, config->n_functions, config->role, config->name, node->id,
                      node->functions);
    node->n_functions = config->n_functions;
    node->base = event_base_new();
    if (!node->base)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make the event loop");
    int r = state_slots_init(&node->slots, keep_is_on());
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make the state table: %s",
                           strerror(-r));
    r = engine_new(&node->engine, node->base, &config->engine);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot start the engine: %s%s",
                           strerror(-r),
                           r == -EINVAL && config->engine.pinned
                               ? " (docad may not run on each of the CPUs in its engine section)"
                               : "");
    node->chores = chores_new(node->base, "docad-chores");
    node->connecting = chores_new(node->base, "docad-connect");
    if (!node->chores || !node->connecting)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "docad is out of memory");
    representors_sync(node, NULL);
    if (config->tls.certificate[0]) {
        doca_error_t result =
            tls_door_new(&node->tls, node->base, &config->tls, on_accept_remote, node, err);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return verbs_new(&node->verbs, node, err);
}

doca_error_t node_new(struct node **out, struct config *config, struct errtext *err)
{
    struct node *node = calloc(1, sizeof(*node));
    if (!node)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    node->config = config;
    node->started_ms = clock_ms();
    init_collections(node);
    doca_error_t r = fill(node, err);
    if (r != DOCA_SUCCESS) {
        node_free(node);
        return r;
    }
    *out = node;
    return DOCA_SUCCESS;
}

static void on_accept(void *arg, int fd)
{
    visitor_new(arg, fd);
}

bool node_run(struct node *node, struct listener *listener)
{
    struct errtext err;

    node->listener = listener;
    if (!listener_start(listener, node->base, on_accept, node)) {
        log_error("cannot wait for connections: out of memory");
        return false;
    }
    for (size_t i = 0; i < node->config->n_peers; i++) {
        if (peer_new_dialled(node, &node->config->peers[i], &err) != DOCA_SUCCESS) {
            log_error("peer %s: %s", config_peer_where(&node->config->peers[i]), err.s);
            return false;
        }
    }
    node->metrics_socket = metrics_socket_new(node);
    return event_base_dispatch(node->base) == 0;
}

void node_stop_listening(struct node *node)
{
    node->listener = listener_free(node->listener);
    node->metrics_socket = metrics_socket_free(node->metrics_socket);
}

void node_stop(struct node *node)
{
    event_base_loopbreak(node->base);
}

struct node *node_free(struct node *node)
{
    if (!node)
        return NULL;
    node->metrics_socket = metrics_socket_free(node->metrics_socket);
    node->listener = listener_free(node->listener);
    visitors_free_all(node);
    while (!list_empty(&node->sessions))
        session_free(list_entry(node->sessions.next, struct session, link));
    while (!list_empty(&node->peers))
        peer_free(list_entry(node->peers.next, struct peer, link));
    node->tls = tls_door_free(node->tls);
    verbs_free(node->verbs);
    publications_free_all(node);
    representors_remove(node, NULL);
    engine_free(node->engine);
    closer_stop();
    chores_free(node->connecting);
    bool done = chores_free(node->chores); // else its thread still has what is charged to users
    settlement_free_all(node);
    // Whatever is left now was lost track of.
    assert(list_empty(&node->regions) && list_empty(&node->exports) && list_empty(&node->imports));
    assert(list_empty(&node->qpairs) && list_empty(&node->lookups));
    assert(list_empty(&node->users) || !done);
    (void)done;
    assert(list_empty(&node->representors) && node->n_sessions == 0 && node->region_bytes == 0);
    assert(list_empty(&node->services) && list_empty(&node->channels));
    idmap_fini(&node->regions_by_id);
    idmap_fini(&node->exports_by_id);
    idmap_fini(&node->imports_by_id);
    idmap_fini(&node->qpairs_by_id);
    idmap_fini(&node->grants_by_id);
    idmap_fini(&node->rdma_by_id);
    idmap_fini(&node->services_by_id);
    idmap_fini(&node->channels_by_id);
    state_slots_fini(&node->slots);
    for (size_t i = 0; i < node->n_functions; i++)
        function_drop_gids(&node->functions[i]);
    free(node->known);
    if (node->base) {
        // A callback that waits for its turn holds its link; event_base_free() forgets both.
        event_base_loop(node->base, EVLOOP_NONBLOCK);
        event_base_free(node->base);
    }
    free(node);
    return NULL;
}
