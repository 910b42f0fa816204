// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node_life.h"

#include "account.h"
#include "chores.h"
#include "clock.h"
#include "fd_reaper.h"
#include "config.h"
#include "engine.h"
#include "kinds.h"
#include "listener.h"
#include "log.h"
#include "metrics_socket.h"
#include "node.h"
#include "node_faults.h"
#include "peer.h"
#include "peer_life.h"
#include "publication.h"
#include "representor.h"
#include "restart.h"
#include "service.h"
#include "session.h"
#include "session_end.h"
#include "grace_period.h"
#include "tls_endpoint.h"
#include "loop_sched.h"
#include "verbs.h"
#include "pending_connection.h"
#include "work_walk.h"

#include <assert.h>
#include <event2/event.h>
#include <string.h>

static const struct node_hooks hooks = {
    .changed = service_changed, .reload = service_reload, .keep = restart_keep_node};

static void on_accept_remote(void *arg, struct tls_transport *tls)
{
    pending_connection_new_remote(arg, tls);
}

static doca_error_t fill(struct node *node, struct errtext *err)
{
    const struct config *config = node->config;
    const char *role = role_name(config->role);

    if (!node_init(node) || !node_id_make(role, config->name, config->socket, node->id))
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make the node's id");
    int failed = account_load(config->subuids, config->subgids);
    if (failed < 0 && config->policy.n_rules > 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "%s or %s cannot be read (%s), and the policy needs them; make them "
                           "readable, or name others (subuids, subgids)",
                           config->subuids, config->subgids, strerror(-failed));
    if (failed < 0)
        log_warning("%s cannot be read (%s): subordinate uids count as users of their own",
                    config->subuids, strerror(-failed));
    node_id_format(node->id, node->id_text);
    topology_complete(config->functions, config->n_functions, config->role, config->name, node->id,
                      node->functions);
    node->n_functions = config->n_functions;
    node->base = event_base_new();
    if (!node->base)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make the event loop");
    node->sched = sched_new(node->base);
    if (!node->sched)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory or descriptors");
    int r = state_slots_init(&node->slots, fdstore_is_on());
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
    node->config->limits.users = &node->users.list;
    node_faults_begin(node);
    representors_sync(node, NULL);
    if (config->tls.certificate[0]) {
        doca_error_t result = tls_endpoint_new(&node->tls, node->base, node->sched, &config->tls,
                                               on_accept_remote, node, err);
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
    node->hooks = &hooks;
    node->kinds = kinds;
    node->started_ms = clock_ms();
    doca_error_t r = fill(node, err);
    if (r != DOCA_SUCCESS) {
        node_free(node);
        return r;
    }
    *out = node;
    return DOCA_SUCCESS;
}

void node_find_devices(struct node *node)
{
    verbs_scan(node->verbs);
    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        if (!f->gone)
            continue;
        bool removed = f->backing == DOCAD__BACKING__VERBS && !verbs_is_there(f->ibdev);
        node_function_end(node, f, removed ? SLOT_DEVICE_GONE : SLOT_REVOKED);
    }
}

static void on_helpers(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    fd_reaper_work();
}

// Helpers can answer while docad serves; fd_reaper_stop() waits for them itself.
static bool read_helpers(struct node *node)
{
    node->helpers = event_new(node->base, fd_reaper_fd(), EV_READ | EV_PERSIST, on_helpers, NULL);
    return node->helpers && event_add(node->helpers, NULL) == 0;
}

static void on_accept(void *arg, int fd)
{
    pending_connection_new(arg, fd);
}

bool node_run(struct node *node, struct listener *listener)
{
    struct errtext err;

    node->listener = listener;
    if (!read_helpers(node) ||
        !listener_start(listener, node->base, node->sched, on_accept, node)) {
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
    service_ready();
    return event_base_dispatch(node->base) == 0;
}

void node_stop_listening(struct node *node)
{
    node->listener = listener_free(node->listener);
    node->metrics_socket = metrics_socket_free(node->metrics_socket);
}

struct node *node_free(struct node *node)
{
    if (!node)
        return NULL;
    node_stop_listening(node);
    pending_connections_free_all(node);
    sessions_free_all(node);
    node->work_walk = work_walk_free(node->work_walk);
    peers_free_all(node);
    node->tls = tls_endpoint_free(node->tls);
    verbs_free(node->verbs);
    publications_free_all(node);
    representors_remove(node, NULL);
    engine_free(node->engine);
    if (node->helpers)
        event_free(node->helpers);
    fd_reaper_stop();
    chores_free(node->connecting);
    bool done = chores_free(node->chores); // otherwise its thread still uses resources that are
                                           // charged to users
    grace_period_free_all(node);
    assert(list_empty(&node->users.list) || !done);
    (void)done;
    state_slots_fini(&node->slots);
    node->sched = sched_free(node->sched);
    node->faults = node_faults_free(node->faults);
    account_unload();
    struct event_base *base = node->base;
    node_fini(node);
    if (base) {
        // A pending callback holds its link, and event_base_free() would leak both.
        event_base_loop(base, EVLOOP_NONBLOCK);
        event_base_free(base);
    }
    free(node);
    return NULL;
}
