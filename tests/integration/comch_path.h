// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Consumers and producers on connections of Comch: what their tests have in
// common.

#ifndef INTEGRATION_COMCH_PATH_H
#define INTEGRATION_COMCH_PATH_H

#include "comch_end.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#define LARGE   ((size_t)1 << 20)
#define LONGEST 300u // more than an entry takes

struct lent {
    uint8_t *room, *bytes; // allocated, and within it
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
};

#define THREADS 3

struct counts {
    unsigned next[THREADS + 2]; // by the producer's id
    unsigned got;
};

struct receiver {
    struct child *self; // the process, as it sees itself
    struct end *end;
    struct doca_comch_consumer *consumer;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct lent memory;
    enum doca_ctx_states state;
    unsigned got, failed;
    doca_error_t last;
    size_t length; // of the latest
    uint32_t producer, imm_length;
    uint8_t imm[32];
    struct counts counts;
};

struct sender {
    struct child *self; // the process, as it sees itself
    struct end *end;
    struct doca_comch_producer *producer;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct lent memory;
    unsigned sent, failed;
    doca_error_t last;
};

// What callbacks of the server or client note.
extern struct known {
    struct doca_comch_connection *connection;
    uint32_t consumer;
    unsigned came, expired, left;
    bool any_expires;                  // not only the latest consumer
    unsigned messages, expired_before; // the latest message
} known;

// What the maps of receivers permit. Children have it from the test.
extern uint32_t receiver_access;

// Buffers are pointed elsewhere as soon as their task is submitted. Children have it from the test.
extern bool buffers_move_on;

void memory_make(struct lent *m, struct doca_dev *dev, size_t size, uint32_t access);
void memory_end(struct lent *m);
uint8_t pattern(size_t at, unsigned seed);
void receiver_make(struct receiver *r, struct end *e, struct doca_comch_connection *c,
                   struct doca_pe *pe);
void receiver_start(struct receiver *r);
void receiver_end(struct receiver *r); // leaves no `consumer`
void post(struct receiver *r, size_t at, size_t room);
void sender_make(struct sender *s, struct end *e, struct doca_comch_connection *c);
void sender_end(struct sender *s); // leaves no `producer`
doca_error_t try_send(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
                      const char *imm);
// The receive was posted: the send succeeds, at once on one machine.
void send_posted(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
                 const char *imm);

// ---- processes

// What one side of a pair does: with its end; or with a consumer, which runs;
// or with a producer, which knows of the other side's consumer. The two have
// met before. Afterwards the consumer ends, and a producer ends when the other
// side's consumer has expired, unless the function has ended them itself. Then
// the client leaves when the test says so, and the server sees it.
typedef void (*receiver_fn)(struct receiver *r);
typedef void (*sender_fn)(struct sender *s);
struct part {
    end_fn meets;
    receiver_fn consumes;
    sender_fn produces;
};
#define MEETS(fn)    ((struct part){.meets = (fn)})
#define CONSUMES(fn) ((struct part){.consumes = (fn)})
#define PRODUCES(fn) ((struct part){.produces = (fn)})

// A server on the DPU, and then a client on the host.
struct pair {
    struct child *server, *client;
};
struct pair pair_start(struct part server, struct part client);
// The same, with the first part on either side.
struct pair pair_between(struct part a, struct part b, bool a_serves);
// The client leaves, and both end.
void pair_end(const struct pair *pair);

#endif
