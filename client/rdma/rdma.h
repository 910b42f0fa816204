// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA instance: its settings, its connection, and the queues of its one work queue.
//
// Jobs other than receives are kept in two lists: jobs whose entry is in the lane and waits to be
// taken (`posted`), and behind them jobs that could not be started or finished yet (`stalled`), of
// which only the first one moves. A job on remote memory starts when nothing is posted, so that
// all jobs take effect in the order of submission. Until the other side has connected it waits in
// `stalled`, as messages wait in the lane.
//
// Settings and connecting are under the context's lock; queues and indices belong to the work
// queue's thread. Both share `pair`: connecting sets it once, with a release.

#ifndef CLIENT_RDMA_RDMA_H
#define CLIENT_RDMA_RDMA_H

#include "buf/buf.h"
#include "rdma_desc.h"
#include "rdma_pair.h"
#include "work/ctx.h"

#include <doca_rdma.h>

#define RDMA_QUEUE_MAX     32768u
#define RDMA_QUEUE_DEFAULT 128u
#define RDMA_LIST_MAX      64u
#define RDMA_SIZE_MAX      (1u << 31)
#define RDMA_STEP          ((size_t)1 << 20) // copied between two looks at whether one still may
#define RDMA_GIDS          2u

#define RDMA_MEMORY_GONE                                                                           \
    "the remote memory was revoked, has gone with its owner, or is out of reach"

// What a work item holds for a job.
struct rdma_job {
    struct doca_buf *local; // source, destination, or place for the result of an atomic
    struct doca_buf *remote;
    uint64_t length; // of the message; for a waiting receive: its room
    uint64_t moved;  // bytes on their way, or arrived
    uint64_t operand, compare;
    uint32_t immediate;
    uint32_t number;      // of its entry, once posted
    uint32_t outstanding; // pieces at an engine
    uint8_t opcode;       // for a receive: what arrived
    bool checked;         // buffers and permissions
    bool room;            // the buffers' whole length counts, not their data
    bool entered;         // its entry is in the lane
    doca_error_t error;   // of the first piece that failed
};

_Static_assert(sizeof(struct rdma_job) <= WORK_JOB_SIZE, "fits the item");

// A memory map of ours that the other side may copy from, or a map of the other side.
struct rdma_offer {
    struct doca_mmap *map;
    uint64_t region; // ours: the start of the map that it belongs to
    uint32_t number;
};

struct rdma_message { // an entry, as it was read
    uint8_t kind, where;
    uint16_t taken;
    uint32_t length, immediate;
};

struct doca_rdma;

// The transport of a started instance's jobs: shared memory, or an ibverbs device.
struct rdma_transport {
    struct work_source source;
    // The first is called before the endpoint is made, and fills in the transport's part of the
    // connection details in `own`; the second after the endpoint has gone. Either may be NULL.
    doca_error_t (*start)(struct doca_rdma *rdma, struct rdma_desc *own, struct errtext *err);
    void (*stop)(struct doca_rdma *rdma);
    // docad has connected the endpoints, or, if `linked` is false, cannot know the other one.
    // NULL: docad must have connected them.
    doca_error_t (*connect)(struct doca_rdma *rdma, const struct rdma_desc *other, bool linked,
                            struct errtext *err);
    // Takes what has arrived. True if there was anything.
    bool (*take_rest)(struct doca_rdma *rdma);
    // The connection has ended by itself: DOCA_RDMA_STATE_ERROR, and pending jobs are flushed with
    // this error. The other side is not told: it knows, or docad tells it why.
    void (*lose)(struct doca_rdma *rdma, doca_error_t flush_error);
    // Says whether it has failed without a report. Under the context's lock. NULL: that cannot
    // happen.
    bool (*broken)(const struct doca_rdma *rdma);
    // One more descriptor that wakes an event-driven work queue. NULL: there is none.
    int (*wakes)(const struct doca_rdma *rdma);
};

struct rdma_verbs;

struct doca_rdma {
    struct doca_ctx ctx;
    const struct rdma_transport *transport; // while started
    uint32_t send_size, recv_size, recv_chain, permissions, sl;
    uint32_t gid_choice; // index + 1; 0: the best
    enum doca_mtu_size mtu;
    bool grh;

    _Atomic uint32_t state; // enum doca_rdma_state
    struct session *session;
    const struct state_table *table;
    uint64_t endpoint;
    uint32_t slot;
    int lifeline, channel;
    uint8_t details[RDMA_DESC_SIZE_MAX];
    size_t details_size;

