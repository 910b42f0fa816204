// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A queue pair: the memory file through which one client thread hands work
// requests to the engine of a daemon and gets completions back.
//
// The client writes requests and reads completions; the engine does the reverse. Each side
// keeps its own indices in private memory and publishes them in the page; what the other
// side published is read once, checked, and only then used. The bytes that a request moves
// pass through the data area, so that the engine never needs access to the submitter's
// memory.
//
// Sizes are fixed by the version; a different layout is a different version. Numbers are in the
// machine's byte order: only processes of one machine map the file.
//
// The orders of stores and loads, for each of which queue_pair.c has the reason, are searched for
// lost wake-ups and torn requests by tests/models (doorbell, direction).

#ifndef COMMON_QUEUE_PAIR_H
#define COMMON_QUEUE_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QP_MAGIC      0x31505144u // "DQP1"
#define QP_VERSION    1u
#define QP_ENTRIES    64u    // requests in flight, a power of two
#define QP_CHUNK_SIZE 65536u // the most that one request can move
#define QP_CHUNKS     32u    // data area: 2 MiB, whose untouched pages cost nothing

enum qp_opcode {
    QP_READ = 1,  // owner's memory to data area
    QP_WRITE = 2, // data area to owner's memory
    // For one aligned word of 8 bytes: the data area holds a struct qp_atomic, whose first word
    // becomes the previous value in the owner's memory. These two operations are atomic with
    // respect to each other.
    QP_FETCH_ADD = 3,
    QP_CMP_SWP = 4,
    // From one of the client's copy keys to another: the data area holds a struct qp_copy,
    // whose size is the request's length; the address and key of the request are unused.
    QP_COPY = 5,
};

struct qp_request {
    uint64_t address; // in the owner's address space
    uint32_t length;  // 1 to QP_CHUNK_SIZE
    uint32_t key;     // the grant, as ImportCreateReply.grant_key names it
    uint32_t offset;  // of the bytes in the data area
    uint32_t tag;     // comes back in the completion
    uint32_t opcode;  // enum qp_opcode
    uint32_t reserved;
};

// The bytes of the data area that a successful answer fills.
static inline uint32_t qp_bytes_back(const struct qp_request *r)
{
    switch (r->opcode) {
    case QP_READ:
        return r->length;
    case QP_FETCH_ADD:
    case QP_CMP_SWP:
        return sizeof(uint64_t); // the previous value of the word
    default:
        return 0;
    }
}

struct qp_atomic {
    uint64_t operand; // added, or put where `compare` was; then the word before
    uint64_t compare;
};

struct qp_copy {
    uint64_t from, to; // addresses in the owners' address spaces
    uint64_t length;
    uint32_t from_key, to_key; // RegionRegisterReply.copy_key, ImportCreateReply.copy_key
};

// The operation that the engine is about to do on a word, for the engine that follows it: an atomic
// operation must not be carried out twice. Only that client's own results depend on it.
struct qp_intent {
    _Atomic uint32_t state; // enum qp_intent_state
    uint32_t sequence;      // the completion that it belongs to
    uint64_t before, after;
};

enum qp_intent_state {
    QP_INTENT_NONE = 0,
    QP_INTENT_BEGUN = 1, // the word is `before`, or `after`
    QP_INTENT_DONE = 2,
};

struct qp_completion {
    uint32_t tag;
    uint32_t status; // doca_error_t
};

struct qp_shared {
    uint32_t magic, version;
    // A client that has published requests loads engine_sleeping afterwards; an engine that has set
    // it looks for requests afterwards. At least one of them sees the other's store.
    _Alignas(64) _Atomic uint32_t request_head;    // written by the client
    _Alignas(64) _Atomic uint32_t request_tail;    // written by the engine
    _Alignas(64) _Atomic uint32_t completion_head; // written by the engine
    _Alignas(64) _Atomic uint32_t completion_tail; // written by the client
    _Alignas(64) _Atomic uint32_t engine_sleeping; // set by the engine, cleared by either
    _Alignas(64) _Atomic uint32_t client_armed;    // set by the client, cleared by either
    _Alignas(64) struct qp_request requests[QP_ENTRIES];
    _Alignas(64) struct qp_completion completions[QP_ENTRIES];
    _Alignas(64) struct qp_intent intent; // the engine's
    _Alignas(4096) uint8_t data[QP_CHUNKS][QP_CHUNK_SIZE];
};

