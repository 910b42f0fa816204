// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine: the threads that move bytes between a queue pair's data area and the
// memory of the process that owns it, through that process's /proc/self/mem.
//
// Everything here is called on the loop's thread and holds at once: a grant that was
// added is good for the client's next request, one that was dropped for none. Callbacks
// run on the loop's thread, later.
//
// Memory of a hostile owner can make a copy hang (a page that its own file system never
// delivers). A thread that hangs is replaced, so that it costs only those who copy from
// that owner; and once a few hang over memory of one user, requests for more of it fail.
//
// Users take turns, and so do the clients of each, and the queue pairs of each client; a node
// on another machine is like one user here (engine_turns.h). A turn is a few requests, or one
// that is large.

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

typedef void (*engine_done_fn)(void *arg);

#define ENGINE_THREADS_MAX 16
#define ENGINE_SPIN_US_MAX 1000000

struct engine_options {
    unsigned threads; // 1 to ENGINE_THREADS_MAX
    bool pinned;      // each to one of `cpus`, by turns
    cpu_set_t cpus;
    uint64_t spin_ns;     // how long an idle queue pair is watched before its doorbell is
    uint64_t copies_over; // clients may have larger jobs copied; 0: none
};

#define ENGINE_OPTIONS_DEFAULT                                                                     \
    {                                                                                              \
        .threads = 1, .spin_ns = 20000                                                             \
    }

// Starts the threads; `options` NULL: the default ones. Returns 0 or -errno (-EINVAL if a
// thread may not run on its CPU), and then *out is untouched.
int engine_new(struct engine **out, struct event_base *base, const struct engine_options *options);

// Stops the threads and waits for them. No importer may be left. Takes NULL, returns NULL.
struct engine *engine_free(struct engine *engine);

// One importer: the queue pairs of one client, a process of `uid` here or (NODE_ID_SIZE bytes)
// of a node on another machine, and the grants that they may name. 0 or -ENOMEM.
int engine_importer_new(struct engine_importer **out, struct engine *engine, uid_t uid,
                        const uint8_t *node);

// Ends the importer with its grants and queue pairs. The handle is gone at once;
// `done` (may be NULL) is called when the engine will not touch any of it again.
void engine_importer_free(struct engine_importer *importer, engine_done_fn done, void *arg);

struct engine_range {
    int memory_fd;  // the owner's /proc/self/mem; duplicated, stays the caller's
    uint64_t owner; // whose memory it is: same memory, same number
    uid_t uid;      // and who answers for it, should it hang
    uint64_t address, length;
    uint32_t allowed; // 1 << enum qp_opcode
    void *memory;     // of those who move bytes themselves: engine_hold_begin()
    bool any_word;    // atomic operations also on words that are not aligned
    // Instead of memory_fd: its memory file, mapped, from and to which (QP_READ, QP_WRITE) the
    // importer's queue pairs may have whole stretches copied. Taken over on success.
    struct engine_window *window;
    // Of a sync event's counter, or NULL. If that lies in the event's page there is no
    // memory_fd. Taken over on success.
    struct engine_event *event;
};

// Lets the importer's queue pairs reach a range; *key is what requests name. 0 or -errno.
int engine_grant_add(struct engine_importer *importer, const struct engine_range *range,
                     uint32_t *key);

// A range that an importer of an earlier engine had, under its key.
int engine_grant_restore(struct engine_importer *importer, const struct engine_range *range,
                         uint32_t key);

// Ends a grant: requests that name it fail with `error` from now on. `done` is called
// when no byte can move through it any more. Keys are not reused within an importer.
void engine_grant_drop(struct engine_importer *importer, uint32_t key, uint32_t error,
                       engine_done_fn done, void *arg);

// Makes a queue pair; the caller owns the three descriptors for the client (see
// qp_server_init()). 0 or -errno.
int engine_queue_pair_add(struct engine_importer *importer, struct engine_queue_pair **out,
                          int fds[3]);

// The engine's end of the channel; it stays the queue pair's.
int engine_queue_pair_channel(const struct engine_queue_pair *qp);

// The queue pair of an earlier engine, by its memory file, doorbell and that engine's end of
// the channel, which are taken over on success. It rests until engine_resume().
int engine_queue_pair_restore(struct engine_importer *importer, struct engine_queue_pair **out,
                              const int fds[3]);

// All that was restored is served from now on.
void engine_resume(struct engine *engine);

// The threads end, and everything else stays: another engine will go on.
void engine_stop(struct engine *engine);

// `failed` is called, once, when the client breaks the protocol of the ring: nothing more
// is taken from it, and the caller should say so and drop the queue pair.
void engine_queue_pair_on_failure(struct engine_queue_pair *qp, engine_done_fn failed, void *arg);

// Ends a queue pair; the handle is gone at once, and `failed` is not called any more.
void engine_queue_pair_drop(struct engine_queue_pair *qp);

// A request whose bytes somebody else moves, and the grant that it names.
struct engine_hold {
    struct engine_queue_pair *qp;
    struct engine_grant *grant;
    void *memory; // the range's, may be NULL
};

// Checks a request as the engine does. If it is good it is held: a grant that is dropped
// ends only after the hold. Otherwise it is the engine's to answer.
bool engine_hold_begin(struct engine_queue_pair *qp, const struct qp_request *r,
                       struct engine_hold *out);

// Before its queue pair is dropped. `bytes` that were moved are counted; 0: nothing has
// happened.
void engine_hold_end(struct engine_hold *hold, uint32_t bytes);

// Was the grant dropped meanwhile?
bool engine_hold_is_dropped(const struct engine_hold *hold);

struct engine_stats {
    uint64_t requests, bytes, errors;
    uint64_t held_bytes; // of them, those that somebody else moved
    uint32_t in_flight;  // at the time of asking
    bool failed;         // the client broke the protocol; nothing more is taken from it
};

// Of all queue pairs ever.
struct engine_totals {
    uint64_t requests, bytes, errors, busy_ns;
    uint64_t held_bytes; // moved by others: not among `bytes`
    uint64_t waiting;    // requests that are not complete
    unsigned threads;
};

void engine_totals(const struct engine *engine, struct engine_totals *out);

void engine_queue_pair_stats(const struct engine_queue_pair *qp, struct engine_stats *out);

#endif
