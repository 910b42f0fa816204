// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Real daemons for tests. Each ends with the test: stopped by env_teardown() at the
// latest, killed by the kernel if the test process dies.

#ifndef HARNESS_DAEMON_H
#define HARNESS_DAEMON_H

#include "env.h"

#include <docad.pb-c.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DAEMON_ARGS_MAX 24

struct daemon_options {
    const char *role;        // "host" (default) or "dpu"
    const char *name;        // name of the node; default: the role
    const char *label;       // names the log and the socket; default: the role
    const char *socket;      // default: <label>.sock in the test's directory
    const char *peers[4];    // sockets to dial
    const char *config;      // configuration file; default: an empty one
    const char *args[12];    // further arguments
    const char *wrapper[12]; // run under this command, for instance valgrind
    int64_t limit_ms;        // limit for starting and for stopping; default HARNESS_LIMIT_MS
    int (*run)(char **argv); // run this function instead of docad (tests of the harness)
};

struct daemon {
    struct path socket;
    struct path log;
    pid_t pid; // 0 when it has ended
    int pidfd;
    int notify; // where sd_notify() messages arrive
    char *argv[DAEMON_ARGS_MAX];
    char address[32]; // NOTIFY_SOCKET
    int64_t limit_ms;
    int (*run)(char **argv);
    struct daemon *next;
};

// Starts docad and waits until it says READY=1. Fails the test, with the log, if it
// ends instead.
struct daemon *daemon_start(const struct daemon_options *options);

// Lets other users connect until the daemon is started again, like socket_mode = 0666.
void daemon_let_everybody_in(const struct daemon *daemon);

// Starts docad and waits until it ends by itself; returns its exit status. Fails if it becomes
// ready. `log`, if not NULL, receives its output (cut to `size`).
int daemon_refused(const struct daemon_options *options, char *log, size_t size);

// Sends SIGTERM; the daemon must exit with 0.
void daemon_stop(struct daemon *daemon);
// The same for a daemon that was already told to stop.
void daemon_ended(struct daemon *daemon);
// The same for one that a signal may have killed.
void daemon_over(struct daemon *daemon);

// SIGKILL, as a crash would.
void daemon_kill(struct daemon *daemon);

// Starts it again with the same socket, after daemon_stop() or daemon_kill().
void daemon_restart(struct daemon *daemon);

// Send SIGSTOP and SIGCONT, to simulate a daemon that hangs.
void daemon_freeze(struct daemon *daemon);
void daemon_thaw(struct daemon *daemon);

// Fails unless the daemon is still running.
void daemon_assert_alive(struct daemon *daemon);

// From now on the calling process is a client of this daemon.
void daemon_use(const struct daemon *daemon);

// Does the log contain this text?
bool daemon_logged(const struct daemon *daemon, const char *text);
void daemon_wait_logged(const struct daemon *daemon, const char *text);

// Stops all remaining daemons: env_teardown() calls it.
void daemon_stop_all(void);
// Called by env_in_child(): the daemons belong to another process. Their names stay.
void daemon_close_all(void);

// ---- two nodes ---------------------------------------------------------------

struct node_pair {
    struct daemon *host, *dpu;
    bool apart; // their link carries no descriptors
};

// Starts a host and a DPU that dials it, and waits until both report that they are linked.
struct node_pair node_pair_start(void);

// The same over a link that carries no descriptors, like a link between machines. `both` is the
// configuration text of each.
struct node_pair node_pair_start_apart(const char *both);

// Either, with a configuration text of each.
struct node_pair node_pair_start_with(const char *both, bool apart);
struct node_pair node_pair_start_each(const char *of_host, const char *of_dpu, bool apart);

// Waits until the daemon's list of peers has exactly `links` that are linked.
void daemon_wait_links(const struct daemon *daemon, unsigned links);

// ---- what a daemon says of itself ----------------------------------------------

// A figure of docad's metrics by its whole name, like "docad_links_lost_total"; 0 if there is none.
uint64_t daemon_metric(const struct daemon *daemon, const char *name);

// Waits until it is as high as that.
void daemon_wait_metric(const struct daemon *daemon, const char *name, uint64_t least);

struct daemon_counts {
    unsigned sessions; // without tools
    unsigned regions, exports, imports, queue_pairs, publications;
};

void daemon_counts(const struct daemon *daemon, struct daemon_counts *out);

// Waits until no object of a client is left: no session, region, export, import, queue pair,
// publication.
void assert_baseline(const struct daemon *daemon);

#endif