_Static_assert(sizeof(struct qp_request) == 32, "two requests a cache line");
_Static_assert(sizeof(struct qp_completion) == 8, "eight completions a cache line");
_Static_assert(sizeof(struct qp_atomic) == 16 && sizeof(struct qp_copy) == 32, "no padding");
_Static_assert(sizeof(struct qp_intent) == 24, "no padding");
_Static_assert(offsetof(struct qp_shared, request_head) == 64 &&
                   offsetof(struct qp_shared, request_tail) == 128 &&
                   offsetof(struct qp_shared, completion_head) == 192 &&
                   offsetof(struct qp_shared, completion_tail) == 256 &&
                   offsetof(struct qp_shared, engine_sleeping) == 320 &&
                   offsetof(struct qp_shared, client_armed) == 384,
               "what one side writes has a cache line of its own");
_Static_assert(offsetof(struct qp_shared, requests) == 448 &&
                   offsetof(struct qp_shared, completions) == 2496 &&
                   offsetof(struct qp_shared, intent) == 3008,
               "the rings");
_Static_assert(offsetof(struct qp_shared, data) == 4096, "head, rings and 4 KiB");
_Static_assert(sizeof(struct qp_shared) == 4096 + QP_CHUNKS * QP_CHUNK_SIZE,
               "no padding at the end");

// ---- client side: one thread -------------------------------------------------

struct qp_client {
    struct qp_shared *shared;
    uint32_t head;            // requests posted
    uint32_t completion_tail; // completions taken
    int doorbell;             // eventfd that wakes a sleeping engine
    int channel;              // readable after a completion while armed
};

// Takes over the three descriptors that QueuePairCreateReply brought (memfd is
// closed once mapped). Returns 0, or -errno with all three closed.
int qp_client_init(struct qp_client *qp, int memfd, int doorbell, int channel);
void qp_client_fini(struct qp_client *qp);

// Writes a request into the ring; the engine sees it at the next qp_ring(). False
// if the ring is full.
bool qp_post(struct qp_client *qp, const struct qp_request *request);

// Publishes the posted requests and wakes the engine if it sleeps.
void qp_ring(struct qp_client *qp);

// The same in two steps: true if the engine sleeps, and then it has to be woken unless it takes the
// requests first.
bool qp_publish(struct qp_client *qp);
void qp_wake(struct qp_client *qp);

// Returns whether the engine has taken all that was posted.
bool qp_all_taken(const struct qp_client *qp);

// Takes one completion. Returns false if there is none.
bool qp_poll(struct qp_client *qp, struct qp_completion *out);

// Requests one byte on the channel at the next completion. Returns true if a completion is
// available already: poll instead of sleeping.
bool qp_arm(struct qp_client *qp);

// Disarms. There may be a byte nevertheless.
void qp_disarm(struct qp_client *qp);

// Empties the channel after it became readable.
void qp_clear(struct qp_client *qp);

// Returns the number of posted requests whose completions were not taken yet.
static inline uint32_t qp_in_flight(const struct qp_client *qp)
{
    return qp->head - qp->completion_tail;
}

// ---- engine side: one thread ----------------------------------------------------

struct qp_server {
    struct qp_shared *shared;
    uint32_t tail;            // requests taken
    uint32_t completion_head; // completions posted
    int doorbell;             // waited for edge-triggered and never read: reading could block
    int channel;
};

// Makes a queue pair: fills `qp` and the descriptors for the client, which the
// caller owns: fds[0] memfd, fds[1] doorbell, fds[2] channel. Returns 0 or -errno.
int qp_server_init(struct qp_server *qp, int fds[3]);
void qp_server_fini(struct qp_server *qp);

// Continues a queue pair whose engine has ended, after its last completion: a request that was
// taken and not completed is taken once more. On success takes over the descriptors: memfd,
// doorbell, the engine's end of the channel. Returns 0 or -errno.
int qp_server_restore(struct qp_server *qp, const int fds[3]);

// Takes one request, copied out of the ring. Returns 1: *out filled; 0: none; -EPROTO: the indices
// are impossible and the queue pair has failed. The fields of the request are untrusted: check key,
// range, length and offset.
int qp_server_next(struct qp_server *qp, struct qp_request *out);

// Returns whether there is one that can be taken. For an engine that polls for a moment before it
// sleeps.
bool qp_server_has_next(const struct qp_server *qp);

// Posts a completion and notifies an armed client. Returns 0, or -EPROTO if the ring overflows
// because the client does not take completions.
int qp_server_complete(struct qp_server *qp, uint32_t tag, uint32_t status);

// Announces that the engine is about to sleep. Returns true if there are requests: do not sleep.
bool qp_server_sleep(struct qp_server *qp);
void qp_server_awake(struct qp_server *qp);

#endif