    struct rdma_verbs *verbs; // on an ibverbs device, while started

    // Set before `pair`.
    uint32_t remote_permissions;
    bool same_user;
    struct rdma_side *own, *their;
    struct rdma_lane *tx, *rx;
    _Atomic(struct rdma_pair_shared *) pair;

    // These belong to the work queue.
    struct work_link *link; // NULL: none
    struct work_source source;
    int epoll_fd; // that the descriptors were added to, or -1
    uint32_t empty_polls;
    int64_t looked_ms; // when docad was last seen alive
    doca_error_t flush_error;
    bool broken; // a job failed, and all jobs after it are to be flushed
    uint32_t n_sends, n_recvs;
    struct work_fifo posted, stalled, receives;
    uint32_t entered, taken;   // entries of tx: written, taken by the other side
    uint32_t filled, emptied;  // chunks of tx
    uint32_t unread;           // polls that have not checked how many were taken
    uint32_t received, copied; // entries and chunks of rx that we took
    bool told;                 // message.taken is new
    bool in_message;           // an entry whose bytes are still arriving:
    struct rdma_message message;
    struct rdma_offer ours[RDMA_OFFERS], theirs[RDMA_OFFERS];
    uint32_t n_offers;
};

static inline struct rdma_job *rdma_job_of(struct work_item *item)
{
    return (struct rdma_job *)item->job;
}

static inline struct doca_rdma *rdma_of(const struct work_item *item)
{
    return item->link->state;
}

static inline enum doca_rdma_state rdma_state(const struct doca_rdma *rdma)
{
    return (enum doca_rdma_state)atomic_load_explicit(&rdma->state, memory_order_relaxed);
}

static inline const char *rdma_device_name(const struct doca_rdma *rdma)
{
    return dev_name(rdma->ctx.device); // which stays while the instance is started
}

static inline bool rdma_type_known(int type)
{
    return type >= DOCA_RDMA_JOB_RECV && type <= DOCA_RDMA_JOB_ATOMIC_FETCH_ADD;
}

// ---- job.c: what jobs have in common ---------------------------------------------------------

doca_error_t rdma_prepare(struct work_item *item, const void *submitted);
void rdma_finish(const struct work_item *item, union doca_data *result);

// ---- properties.c: what a device takes; of NULL, what all of software do --------------------

uint32_t rdma_queue_max(const Docad__Function *function);
uint32_t rdma_list_max(const Docad__Function *function);

// ---- connection.c -----------------------------------------------------------------------

doca_error_t rdma_start(struct doca_ctx *ctx, const struct rdma_transport *transport,
                        struct errtext *err);
void rdma_stop(struct doca_ctx *ctx);
doca_error_t rdma_attach(struct work_link *link, struct errtext *err);
void rdma_detach(struct work_link *link);
void rdma_discard(struct work_link *link);

// ---- queue.c: the work queue's view ---------------------------------------------------------

enum work_status rdma_execute(struct work_item *item);
void rdma_poll(struct work_source *source);
bool rdma_arm(struct work_source *source);
void rdma_clear(struct work_source *source);

// Takes everything that has arrived in shared memory.
bool rdma_take_rest(struct doca_rdma *rdma);

// ---- watch.c: is all still there that the connection needs? ---------------------------------

// DOCA_SUCCESS, or the error of pending jobs: the other side, the device, or docad has gone.
doca_error_t rdma_look(struct doca_rdma *rdma);
// Ends the connection if that has happened.
void rdma_look_after(struct doca_rdma *rdma);
// Checks, and empties the descriptors that woke us: DOCA_SUCCESS, or the error of pending jobs.
doca_error_t rdma_look_at_descriptors(struct doca_rdma *rdma);
// The connection has ended by itself. Jobs done before count.
void rdma_ended(struct doca_rdma *rdma, doca_error_t error);
// The same for a caller that is about to take the jobs that were done.
void rdma_ended_now(struct doca_rdma *rdma, doca_error_t error);

// ---- end.c: jobs and the queue end ----------------------------------------------------------

// A job other than a receive is done: item->error is its result.
void rdma_finish_send(struct doca_rdma *rdma, struct work_item *item);
// The other side has taken entries up to this number: their jobs are done.
void rdma_complete_posted(struct doca_rdma *rdma, uint32_t taken);
// The other side reports, in an entry, how many of ours it has taken.
void rdma_acknowledged(struct doca_rdma *rdma, uint16_t taken);

