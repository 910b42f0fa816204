// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "reload.h"

#include "account.h"
#include "config_changes.h"
#include "config_check.h"
#include "connection.h"
#include "log.h"
#include "node.h"
#include "node_faults.h"
#include "peer_life.h"
#include "rc_device.h"
#include "region.h"
#include "representor.h"
#include "tls_endpoint.h"
#include "tls_transport.h"
#include "verbs.h"

#include <string.h>

// ---- unchanged parts -----------------------------------------------------------------------

static void log_stays(bool differs, const char *what)
{
    if (differs)
        log_event(
            LOG_EVENT_CONFIG_STAYS, LOG_LEVEL_WARNING, NULL,
            "configuration: %s cannot change while docad runs and stays unchanged; restart docad",
            what);
}

static bool engines_differ(const struct engine_options *a, const struct engine_options *b)
{
    return a->threads != b->threads || a->pinned != b->pinned || a->spin_ns != b->spin_ns ||
           a->copies_over != b->copies_over || (a->pinned && !CPU_EQUAL(&a->cpus, &b->cpus));
}

// These settings stay: where docad listens, and whether there are links to other machines at all.
static bool tls_stays(const struct tls_settings *now, const struct tls_settings *next)
{
    return !now->certificate[0] != !next->certificate[0] || strcmp(now->listen, next->listen) != 0;
}

static void keep_what_stays(const struct config *now, struct config *next)
{
    log_stays(now->role != next->role, "role");
    log_stays(strcmp(now->name, next->name) != 0, "name");
    log_stays(strcmp(now->socket, next->socket) != 0, "socket");
    log_stays(now->socket_mode != next->socket_mode, "socket_mode");
    log_stays(now->metrics_none != next->metrics_none ||
                  strcmp(now->metrics_socket, next->metrics_socket) != 0,
              "metrics_socket");
    log_stays(engines_differ(&now->engine, &next->engine), "the engine section");
    log_stays(tls_stays(&now->tls, &next->tls), "listen or the absence of the tls section");
    if (tls_stays(&now->tls, &next->tls))
        next->tls = now->tls;
    next->role = now->role;
    copy_text(next->name, now->name);
    copy_text(next->socket, now->socket);
    next->socket_mode = now->socket_mode;
    copy_text(next->metrics_socket, now->metrics_socket);
    next->metrics_none = now->metrics_none;
    next->engine = now->engine;
    next->limits.users = now->limits.users;
}

// ---- functions ------------------------------------------------------------------------

static void on_removed(struct node *node, struct function *f)
{
    log_info("function %s is gone", f->name);
    node_function_end(node, f, SLOT_REVOKED);
}

