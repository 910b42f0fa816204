// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair as jobs use it: pieces of at most QP_CHUNK_SIZE bytes. Each piece holds a
// chunk of the data area from beginning to end.
//
// The engine at the other end may belong to a daemon that fails or misbehaves: a
// completion that fits no piece fails the queue, and so does the end of the daemon. All
// pieces of a failed queue complete with its error.

#ifndef CLIENT_QUEUE_BROKER_QUEUE_H
#define CLIENT_QUEUE_BROKER_QUEUE_H

#include "core/session.h"
#include "core/severed.h"
#include "wake_backoff.h"
#include "queue_pair.h"

struct broker_queue;
struct memory;

// The bytes that one request moves. Filled in by the code that posts it.
struct broker_piece {
    struct broker_queue *queue;
    uint32_t chunk;
    uint32_t length;
    // Called when the request is complete; set from posting until then.
    void (*done)(struct broker_piece *piece, doca_error_t status);
    // For the code that posts it: where the bytes go to next.
    void *owner;
    uint8_t *local;
    const struct memory *memory;
    uint64_t address;
    struct broker_piece *hop;
    // For a copy by the engine: where the bytes come from, and how many there are.
    const struct memory *from;
    const uint8_t *from_local;
    size_t size;
};

struct broker_queue {
    struct qp_client qp;
    uint32_t free_chunks; // a set bit is a free chunk
    uint32_t empty_polls;
    bool unrung; // the doorbell was not rung for some posted requests
    struct wake_backoff backoff;
    _Atomic(doca_error_t) error; // set by its own thread once the queue has failed
    uint64_t id;
    uint32_t slot;
    struct session *session; // held
    const struct state_table *table;
    struct broker_node *node; // the node of the engine, for the port
    int epoll_fd;             // that the channel was added to, or -1
    struct severed severed;   // of the queue pair
    struct broker_piece pieces[QP_CHUNKS];
};

// Requests a queue pair from docad. Its channel is added to epoll_fd unless that is -1.
doca_error_t broker_queue_new(struct broker_queue **out, struct session *session,
                              const uint8_t node[NODE_ID_SIZE], int epoll_fd, struct errtext *err);

// Tells docad, if it is still there. Takes NULL, returns NULL.
struct broker_queue *broker_queue_free(struct broker_queue *queue);

static inline doca_error_t broker_queue_error(const struct broker_queue *queue)
{
    // Relaxed: other threads only read whether they can use the queue.
    return atomic_load_explicit(&queue->error, memory_order_relaxed);
}

// Returns whether it can still be used. For any thread.
static inline bool broker_queue_live(const struct broker_queue *queue)
{
    return state_table_read(queue->table, queue->slot, queue->id) == SLOT_LIVE &&
           broker_queue_error(queue) == DOCA_SUCCESS;
}

// Returns whether no piece is in use. For its own thread.
static inline bool broker_queue_idle(const struct broker_queue *queue)
{
    return queue->free_chunks == UINT32_MAX;
}

// Allocates a piece with a chunk; NULL if all are in use.
struct broker_piece *broker_piece_take(struct broker_queue *queue);
void broker_piece_put(struct broker_piece *piece);

static inline uint8_t *broker_piece_data(const struct broker_piece *piece)
{
    return piece->queue->qp.shared->data[piece->chunk];
}

// Posts a request for the piece's bytes; broker_queue_ring() makes it visible to the engine. done()
// follows from broker_queue_poll(). Returns the error of a failed queue.
doca_error_t broker_piece_post(struct broker_piece *piece, enum qp_opcode opcode, uint64_t address,
                               uint32_t key,
                               void (*done)(struct broker_piece *piece, doca_error_t status));

void broker_queue_ring(struct broker_queue *queue);

// The number of bytes whose requests are not complete.
size_t broker_queue_under_way(const struct broker_queue *queue);

// Takes completions, and checks the other end while there are none.
void broker_queue_poll(struct broker_queue *queue);

// Returns true if there is something to poll: do not sleep. Otherwise the channel becomes readable
// at the next completion, or when the other end closes.
bool broker_queue_arm(struct broker_queue *queue);
void broker_queue_clear(struct broker_queue *queue);

#endif
