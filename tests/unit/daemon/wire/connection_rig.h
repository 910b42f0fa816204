// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two connections that are each other's ends, over a Unix socket or over TLS, in one event loop,
// whose system calls are counted.

#ifndef TESTS_CONNECTION_RIG_H
#define TESTS_CONNECTION_RIG_H

#include "connection.h"
#include "deadline.h"
#include "run.h"
#include "tls_endpoint.h"
#include "tls_handshake.h"
#include "loop_sched.h"

#include <check.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#define OUTPUT_MAX (4u << 20)

// The loop's thread counts its own; a client's thread calls these, too.
struct calls {
    unsigned reads, writes, packets, waits, controls;
};
extern _Thread_local struct calls calls;

struct end {
    struct connection *connection;
    uint64_t expected; // serial of the next message
    unsigned received, in_turn, most_in_turn, drained;
    uint64_t wait;    // of the loop, in which the last one came
    unsigned answers; // to so many
    unsigned adds;    // to the serial of what is answered
    bool closed, left;
    char why[320];
};

extern struct event_base *base;
extern struct tls_endpoint *endpoint, *other_endpoint;
extern struct end a, b;
extern bool over_tls;
extern char failed_with[256]; // the latest handshake that failed
extern unsigned failures;

#define run_until(condition)                                                                       \
    do {                                                                                           \
        int64_t deadline_ = deadline_in(HARNESS_LIMIT_MS);                                         \
        while (!(condition)) {                                                                     \
            ck_assert(deadline_left(deadline_) > 0);                                               \
            event_base_loop(base, EVLOOP_ONCE);                                                    \
        }                                                                                          \
    } while (0)

unsigned open_descriptors(void);
// Lets messages under way arrive.
void run_for_ms(unsigned ms);

void take_end(struct end *end, struct connection *connection);
void send_text(struct end *end, uint64_t serial, size_t size);

void setup_base(void);
void setup_unix(void);
void teardown_ends(void);
void teardown_unix(void);

// Doors of a node that listens, and of one that dials; setup_tls() links them.
void setup_doors(void);
void setup_tls(void);
void teardown_tls(void);
void dial(const char *host, struct tls_handshake **out);
// A door like the one that listens, which must be gone, that takes turns.
void setup_endpoint_with(struct sched *sched);

struct sched_users {
    struct sched *sched;
    struct sched_user users[2];
};

void setup_sched(struct sched_users *t);

#endif
