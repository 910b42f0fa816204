// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A side of RDMA of DOCA 3 that connects by address, and counts what it is told.

#ifndef TESTS_RDMA_CM_3_H
#define TESTS_RDMA_CM_3_H

#include "child.h"
#include "rdma_3.h"

#define PORT 13579

// What the callbacks of a side have seen.
struct seen {
    struct side side; // first
    unsigned requests, established, failures, disconnects;
    bool rejects, defers, leaves; // what it does about requests, and about disconnects
    bool calls_again;             // in the callback for the end of a connection
    struct doca_rdma_connection *asks, *latest;
    union doca_data data;
    uint8_t private_length;
};

// Starts a program that connects by address. On ibverbs devices librdmacm keeps the device open
// until the program ends.
struct child *start_calling(const struct daemon *daemon, const char *name, child_fn fn, void *arg);

void seen_open(struct seen *s, struct doca_pe *pe, uint16_t max, bool starts);

// What a program does with its side, which is closed afterwards.
struct seen_plan {
    const char *pci; // of its device; default: HOST_PF0
    uint16_t max;    // connections; default: 1
    bool listens;    // to PORT
};
typedef void (*seen_fn)(struct seen *s);
struct child *seen_start_in(const struct daemon *daemon, const char *name,
                            const struct seen_plan *plan, seen_fn fn);

// What a program of the host does with two sides that share an engine; both are closed afterwards.
// The server listens to PORT, except if one of them is idle.
struct calls_plan {
    uint16_t server, client; // connections of each; default: 1
    bool server_idle, client_idle;
};
typedef void (*calls_fn)(struct seen *server, struct seen *client);
void run_calls(const struct calls_plan *plan, calls_fn fn);

// The side, which is idle, has no callback for requests.
void seen_only_calls(struct seen *s);

// Makes the engine progress until the counter is there.
void await(struct seen *s, const unsigned *counter, unsigned n);
// The same, but sleeps meanwhile.
void await_asleep(struct seen *s, const unsigned *counter, unsigned n);

void call_at(struct seen *s, enum doca_rdma_addr_type type, const char *text, uint16_t port,
             uint64_t data);
void call_here(struct seen *s, uint64_t data);

// One message, which arrives.
void seen_sends(struct seen *from, struct doca_rdma_connection *connection, struct seen *to);

#endif
