// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path of one connection: consumers, producers, and the consumers of the other side. They
// belong to threads of their own, so their common state is here, under a lock, and may outlive the
// connection.
//
// The two sides exchange packets over the connection's socket, which no program sees: the thread of
// the server or client sends and receives them. See struct comch_packet.

#ifndef CLIENT_COMCH_PATH_H
#define CLIENT_COMCH_PATH_H

#include "comm_channel/comm_channel.h"
#include "export_desc.h"
#include "rdma_desc.h"

#include <doca_comch.h>
#include <pthread.h>

#define COMCH_CONSUMERS_MAX 256u // of one side of a connection; their ids are 1 to this
#define COMCH_PRODUCERS_MAX 4096u

#define COMCH_PACKET_MAGIC 0x31464344u // "DCF1"

enum comch_packet_kind {
    COMCH_PACKET_HERE = 1, // a client: it takes packets. Servers show that in the channel's page
    COMCH_PACKET_CONSUMER, // announces a consumer: its endpoint, its memory, and its slots
    COMCH_PACKET_ANSWER,   // producers can send to it: the endpoint of this side
    COMCH_PACKET_REFUSAL,  // they cannot
    COMCH_PACKET_EXPIRED,  // the consumer has ended
};

// The beginning of a packet; the rest of it is zero. Numbers are little-endian, as on all machines
// that docad runs on.
struct comch_packet {
    uint32_t magic, kind;
    uint32_t id; // the consumer's
    uint32_t slots, imm_length;
    uint32_t endpoint_size, memory_size;
    uint8_t endpoint[RDMA_DESC_SIZE_MAX]; // connection details of RDMA
    uint8_t memory[EXPORT_DESC_SIZE_MAX]; // an export descriptor
    uint8_t key[CHANNEL_KEY_SIZE];        // instead of the two between machines, see relayed.h
};

_Static_assert(sizeof(struct comch_packet) <= CC_PACKET_SIZE, "fits");

struct comch_end;
struct comch_outgoing; // a packet that waits
struct comch_remote;
struct doca_comch_consumer;

struct comch_path {
    _Atomic uint32_t refs;
    uint64_t channel; // the connection's, for lists
    bool is_relayed;  // the other side is on another machine: see relayed.h
    pthread_mutex_t lock;
    // All members below are under the lock.
    struct comch_end *end;          // NULL: the connection has ended
    bool ready;                     // the other side takes packets
    bool unable;                    // it never will
    bool broken;                    // the connection is to end: comch_path_break()
    struct list outgoing;           // struct comch_outgoing
    uint32_t answers;               // of those: answers to the other side
    struct comch_outgoing *reserve; // for an answer when memory is short; NULL: it waits itself
    struct doca_comch_consumer *consumers[COMCH_CONSUMERS_MAX + 1];
    struct comch_remote *remotes[COMCH_CONSUMERS_MAX + 1];
    uint64_t ids[COMCH_CONSUMERS_MAX / 64 + 1]; // of consumers here: a set bit is taken
    uint32_t n_consumers, n_producers, last_producer;
};

// Made with a connection, and ended with it.
struct comch_path *comch_path_new(struct comch_end *end, uint64_t channel, bool is_relayed);
void comch_path_end(struct comch_path *path);

struct comch_path *comch_path_ref(struct comch_path *path);
struct comch_path *comch_path_unref(struct comch_path *path); // takes NULL, returns NULL

// Returns whether consumers or producers use it.
bool comch_path_used(struct comch_path *path);

// Queues a packet, from any thread. Returns false if the connection has ended, or memory is short.
bool comch_path_post(struct comch_path *path, const struct comch_packet *packet);
// The same, under the lock.
bool comch_path_post_locked(struct comch_path *path, const struct comch_packet *packet);

// Room for a packet that must not fail later; NULL if memory is short.
struct comch_outgoing *comch_outgoing_new(void);
struct comch_outgoing *
comch_outgoing_free(struct comch_outgoing *outgoing); // takes NULL, returns NULL
// Queues a packet in `outgoing`, which then belongs to the path. Under the lock.
void comch_path_post_in(struct comch_path *path, struct comch_outgoing *outgoing,
                        const struct comch_packet *packet);

// For faults that are injected, from any thread: breaks the connection, as if the peer had gone.
// This side's consumers and producers fail from now on; the peer, and the program's server or
// client, notice it when the thread of the latter has polled. False if the connection has ended.
bool comch_path_break(struct comch_path *path);
// Returns whether the connection is to break.
bool comch_path_is_broken(struct comch_path *path);

// ---- for the thread of the server or client --------------------------------------------------

// For a client that has connected: checks whether the server takes packets, and announces that we
// do.
void comch_path_send_hello(struct comch_path *path, bool able);

// Sends what waits. Returns false: some of it still does.
bool comch_path_send(struct comch_path *path, struct doca_comm_channel_addr_t *to);

enum comch_change { COMCH_CHANGE_NONE, COMCH_CHANGE_NEW, COMCH_CHANGE_EXPIRED };

// Takes a packet, which may be hostile. Sets which event of the consumer *id the program gets.
enum comch_change comch_path_take(struct comch_path *path, const void *bytes, uint32_t *id);

// For a server: a client has connected a channel with a key. Takes the address over, and returns
// true, if a consumer of this path waits for it.
bool comch_path_takes(struct comch_path *path, struct doca_comm_channel_addr_t *address,
                      enum comch_change *change, uint32_t *id);

// Called when the server could not accept a channel. It may have been one that a consumer of this
// path waits for.
void comch_path_lost_channel(struct comch_path *path);

#endif
