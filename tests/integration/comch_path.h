// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Consumers and producers on connections of Comch: what their tests have in common.

#ifndef INTEGRATION_COMCH_PATH_H
#define INTEGRATION_COMCH_PATH_H

#include "child.h"
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
    struct doca_comch_producer *producer;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct lent memory;
    unsigned sent, failed;
    doca_error_t last;
};

// What callbacks of the server or client note.
extern struct known { // what a server's callbacks note
    struct doca_comch_connection *connection;
    uint32_t consumer;
    unsigned came, expired, left;
    bool any_expires;                  // not only the latest consumer
    unsigned messages, expired_before; // the latest message
} known;

// What the maps of receivers permit. Children have it from the test.
extern uint32_t receiver_access;

void memory_make(struct lent *m, struct doca_dev *dev, size_t size, uint32_t access);
void memory_end(struct lent *m);
uint8_t pattern(size_t at, unsigned seed);
void receiver_make(struct receiver *r, struct end *e, struct doca_comch_connection *c,
                   struct doca_pe *pe);
void receiver_start(struct receiver *r);
void receiver_end(struct receiver *r);
void post(struct receiver *r, size_t at, size_t room);
void sender_make(struct sender *s, struct end *e, struct doca_comch_connection *c);
void sender_end(struct sender *s);
doca_error_t try_send(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
                      const char *imm);
// The receive was posted: the send succeeds, at once on one machine.
void send_posted(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
                 const char *imm);
struct doca_comch_connection *meet(struct child *self, struct end *e, bool server);
void part(struct child *self, struct end *e);

// The two with a consumer that runs, or with a producer that knows the other side's; `server` is a
// bool, as start_both() passes it.
struct doca_comch_connection *receiver_meet(struct receiver *r, struct end *e, struct child *self,
                                            void *server);
void receiver_part(struct receiver *r, struct end *e, struct child *self);
struct doca_comch_connection *sender_meet(struct sender *s, struct end *e, struct child *self,
                                          void *server);
void sender_part(struct sender *s, struct end *e, struct child *self); // after the consumer

// A server on the DPU, and then a client on the host. Their argument says whether they serve.
void start_both(struct child **server, child_fn serves, struct child **client, child_fn joins);
// The client leaves, and both end.
void end_both(struct child *server, struct child *client);

#endif
