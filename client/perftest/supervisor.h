// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The process that the user started. It never uses the library itself: it starts private
// daemons where none were named, a process that exports memory on the host node, and a
// process that measures; it waits for them, and stops what it started, also when it is
// interrupted.

#ifndef PERFTEST_SUPERVISOR_H
#define PERFTEST_SUPERVISOR_H

#include "problem.h"
#include "result.h"

#include <signal.h>
#include <sys/types.h>

enum node {
    NODE_HOST,
    NODE_DPU,
    NODE_SECOND_DPU, // linked to the host, too; private only
    N_NODES,
};

#define NODE_PATH_MAX 108 // of a socket address

struct supervisor {
    uint64_t copies_over; // of private docads' engines, 0: none
    int engine_cpu;       // where private docads' engines run; -1: anywhere
    bool unlimited;       // private docads have no limits for users, sessions and nodes
    bool for_everybody;   // all users may connect to private docads
    bool unlinked;        // the private second DPU does not dial the host
    bool apart;           // the link of the private docads carries no descriptors
    unsigned short port;  // where the private host listens for other machines; 0: nowhere
    bool tls;             // and there the private DPU dials it
    struct private_node {
        pid_t pid; // 0: not ours
        int pidfd;
        char socket[NODE_PATH_MAX]; // "": it has none yet
    } nodes[N_NODES];
    char directory[NODE_PATH_MAX]; // "": none made yet
    int signals;                   // signalfd
    sigset_t inherited;            // the mask that children get back
    int caught;                    // the signal that ends us, or 0
};

// The arguments of the measuring process.
struct run {
    const struct options *options;
    const void *arg; // the command's
    const char *host_socket;
    int exporter;          // connection to the exporting process, or -1
    pid_t exporter_pid;    // 0: none
    int cpu, other_cpu;    // CPUs of its thread and of a second one; -1: any
    pid_t daemon_pid;      // whose engine moves bytes for us; 0: unknown
    struct result *result; // shared with the supervisor
};

// Returns false with a text in run->result->problem if it failed.
typedef bool (*run_fn)(struct run *run);

bool supervisor_open(struct supervisor *sup, const struct options *options,
                     struct problem *problem);
void supervisor_close(struct supervisor *sup);

// Starts daemons until these run (a mask of 1 << enum node).
bool supervisor_need(struct supervisor *sup, unsigned nodes, struct problem *problem);

// Calls fn in a new process that uses this node (any number, if it uses none), with an exporting
// process on the host node at its side if `run` needs one. run->exporter and what follows is filled
// in. Returns what is also run->result->ok.
bool supervisor_run(struct supervisor *sup, enum node node, bool with_exporter, run_fn fn,
                    struct run *run);

// The result, in memory that children share. NULL without memory.
struct result *result_share(void);
void result_unshare(struct result *result);

// ---- shared by daemons.c and supervisor.c ------------------------------------------------

// fork() with the child's surroundings in order: it gets `end` when this process ends.
pid_t supervisor_fork(struct supervisor *sup, int end);

// Waits until `fd` is readable. Returns false if it is not in time, or a signal ends us.
bool supervisor_wait(struct supervisor *sup, int fd, int also, int timeout_ms);

// Waits for a child, and kills it if it does not end in time. Its status.
int supervisor_reap(struct supervisor *sup, pid_t pid, int pidfd, int timeout_ms);

bool daemons_start(struct supervisor *sup, enum node node, struct problem *problem);
void daemons_stop(struct supervisor *sup);

// Writes the configuration of a private docad, which reads it when it starts or reloads it.
bool daemons_configure(const struct supervisor *sup, enum node node, struct problem *problem);

// A port of this machine that is free now; 0 if there is none.
unsigned short daemons_free_port(void);

#endif