// A job fails: its error, and one log line. The caller finishes it and then calls
// rdma_fail().
void rdma_job_failed(struct work_item *item, doca_error_t error, const struct errtext *err);
// A job failed: DOCA_RDMA_STATE_ERROR. Pending jobs are flushed, and the other side is told.
void rdma_fail(struct doca_rdma *rdma, doca_error_t flush_error);
// As rdma_transport says.
void rdma_lose(struct doca_rdma *rdma, doca_error_t flush_error);
// The work queue is removed while jobs are pending: the same, without a failure.
void rdma_leave(struct doca_rdma *rdma);
// The other side breaks the rules of the memory that is shared with it.
void rdma_corrupted(struct doca_rdma *rdma);
// Ends pending jobs with rdma->flush_error, except for jobs that an engine still works on.
void rdma_flush(struct doca_rdma *rdma);
// The descriptors do not wake anybody any more.
void rdma_forget_descriptors(struct doca_rdma *rdma);

// ---- lane.c: what this side shows to the other one ------------------------------------------

bool rdma_has_entry(struct doca_rdma *rdma);
bool rdma_has_chunk(struct doca_rdma *rdma);
// Writes an entry; there must be room.
uint32_t rdma_enter(struct doca_rdma *rdma, const struct rdma_message *message, const void *payload,
                    size_t size);
// Something was published: wakes the other side if it sleeps.
void rdma_ring(struct doca_rdma *rdma);
// Tells the other side that this one has connected: jobs that wait for that may begin. The pair
// must exist.
void rdma_tell_here(struct doca_rdma *rdma);
// Tells the other side of our end: RDMA_FAILED or RDMA_LEFT. The pair must exist.
void rdma_tell_end(struct doca_rdma *rdma, enum rdma_stage why);

// ---- send.c, access.c: how far a job has come ----------------------------------------------

enum rdma_step {
    RDMA_DONE,    // item->error is the result
    RDMA_POSTED,  // its entry waits to be taken
    RDMA_STALLED, // call again
};

enum rdma_step rdma_send(struct work_item *item);
// Checks the buffers of a job on remote memory, and measures it.
doca_error_t rdma_access_check(const struct work_item *item, struct errtext *err);
enum rdma_step rdma_access(struct work_item *item);

// ---- receive.c ------------------------------------------------------------------------------

// Takes the messages that have arrived and have receives. True if there were any.
bool rdma_receive(struct doca_rdma *rdma);
// Says whether there is anything to take.
bool rdma_receivable(const struct doca_rdma *rdma);
// Checks the buffers of a receive. Returns false if it has failed.
bool rdma_receive_check(struct work_item *item);

// ---- direct.c -------------------------------------------------------------------------------

// Says whether the other side may copy this buffer's data by itself. Offers the map if that has
// not been done.
bool rdma_direct_find(struct doca_rdma *rdma, const struct doca_buf *buf, uint32_t *offer);
// The other side offers a map.
void rdma_direct_take(struct doca_rdma *rdma, uint32_t slot, uint32_t number, const void *desc,
                      size_t size);
// Returns the memory behind an offer; NULL if there is none.
const struct memory *rdma_direct_memory(const struct doca_rdma *rdma, uint32_t offer);
void rdma_direct_drop(struct doca_rdma *rdma);

// ---- lists.c: local lists of buffers -----------------------------------------------------------

// Checks each buffer, and sums up their bytes. At most `limit` buffers.
doca_error_t rdma_list_check(const struct work_link *link, const struct doca_buf *list,
                             uint32_t limit, bool room, uint64_t *bytes, struct errtext *err);

// The number of bytes that a sound buffer counts for.
static inline size_t rdma_part(const struct doca_buf *buf, bool room)
{
    return room ? buf->len - (size_t)(buf->data - buf->head) : buf->data_len;
}

// Copies n bytes from, or to, the place `at` of a list.
void rdma_gather(const struct doca_buf *list, uint64_t at, uint8_t *to, size_t n, size_t total);
void rdma_scatter(const struct doca_buf *list, bool room, uint64_t at, const uint8_t *from,
                  size_t n, size_t total);
// The data lengths become the bytes written.
void rdma_set_lengths(struct doca_buf *list, uint64_t n);

#endif
