// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A sync event: where its counter is, and how it is changed, read and waited for.
//
// The counter lies in a page that all holders of the event map, or in memory that the application
// provides. Only the owner maps that memory: once the event is exported, all changes go through the
// engine of the owner's docad, so that they are atomic.
//
// That memory may lie at any address. If no instruction is atomic there (it is not aligned, and
// may span two cache lines or pages), a lock of the owner makes changes atomic before the export,
// and afterwards the engine, which changes a word under a lock anyway. Reading is then done as a
// change, because plain reading could see half a change.
//
// An event of another machine is far: only the engine there reaches its counter, and nobody
// reports changes. A waiter reads it again and again, with growing pauses.

#ifndef CLIENT_SYNC_EVENT_H
#define CLIENT_SYNC_EVENT_H

#include "cleanup.h"
#include "core/device.h"
#include "core/severed.h"
#include "clock.h"
#include "mmap/exported.h"
#include "queue/broker_queue.h"
#include "queue/executor.h"
#include "sync_page.h"

#include <doca_types.h>
#include <pthread.h>

struct doca_mmap;

enum se_location {
    SE_NOWHERE,
    SE_CPU,
    SE_DPU, // DOCA 3: at the other end of PCI
    SE_NET, // at the other end of an RDMA connection
};

// What a wait is for. Only the bits of a mask count.
enum se_condition {
    SE_GT,
    SE_EQ,
    SE_NEQ,
};

enum se_state {
    SE_CONFIGURED,
    SE_SYNCHRONOUS,  // doca_sync_event_start()
    SE_ASYNCHRONOUS, // doca_ctx_start()
};

// The way to the counter.
enum se_reach {
    SE_DIRECT, // by atomic instructions
    SE_LOCKED, // with the event's lock: not aligned, and not exported yet
    SE_ENGINE,
};

// Where an event was exported.
struct se_export {
    struct se_export *next;
    struct doca_dev *dev;
    enum se_location to;   // SE_DPU or SE_NET
    struct doca_mmap *map; // of the counter's memory
    struct exported made;
};

// The event's identity at other daemons: for an imported event, and for one whose owner uses the
// engine as importers do.
struct se_import {
    struct session *session; // NULL: none
    uint64_t id;
    uint32_t slot;
    const struct state_table *table;
    int lifeline;
};

// A counter that only an engine can reach.
struct se_broker {
    uint64_t address;
    uint32_t key;
    struct broker_node *node; // NULL: the counter is mapped
    // For calls that wait; work queues have their own. Also used for a counter that is SE_LOCKED.
    pthread_mutex_t turn;
    struct broker_queue *queue;
};

// The first member of what each interface makes of it, which adds the context.
struct doca_sync_event {
    pthread_mutex_t lock; // configuration, start and stop, exports
    enum se_state state;
    struct doca_ctx *ctx; // of the interface
    bool imported;
    bool far;             // on another machine: the page is our own, and its counter unused
    _Atomic bool cut_off; // our docad has ended: the owner's end would not be reported
    bool was_synchronous;
    enum se_location publisher, subscriber;
    struct doca_dev *publisher_dev, *subscriber_dev;
    void *user; // the application's memory for the counter, anywhere

    struct sync_page *page;
    int page_fd;
    int timer;   // to wake by, and to sleep on
    bool shared; // other processes have it, or had it
    struct severed severed;
    _Atomic uint64_t *word;      // the counter, if it is SE_DIRECT
    _Atomic enum se_reach reach; // moves on from one value to the next, never back
    struct se_broker broker;
    struct se_import import;
    _Atomic(struct se_export *) exports; // grows at its head only, until the event ends
};

// Other processes may change the counter, once it is exported.
static inline bool se_published_by_others(const struct doca_sync_event *event)
{
    return event->publisher == SE_DPU || event->publisher == SE_NET;
}

