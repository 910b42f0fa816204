// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What other users notice: a thread with a session of its own repeats a small request to docad
// while something large happens. It also measures what docad uses during that.

#ifndef PERFTEST_SCALE_PROBE_H
#define PERFTEST_SCALE_PROBE_H

#include "scale_link.h"
#include "stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define PROBE_SAMPLES 200000

struct probe {
    struct link link;
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    uint32_t *ticks; // how long its requests took, since probe_begin()
    size_t n;
    _Atomic bool stop, asked;
    bool failed;
    struct problem problem;
};

// Call probe_close() even after a failure.
bool probe_open(struct probe *probe, const char *socket, struct problem *problem);
void probe_close(struct probe *probe);

// The requests that end between the two calls. Returns false if one has failed.
void probe_begin(struct probe *probe);
bool probe_end(struct probe *probe, struct spread *out, struct problem *problem);

struct usage {
    double bytes;       // in memory
    double descriptors; // open files; less than 0: unknown
};

// The process at the other end of the socket; 0: unknown.
pid_t usage_daemon(const struct link *link);
struct usage usage_of(pid_t pid);

// The processor time of a process; its difference since, in ticks. 0 if unknown.
uint64_t usage_cpu_ns(pid_t pid);
uint32_t usage_cpu_ticks(pid_t pid, uint64_t since);

#endif
