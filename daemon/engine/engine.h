// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine: the threads that move bytes between a queue pair's data area and the
// memory of the process that owns it, through that process's /proc/self/mem.
//
// All functions here are called on the loop's thread and take effect immediately: a grant that was
// added serves the client's next request, and a dropped one serves no further request. Callbacks
// run on the loop's thread, later.
//
// Memory of a hostile owner can make a copy hang (a page that its own file system never delivers).
// A thread that hangs is replaced, so that only copies from that owner are affected. If a few
// threads hang in memory of one user, further requests for that user's memory fail.
//
// Users take turns, and so do the clients of each, and the queue pairs of each client; a
// node on another machine is like one user here (engine_sched.h). A turn is a few requests,
// or one large request, or a step of it while another user waits.

#ifndef DAEMON_ENGINE_H
#define DAEMON_ENGINE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct engine;
struct engine_event;
struct engine_importer;
struct engine_queue_pair;
struct engine_window;
struct event_base;
struct qp_request;
struct shared_fd;

typedef void (*engine_done_fn)(void *arg);

#define ENGINE_THREADS_MAX 16
#define ENGINE_SPIN_US_MAX 1000000

struct engine_options {
    unsigned threads; // 1 to ENGINE_THREADS_MAX
    bool pinned;      // each thread to one of `cpus`, round robin
    cpu_set_t cpus;
    uint64_t spin_ns;     // how long to poll an idle queue pair before waiting for its doorbell
    uint64_t copies_over; // the engine may copy jobs larger than this for clients; 0: none
};

#define ENGINE_OPTIONS_DEFAULT                                                                     \
    {                                                                                              \
        .threads = 1, .spin_ns = 20000                                                             \
    }

// Starts the threads; `options` NULL: the default ones. Returns 0, or -errno (-EINVAL if a
// thread may not run on its CPU) with *out untouched.
int engine_new(struct engine **out, struct event_base *base, const struct engine_options *options);

// Stops the threads and waits for them. All importers must have been freed. Takes NULL,
// returns NULL.
struct engine *engine_free(struct engine *engine);

// Makes an importer: the queue pairs of one client, and the grants that they may name. The client
// is a process of `uid`, here or on the node (NODE_ID_SIZE bytes) on another machine. Returns 0 or
// -ENOMEM.
int engine_importer_new(struct engine_importer **out, struct engine *engine, uid_t uid,
                        const uint8_t *node);

// Ends the importer with its grants and queue pairs. The handle is invalid afterwards; `done` (may
// be NULL) is called when the engine no longer uses any of it.
void engine_importer_free(struct engine_importer *importer, engine_done_fn done, void *arg);

struct engine_range {
    struct shared_fd *owner_memory; // the owner's /proc/self/mem; the caller keeps its reference
    uint64_t owner;                 // number of the memory: same memory, same number
    uid_t uid;                      // the user who is responsible if the memory hangs
    uint64_t address, length;
    uint32_t allowed; // 1 << enum qp_opcode
    void *memory;     // for callers that move bytes themselves: engine_hold_begin()
    bool any_word;    // allow atomic operations on unaligned words too
    // Used instead of owner_memory: the mapped memory file that the importer's queue pairs may copy
    // from (QP_READ) and to (QP_WRITE). Taken over on success.
    struct engine_window *window;
    // The sync event whose counter this is, or NULL. If the counter lies in the event's
    // page there is no owner_memory. Taken over on success.
    struct engine_event *event;
};

// Grants the importer's queue pairs access to a range, which requests name by *key. Returns 0 or
// -errno.
int engine_grant_add(struct engine_importer *importer, const struct engine_range *range,
                     uint32_t *key);

// Restores a range that an importer of an earlier engine had, under its old key.
int engine_grant_restore(struct engine_importer *importer, const struct engine_range *range,
                         uint32_t key);

// Ends a grant: requests that name it fail with `error` from now on. `done` is called when
// no more bytes can move through it. Keys are not reused within an importer.
void engine_grant_drop(struct engine_importer *importer, uint32_t key, uint32_t error,
                       engine_done_fn done, void *arg);

// Makes a queue pair; the caller owns the three descriptors for the client (see
// qp_server_init()). 0 or -errno.
int engine_queue_pair_add(struct engine_importer *importer, struct engine_queue_pair **out,
                          int fds[3]);

// The engine's end of the channel; the queue pair keeps it.
int engine_queue_pair_channel(const struct engine_queue_pair *qp);

// Restores a queue pair of an earlier engine from its memory file, its doorbell and that
// engine's end of the channel, which are taken over on success. It is not served until
// engine_resume().
int engine_queue_pair_restore(struct engine_importer *importer, struct engine_queue_pair **out,
                              const int fds[3]);

// Starts to serve all restored queue pairs.
void engine_resume(struct engine *engine);

// Ends the threads and leaves everything else as it is, for another engine to continue.
void engine_stop(struct engine *engine);

// `failed` is called, once, when the client breaks the protocol of the ring: the engine
// takes no more requests from it, and the caller should log that and drop the queue pair.
void engine_queue_pair_on_failure(struct engine_queue_pair *qp, engine_done_fn failed, void *arg);

// Ends a queue pair. The handle is invalid afterwards, and `failed` is not called.
void engine_queue_pair_drop(struct engine_queue_pair *qp);

// A request whose bytes are not moved by the engine, and the grant that it names.
struct engine_hold {
    struct engine_queue_pair *qp;
    struct engine_grant *grant;
    void *memory;  // `memory` of the range, may be NULL
    bool by_docad; // docad itself moves the bytes, no device: they count as the engine's
};

// Checks a request as the engine does. A valid request holds its grant: if the grant is dropped, it
// ends only after the hold. If this returns false, the engine must answer the request.
bool engine_hold_begin(struct engine_queue_pair *qp, const struct qp_request *r,
                       struct engine_hold *out);

// Must be called before the queue pair is dropped. Counts the `bytes` that were moved; 0: no
// request was executed.
void engine_hold_end(struct engine_hold *hold, uint32_t bytes);

// Returns whether the grant was dropped during the hold.
bool engine_hold_is_dropped(const struct engine_hold *hold);

struct engine_stats {
    uint64_t requests, bytes, errors;
    uint64_t held_bytes; // the number of them that a device moved
    uint32_t in_flight;  // at the time of the call
    bool failed;         // the client violated the protocol; it is not served any more
};

// Totals over all queue pairs, including those that have ended.
struct engine_totals {
    uint64_t requests, bytes, errors, busy_ns;
    uint64_t held_bytes; // moved by devices, not included in `bytes`
    uint64_t waiting;    // requests that are not complete
    unsigned threads;
};

void engine_totals(const struct engine *engine, struct engine_totals *out);

void engine_queue_pair_stats(const struct engine_queue_pair *qp, struct engine_stats *out);

#endif
