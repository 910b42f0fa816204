// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration file.

#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include "engine.h"
#include "limit.h"
#include "log.h"
#include "node_id.h"
#include "policy.h"
#include "socket_path.h"
#include "tls_settings.h"
#include "topology.h"
#include "verbs_settings.h"

#include <stdio.h>
#include <sys/types.h>

#define CONFIG_PEERS_MAX 16
#define CONFIG_UIDS_MAX  32
#define CONFIG_SIZE_MAX  (1 << 20)

// A peer on this machine has a socket, one on another an address.
struct config_peer {
    char name[NODE_NAME_SIZE]; // how logs call it; on another machine whom its certificate names
    char socket[SOCKET_PATH_MAX];
    char address[TLS_ADDRESS_SIZE];
    bool no_descriptors; // as between machines: for tests of that on one machine
};

struct config {
    enum role role;
    char name[NODE_NAME_SIZE];    // empty: the role's name
    char socket[SOCKET_PATH_MAX]; // empty: the default place
    mode_t socket_mode;
    char metrics_socket[SOCKET_PATH_MAX]; // empty: beside the socket; then none
    bool metrics_none;
    uint64_t peer_grace_ms; // how long what goes over a link waits for a docad to come back
    enum log_level log_level;
    bool isolation_strict; // processes of one user are kept apart as those of different ones
    uid_t peer_uids[CONFIG_UIDS_MAX];
    size_t n_peer_uids;
    struct config_peer peers[CONFIG_PEERS_MAX];
    size_t n_peers;
    struct tls_settings tls;                          // no certificate: no links to other machines
    struct function_setting functions[FUNCTIONS_MAX]; // none: the role's built-in ones
    size_t n_functions;
    struct limits limits;
    struct engine_options engine;
    struct policy policy;
    struct verbs_settings verbs;
    char path[4096]; // the file this came from, empty if none
};

void config_init(struct config *config);

// Reads the file. Everything that is wrong with it goes to `errors`, a line each:
// "FILE:LINE: what is wrong (what to write instead)". Returns false if there was any;
// *config is then half filled and of no use.
bool config_load(struct config *config, const char *path, FILE *errors);

// Prints it as a file that says the same: what is as it is by default stands in comments.
void config_print(const struct config *config, FILE *out);

// Where the peer is: its socket or its address.
const char *config_peer_where(const struct config_peer *peer);

// Where metrics are, if anywhere: beside docad.sock it is docad-metrics.sock. False if that is
// too long.
bool config_metrics_path(const struct config *config, char path[SOCKET_PATH_MAX]);

// Where the file is if nobody says: false if there is no such place. It need not exist.
bool config_default_path(char *path, size_t size);

#endif
