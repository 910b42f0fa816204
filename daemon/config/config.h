// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration file.

#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include "card.h"
#include "engine.h"
#include "wait_times.h"
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

#define CONFIG_PEERS_MAX   16
#define CONFIG_UIDS_MAX    32
#define CONFIG_CARDS_MAX   8    // they fit into one message with the functions
#define CONFIG_FAULTS_SIZE 2048 // bytes of rules
#define CONFIG_SIZE_MAX    (1 << 20)

// A peer on this machine has a socket, a peer on another machine an address.
struct config_peer {
    char name[NODE_NAME_SIZE]; // its name in logs; on another machine, the name in its certificate
    char socket[SOCKET_PATH_MAX];
    char address[TLS_ADDRESS_SIZE];
    bool no_descriptors; // pass no descriptors, as between machines: for tests on one machine
};

// The lines of options that can only be checked when the whole file has been read; 0: not set.
struct config_lines {
    int peers[CONFIG_PEERS_MAX];
    int tls[5]; // those of its options: config_tls_line()
    int open[POLICY_RULES_MAX];
    bool gaps; // some statements could not be read
};

#define CONFIG_WORKERS_MAX 64 // the most of a process, however many cores it has

struct config {
    enum role role;
    char name[NODE_NAME_SIZE];    // empty: the role's name
    char socket[SOCKET_PATH_MAX]; // empty: the default path
    mode_t socket_mode;
    char metrics_socket[SOCKET_PATH_MAX]; // empty: in the directory of the socket; if that is not
                                          // possible, none
    bool metrics_none;
    uint64_t peer_grace_ms;    // how long objects of a link wait for a docad to come back
    uint64_t release_limit_ms; // how long the end of an export waits for copies of it
    enum log_level log_level;
    bool isolation_strict;  // isolate processes of one user like those of different users
    struct wait_times wait; // of clients' threads that poll
    uint32_t workers;       // the most threads that a client's library computes on
    uid_t peer_uids[CONFIG_UIDS_MAX];
    size_t n_peer_uids;
    char subuids[SOCKET_PATH_MAX]; // the file with ranges of subordinate uids: account.h
    char subgids[SOCKET_PATH_MAX]; // that with ranges of subordinate gids
    bool names_utf8;               // published names may have other characters than ASCII's
    struct config_peer peers[CONFIG_PEERS_MAX];
    size_t n_peers;
    struct tls_settings tls;                          // no certificate: no links to other machines
    struct function_setting functions[FUNCTIONS_MAX]; // none: the role's built-in ones
    size_t n_functions;
    char card[CARD_SPEC_SIZE];           // that functions imitate which name none
    struct card cards[CONFIG_CARDS_MAX]; // profiles that are named, without software
    size_t n_cards;
    char faults[CONFIG_FAULTS_SIZE]; // rules of fault_spec.h, one a line; empty: none
    struct limits limits;
    struct engine_options engine;
    struct policy policy;
    struct verbs_settings verbs;
    char path[4096]; // the file that was read, empty if none
    struct config_lines lines;
};

enum config_mistakes {
    CONFIG_FIRST_MISTAKE, // of statements that cannot be parsed: the file is read once
    CONFIG_ALL_MISTAKES,  // a statement that cannot be parsed is skipped, and the rest is read
};

void config_init(struct config *config);

// Reads the file. Writes every mistake in it to `errors`, one line each: "FILE:LINE: what is
// wrong (what to write instead)". Returns false if there was any; *config is then half filled and
// unusable.
bool config_load(struct config *config, const char *path, enum config_mistakes mistakes,
                 FILE *errors);

// Prints it as a configuration file with the same meaning: defaults are printed as comments.
void config_print(const struct config *config, FILE *out);

// The line of an option of the tls section; 0 if it is not in the file.
int config_tls_line(const struct config *config, const char *option);

// The peer's socket or its address.
const char *config_peer_where(const struct config_peer *peer);

// Writes the path of the metrics socket, if there is one: for docad.sock it is docad-metrics.sock
// in the same directory. Returns false if the path is too long.
bool config_metrics_path(const struct config *config, char path[SOCKET_PATH_MAX]);

// Writes the default path of the file. Returns false if there is none. The file need not exist.
bool config_default_path(char *path, size_t size);

#endif
