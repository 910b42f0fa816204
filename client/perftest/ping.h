// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two threads: one sleeps in epoll_wait(), the other wakes it, by submitting a job to an
// armed work queue or by writing to a bare eventfd. Measures the time from there to the
// return of epoll_wait().

#ifndef PERFTEST_PING_H
#define PERFTEST_PING_H

#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>

enum ping_kind {
    PING_JOB,     // a job of the rig
    PING_EVENTFD, // and a thread that answers through memory
    PING_END,
};

struct ping {
    struct rig *rig; // NULL: eventfds only
    int eventfd, epoll;
    pthread_t thread;
    bool running;
    int cpu; // of the sleeping thread
    // The waker increments `asked`, the sleeper follows with `armed`, the waker with `woken` when
    // its call has returned (until then the work queue is its own), and the sleeper with `awake`.
    enum ping_kind kind;
    _Atomic uint64_t asked, armed, woken, awake;
    uint64_t woken_at; // ticks
    _Atomic bool failed;
    struct problem problem; // of the sleeper
};

// Starts the sleeping thread. The caller keeps the rig (in event-driven mode, depth 1).
// Call ping_close() even after a failure.
bool ping_open(struct ping *ping, struct rig *rig, int cpu, struct problem *problem);
void ping_close(struct ping *ping);

// Wakes the sleeper once; *ticks is the time from before the submission or write until it is awake.
// With `and_seen`, until this thread has seen that, and only for an eventfd.
bool ping_once(struct ping *ping, enum ping_kind kind, bool and_seen, uint64_t *ticks,
               struct problem *problem);

#endif