static inline struct se_export *se_exports(const struct doca_sync_event *event)
{
    return atomic_load_explicit(&event->exports, memory_order_acquire);
}

static inline enum se_reach se_reach(const struct doca_sync_event *event)
{
    return atomic_load_explicit(&event->reach, memory_order_acquire);
}

static inline bool se_reached(enum se_condition condition, uint64_t counter, uint64_t value,
                              uint64_t mask)
{
    counter &= mask;
    if (condition == SE_GT)
        return counter > value;
    return (counter == (value & mask)) == (condition == SE_EQ);
}

// The pause before the next read of a far counter; `us` was the last one, 0 at first.
#define SE_PAUSE_MIN_US 20u
#define SE_PAUSE_MAX_US 2000u

static inline unsigned se_longer_pause(unsigned us)
{
    return us < SE_PAUSE_MIN_US       ? SE_PAUSE_MIN_US
           : us < SE_PAUSE_MAX_US / 2 ? 2 * us
                                      : SE_PAUSE_MAX_US;
}

// ---- se_counter.c ---------------------------------------------------------------------

// Makes the page and the timer that wakes; maps a page that came from another process.
doca_error_t se_page_new(struct doca_sync_event *event, struct errtext *err);
doca_error_t se_page_map(struct doca_sync_event *event, struct errtext *err);

// Wakes threads that sleep until the counter changes.
void se_wake(struct doca_sync_event *event);

// After every change of the counter.
static inline void se_changed(struct doca_sync_event *event)
{
    // The change was sequentially consistent: a sleeper whose flag we miss sees it.
    if (__builtin_expect(atomic_load_explicit(&event->page->sleeping, memory_order_seq_cst), 0))
        se_wake(event);
}

// The end of an imported event: revoked, its owner gone, or a daemon out of reach.
static inline doca_error_t se_alive(const struct doca_sync_event *event)
{
    const struct se_import *import = &event->import;
    if (!event->imported)
        return DOCA_SUCCESS;
    // Relaxed: nothing else is learned from it.
    if (__builtin_expect(atomic_load_explicit(&event->cut_off, memory_order_relaxed), 0))
        return DOCA_ERROR_NOT_CONNECTED;
    enum slot_state state = state_table_read(import->table, import->slot, import->id);
    return __builtin_expect(state == SLOT_LIVE, 1) ? DOCA_SUCCESS : slot_state_error(state);
}

// The same, and checks that our own docad is still there to report: a system call.
doca_error_t se_alive_for_sure(struct doca_sync_event *event);

// ---- se_owner.c -----------------------------------------------------------------------

// Returns whether others could change the counter and, if not, why. If `sure`, checks docad as
// well, with a system call.
doca_error_t se_others(const struct doca_sync_event *event, bool sure);

// ---- waiting --------------------------------------------------------------------------

// Returns whether a wait goes on: for an imported event as above; for one's own, whether a process
// is left that could change its counter. It may make a system call only if `sure` is set.
static inline doca_error_t se_wait_lasts(struct doca_sync_event *event, bool sure)
{
    if (!event->imported)
        return se_others(event, sure);
    return sure ? se_alive_for_sure(event) : se_alive(event);
}

// Returns whether it is time to make sure. `last_ms` is 0 at first.
#define SE_SURE_EVERY_MS 20

static inline bool se_sure_due(uint64_t *last_ms)
{
    uint64_t now = clock_ms();
    bool due = now - *last_ms >= SE_SURE_EVERY_MS;
    if (due)
        *last_ms = now;
    return due;
}

// `function` is for a kind of device that does not exist here: "DPA", "GPU".
doca_error_t se_no_such(const char *function, const char *what);

// ---- se_broker.c ----------------------------------------------------------------------

enum se_operation {
    SE_GET,
    SE_SET,
    SE_ADD,
    SE_WAIT,
};