// Returns true if anything changed.
static bool take_functions(struct node *node)
{
    struct function next[FUNCTIONS_MAX];
    const struct config *config = node->config;
    bool changed = false;
    size_t n = topology_place(config->functions, config->n_functions, node->functions,
                              node->n_functions, next, config->role, config->name, node->id);

    for (size_t i = 0; i < node->n_functions; i++) {
        struct function *f = &node->functions[i];
        bool verbs = f->backing == DOCAD__BACKING__VERBS; // see verbs_reload()
        bool taken = i < n && !next[i].gone;
        // A function of an ibverbs device gives up its slot only to another function with its name.
        if (!f->gone && taken == verbs) {
            on_removed(node, f);
            changed = true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct function *f = &node->functions[i];
        if (i >= node->n_functions)
            *f = (struct function){.id = (uint32_t)i + 1, .gone = true};
        if (next[i].gone || (!f->gone && function_same(f, &next[i])))
            continue;
        log_info("function %s %s", next[i].name, !f->gone ? "has changed" : "is new");
        *f = next[i];
        changed = true;
    }
    node->n_functions = n > node->n_functions ? n : node->n_functions;
    // Functions that no session has open are removed, and their slots are free.
    for (size_t i = 0; i < node->n_functions; i++)
        if (node->functions[i].gone && !node_function_is_open(node, &node->functions[i]))
            node->functions[i].name[0] = '\0';
    return changed;
}

// ---- peers ----------------------------------------------------------------------------

static const struct config_peer *find_peer(const struct config *config,
                                           const struct config_peer *like)
{
    for (size_t i = 0; i < config->n_peers; i++)
        if (strcmp(config->peers[i].socket, like->socket) == 0 &&
            strcmp(config->peers[i].address, like->address) == 0 &&
            (!like->address[0] || strcmp(config->peers[i].name, like->name) == 0) &&
            config->peers[i].no_descriptors == like->no_descriptors)
            return &config->peers[i];
    return NULL;
}

static void drop_removed_peers(struct node *node, const struct config *config)
{
    struct peer *peer, *next;
    list_for_each_safe (peer, next, &node->peers, in_node) {
        if (!peer->config || find_peer(config, peer->config))
            continue;
        log_info("peer %s is not dialled any more", config_peer_where(peer->config));
        peer_free(peer);
    }
}

static void take_peers(struct node *node)
{
    const struct config *config = node->config;
    bool known[CONFIG_PEERS_MAX] = {false};
    struct peer *peer;
    struct errtext err;

    list_for_each (peer, &node->peers, in_node) {
        if (peer->config)
            known[peer->config - config->peers] = true;
    }
    for (size_t i = 0; i < config->n_peers; i++)
        if (!known[i] && peer_new_dialled(node, &config->peers[i], &err) != DOCA_SUCCESS)
            log_error("peer %s: %s", config_peer_where(&config->peers[i]), err.s);
}

// The records of dialled peers point into the configuration, which is about to change.
static void move_peers(struct node *node, const struct config *next)
{
    struct peer *peer;
    list_for_each (peer, &node->peers, in_node) {
        if (peer->config)
            peer->config = &node->config->peers[find_peer(next, peer->config) - next->peers];
    }
}

// The network may have been repaired, which may be the reason for the reload.
static void try_devices_again(struct node *node)
{
    struct peer *peer;
    list_for_each (peer, &node->peers, in_node)
        rc_device_reset_reach(peer);
}

static void end_revoked(struct node *node)
{
    struct peer *peer, *next;
    list_for_each_safe (peer, next, &node->peers, in_node) {
        if (!peer_is_remote(peer) || !tls_transport_is_revoked(connection_remote(peer->connection)))
            continue;
        log_event(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, LOG_ABOUT(.peer = peer->name),
                  "the certificate of node %s has been revoked: its link ends, together with the "
                  "objects that use it",
                  peer->name);
        peer_end_now(peer, "its certificate has been revoked");
    }
}

// Existing links stay, except for revoked ones; new ones use the new certificate.
static void take_certificates(struct node *node)
{
    struct errtext err;
    if (!node->tls)
        return;
    if (tls_endpoint_reload(node->tls, &node->config->tls, &err) == DOCA_SUCCESS)
        end_revoked(node);
    else
        log_error("%s; the certificates are unchanged", err.s);
}

// Sessions that exist stay on the accounts that they are on. Returns false if the policy needs
// accounts and docad has none: it does not start with such a configuration either.
static bool take_accounts(const struct config *config)
{
    int r = account_load(config->subuids, config->subgids);
    if (r == 0)
        return true;
    if (config->policy.n_rules > 0 && !account_is_loaded()) {
        log_error(
            "the configuration is unchanged: %s or %s cannot be read (%s), and the new policy "
            "needs them; make them readable, or name others (subuids, subgids)",
            config->subuids, config->subgids, strerror(-r));
        return false;
    }
    log_warning("%s or %s cannot be read (%s): subordinate uids stay as they were", config->subuids,
                config->subgids, strerror(-r));
    return true;
}

// ---- reports -----------------------------------------------------------------

#define CHANGES_MAX 24 // docactl shows them

static void log_change(void *arg, const char *text)
{
    unsigned *n = arg;
    if ((*n)++ < CHANGES_MAX)
        log_info("configuration: %s", text);
}

static void log_changes(const struct config *was, const struct config *is)
{
    unsigned n = 0;

    config_changes(was, is, log_change, &n);
    if (n > CHANGES_MAX)
        log_info("configuration: %u more options differ", n - CHANGES_MAX);
    if (n == 0)
        log_info("configuration: no option has changed");
}

void config_warn(void *config, int line, const char *text)
{
    log_warning("%s:%d: %s", ((const struct config *)config)->path, line, text);
}

// ---- reload ------------------------------------------------------------------------

bool reload(struct node *node, const struct config *config)
{
    struct config *own = node->config;
    struct config next = *config;
    bool faults = strcmp(own->faults, next.faults) != 0;

    if (!take_accounts(&next))
        return false;
    keep_what_stays(own, &next);
    drop_removed_peers(node, &next);
    move_peers(node, &next);
    log_changes(own, &next);
    *own = next;
    log_init(own->log_level);
    config_check_policy(own, config_warn, own);
    if (faults)
        node_faults_begin(node);
    take_certificates(node);
    take_peers(node);
    if (take_functions(node)) {
        representors_update(node);
        node_functions_changed(node);
        peers_announce_functions(node);
    }
    verbs_reload(node->verbs);
    try_devices_again(node);
    node_changed(node);
    return true;
}