// An operation in progress at an engine. Setting a word means exchanging it until no other change
// came in between: the engine's exchanges and additions are atomic among each other.
struct se_request {
    struct doca_sync_event *event;
    enum se_operation operation;
    uint64_t value;    // to set or add
    uint64_t seen;     // what the word was
    bool posted, know; // `seen` is the actual value
    bool done;
    doca_error_t error;
};

// Does the operation with the event's lock. Returns false if the counter belongs to the engine now.
bool se_request_locked(struct se_request *request);

// Starts the next step, if nothing is in progress. Returns false if the queue is full.
bool se_request_go(struct se_request *request, struct broker_queue *queue);

// Does the whole operation in the calling thread.
doca_error_t se_request_run(struct se_request *request);

// The meaning of an engine's or a queue pair's failure.
doca_error_t se_broker_error(const struct doca_sync_event *event, doca_error_t status);

// ---- se_import.c ----------------------------------------------------------------------

// Imports the event that the descriptor names.
doca_error_t se_import_begin(struct doca_sync_event *event, struct doca_dev *dev,
                             const uint8_t *data, size_t size, struct errtext *err);
void se_import_end(struct doca_sync_event *event);

// ---- se_export.c ----------------------------------------------------------------------

void se_exports_end(struct doca_sync_event *event);

// ---- se_job.c -------------------------------------------------------------------------

// In se_job.h, and for the interface of 2.2 in se_context.h.

// ---- se_event.c -----------------------------------------------------------------------

// Makes an event without a counter; se_page_new(), or se_import_begin(), gives it one.
void se_init(struct doca_sync_event *event, struct doca_ctx *ctx);
// Its context is idle, or has no work queues.
void se_fini(struct doca_sync_event *event);
// NULL, and one line, if the event was used through its own start.
struct doca_ctx *se_as_ctx(const char *function, const struct doca_sync_event *event);

// These are public functions of each interface, and report failures in the name of `function`:
// DOCA_ERROR_INVALID_VALUE, and for the memory NOT_SUPPORTED and BAD_STATE, too.
doca_error_t se_add_location(const char *function, struct doca_sync_event *event, bool publisher,
                             enum se_location to, struct doca_dev *dev);
doca_error_t se_set_memory(const char *function, struct doca_sync_event *event, uint64_t *addr);
doca_error_t se_start(const char *function, struct doca_sync_event *event);
doca_error_t se_stop(const char *function, struct doca_sync_event *event);

// For contexts. The second returns false if the event is not in that state.
doca_error_t se_try_start(struct doca_sync_event *event, enum se_state state, struct errtext *err);
bool se_try_stop(struct doca_sync_event *event, enum se_state state);

// The first device that the event was given; NULL if it has none.
struct doca_dev *se_device(const struct doca_sync_event *event);

// ---- se_export.c, se_from_export.c -------------------------------------------------------

// To SE_DPU or SE_NET.
doca_error_t se_export(const char *function, struct doca_sync_event *event, enum se_location to,
                       struct doca_dev *dev, const uint8_t **data, size_t *sz);
// Gives an event that was just made the counter of the export, which must be one to there.
doca_error_t se_from_export(const char *function, struct doca_sync_event *event,
                            enum se_location to, struct doca_dev *dev, const uint8_t *data,
                            size_t size);

// ---- se_sync.c -------------------------------------------------------------------------

// The calls of synchronous mode, which report failures in the name of `function`. The pointers are
// not NULL.
doca_error_t se_get(const char *function, struct doca_sync_event *event, uint64_t *value);
doca_error_t se_update_set(const char *function, struct doca_sync_event *event, uint64_t value);
doca_error_t se_update_add(const char *function, struct doca_sync_event *event, uint64_t value,
                           uint64_t *fetched);
// If `yield`, gives the processor away between two looks.
doca_error_t se_wait(const char *function, struct doca_sync_event *event,
                     enum se_condition condition, uint64_t value, uint64_t mask, bool yield);

#endif
