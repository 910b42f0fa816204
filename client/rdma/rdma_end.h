// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One side of an RDMA connection: its settings, its endpoint at docad, and its queues. It does not
// depend on a generation of the interface: an instance of DOCA 2.2 has one, a context of DOCA 3 one
// for each of its connections.
//
// Jobs other than receives are kept in two lists: jobs whose entry is in the direction and waits to
// be taken (`posted`), and behind them jobs that could not be started or finished yet (`stalled`),
// of which only the first one moves. A job on remote memory starts when nothing is posted, so that
// all jobs take effect in the order of submission. Until the other side has connected it waits in
// `stalled`, as messages wait in the direction.
//
// Receives are in a queue that several ends may share. A receive whose message is arriving belongs
// to the end where it arrives.
//
// Settings and connecting are under the owner's lock, if it has one; queues and indices belong to
// the executor's thread. Both share `pair`: connecting sets it once, with a release.

#ifndef CLIENT_RDMA_RDMA_END_H
#define CLIENT_RDMA_RDMA_END_H

#include "buf/held.h"
#include "core/device.h"
#include "core/severed.h"
#include "queue/card_clock.h"
#include "queue/executor.h"
#include "rdma_desc.h"
#include "rdma_pair.h"

#define RDMA_QUEUE_MAX     32768u
#define RDMA_QUEUE_DEFAULT 128u
#define RDMA_LIST_MAX      64u
#define RDMA_SIZE_MAX      (1u << 31)
#define RDMA_STEP          ((size_t)1 << 20) // bytes copied between two checks whether it is still allowed
#define RDMA_GIDS          2u

#define RDMA_NO_RECV_SIZE "%s takes no size of the receive queue, although its capability names one"

#define RDMA_MEMORY_GONE                                                                           \
    "the remote memory was revoked, has ended with its owner, or cannot be reached"

// The values are those of DOCA_RDMA_STATE_... of DOCA 2.2.
enum rdma_state {
    RDMA_STATE_RESET,     // closed
    RDMA_STATE_INIT,      // open, not connected
    RDMA_STATE_CONNECTED, // the other side may still be about to connect
    RDMA_STATE_ERROR,
};

// In the order of DOCA_RDMA_JOB_... of DOCA 2.2.
enum rdma_job_kind {
    RDMA_JOB_RECV,
    RDMA_JOB_SEND,
    RDMA_JOB_SEND_IMM,
    RDMA_JOB_READ,
    RDMA_JOB_WRITE,
    RDMA_JOB_WRITE_IMM,
    RDMA_JOB_ATOMIC_CMP_SWP,
    RDMA_JOB_ATOMIC_FETCH_ADD,
    // On sync events of the other side: see struct rdma_others.
    RDMA_JOB_EVENT_GET,
    RDMA_JOB_EVENT_SET,
    RDMA_JOB_EVENT_ADD,
    RDMA_JOB_KINDS
};

// The values are those of DOCA_RDMA_OPCODE_... of all generations.
enum rdma_received { RDMA_RECEIVED_SEND, RDMA_RECEIVED_SEND_IMM, RDMA_RECEIVED_WRITE_IMM };

struct rdma_end;

// The part of local buffers that a job works on.
enum rdma_extent {
    RDMA_DATA,   // their data
    RDMA_ROOM,   // all from their data on: arriving bytes overwrite the data
    RDMA_BEHIND, // all behind their data: arriving bytes are appended, as in DOCA 3
};

// The job of a work item.
struct rdma_job {
    struct rdma_end *end; // of a receive: where the message arrived, or NULL
    // The program's; copies of them while `held` is set. The first is the source, the destination,
    // or the place for the result of an atomic.
    struct doca_buf *local;
    struct doca_buf *remote;
    uint64_t length; // of the message; for a waiting receive: its room
    uint64_t moved;  // bytes in flight, or arrived
    union {
        uint64_t operand;
        uint8_t *place; // of a receive that is not held: the address of the message
    };
    union {
        uint64_t compare;
        struct buf_stamp stamp; // of a receive that is not held: its buffer's
    };
    uint32_t immediate;
    uint32_t number;      // of its entry, once posted
    uint32_t outstanding; // pieces at an engine
    uint8_t kind;         // enum rdma_job_kind
    uint8_t opcode;       // for a receive: what arrived, enum rdma_received
    bool checked;         // buffers and permissions
    uint8_t extent;       // enum rdma_extent; RDMA_ROOM of an atomic: data may be missing
    bool entered;         // its entry is in the direction
    bool held;
    doca_error_t error; // of the first piece that failed
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

// The transport of a started instance's jobs: shared memory, or an ibverbs device.
struct rdma_transport {
    struct work_source source;
    // The first is called before the endpoint is made, and fills in the transport's part of the
    // connection details in `own`; the second after the endpoint has ended. Either may be NULL.
    doca_error_t (*start)(struct rdma_end *rdma, struct rdma_desc *own, struct errtext *err);
    void (*stop)(struct rdma_end *rdma);
    // docad has connected the endpoints, or, if `linked` is false, does not have the other one.
    // NULL: docad must have connected them.
    doca_error_t (*connect)(struct rdma_end *rdma, const struct rdma_desc *other, bool linked,
                            struct errtext *err);
    // Handles what has arrived. Returns true if there was anything.
    bool (*take_rest)(struct rdma_end *rdma);
    // The connection has ended by itself: RDMA_STATE_ERROR, and pending jobs are flushed with this
    // error. The other side is not notified: it has the end already, or gets it from docad.
    void (*lose)(struct rdma_end *rdma, doca_error_t flush_error);
    // The owner ends the connection, and pending jobs are flushed with this error, now or by polls.
    // The other side is notified.
    void (*leave)(struct rdma_end *rdma, doca_error_t flush_error);
    // Returns whether it has failed without a report. Under the context's lock. NULL: that cannot
    // happen.
    bool (*broken)(const struct rdma_end *rdma);
    // Returns one more descriptor that wakes an event-driven work queue. NULL: there is none.
    int (*wakes)(const struct rdma_end *rdma);
};

enum rdma_step {
    RDMA_DONE,    // item->error is the result
    RDMA_POSTED,  // its entry waits to be taken
    RDMA_STALLED, // call again
};

// The owner's functions for kinds of jobs that other rooms carry out.
struct rdma_others {
    enum rdma_step (*step)(struct work_item *item); // never RDMA_POSTED
    // An engine still works on it.
    bool (*under_way)(const struct work_item *item);
};

struct rdma_verbs;
struct verbs_receives;

struct rdma_settings {
    uint32_t send_size, recv_size, recv_chain, permissions, sl;
    uint32_t gid_choice; // index + 1; 0: the best
    uint8_t rnr_choice;  // retries + 1; 0: docad's configuration sets it
    uint8_t mtu;         // enum doca_mtu_size
    bool grh;
    bool dc; // a reliable connection for each peer, under the name of dynamic connections
};

struct rdma_receives {
    struct work_fifo queue;
    uint32_t n;
    struct verbs_receives *verbs; // NULL: not shared by ends on an ibverbs device
};

// Where the next entry of an end will appear, and the number that its head will have.
struct rdma_spot {
    const _Atomic uint64_t *head;
    uint32_t number;
};

// The ends of one context, which the executor polls together: see group.c.
struct rdma_group {
    struct work_source source;
    struct rdma_spot *spots; // of the ends, in their order
    struct rdma_end **ends;
    uint32_t n, room;
    uint32_t from, turn;
    uint32_t latest;         // the index where a job was done last
    struct rdma_end *sender; // the one that posted last, or NULL
};

struct rdma_end {
    // The fields that every message needs come first: the ends of a context share the cache, and
    // each should use as few lines as possible. `slot_word` to `tx` are set before `pair`; the
    // fields after it belong to the executor.
    _Atomic uint32_t state; // enum rdma_state
    uint32_t n_sends;
    const _Atomic uint64_t *slot_word; // in the state table; NULL: not in shared memory
    uint64_t slot_live;                // its value while the endpoint lives
    struct rdma_side *their;
    struct rdma_direction *rx, *tx;
    _Atomic(struct rdma_pair_shared *) pair;
    struct work_link *link;   // NULL: none
    struct rdma_group *group; // NULL: the executor polls it by itself; set before it is attached
    struct rdma_spot *spot;   // the group's, or own_spot
    struct rdma_receives *receives; // set before it is attached
    struct work_fifo posted, stalled;
    struct work_item *receiving; // takes the message whose bytes are still arriving; or NULL
    uint32_t entered, taken;     // entries of tx: written, taken by the other side
    uint32_t received, copied;   // entries and chunks of rx that we took
    uint32_t unread;             // polls that have not checked how many were taken
    uint32_t quiet_polls, empty_polls;
    struct rdma_message message; // the latest
    bool taken_is_new;           // message.taken is new
    bool rings_us;               // the other side has learnt that, see rdma_ring()

    struct rdma_settings set;
    uint32_t message_max;                   // bytes; RDMA_SIZE_MAX, or less on a card
    uint32_t list_max;                      // buffers of a list
    const struct rdma_transport *transport; // while open
    const struct rdma_others *others;       // NULL: there are no such jobs
    struct doca_dev *device;                // the owner's, which outlives the end

    struct session *session;
    const struct state_table *table;
    uint64_t endpoint;
    uint32_t slot;
    int lifeline, channel;
    struct severed severed; // of these two, and `pair`
    unsigned generation;    // of the process that opened it
    uint8_t details[RDMA_DESC_SIZE_MAX];
    size_t details_size;

    struct rdma_verbs *verbs; // on an ibverbs device, while started

    // Set before `pair`.
    uint32_t remote_permissions;
    bool same_user;
    struct rdma_side *own;

    // The executor's fields:
    struct work_source source;
    uint32_t place; // in the group
    struct rdma_spot own_spot;
    int epoll_fd; // that the descriptors were added to, or -1
    // When we first sleep, the other side is notified that it has to wake us: programs that poll
    // never pay for that. The owner's threads must not connect while another one sleeps.
    bool shows_late;
    // The connection has ended: called in the executor's thread, once, where the program must not
    // be called. May be NULL.
    void (*ended)(struct rdma_end *rdma);
    int64_t alive_ms; // when docad was last seen alive
    doca_error_t flush_error;
    bool broken;              // a job failed, and all jobs after it are to be flushed
    bool shares_receives;     // they outlive this end
    uint32_t filled, emptied; // chunks of tx
    struct rdma_offer ours[RDMA_OFFERS], theirs[RDMA_OFFERS];
    uint32_t n_offers;
    struct card_queue paced; // its send queue, on a card that paces it: see paced.c
    struct rdma_comch {      // what Comch uses it for, for lists
        enum { RDMA_NOT_COMCH, RDMA_CONSUMER, RDMA_PRODUCERS } part;
        uint64_t channel;
        uint32_t consumer;
    } comch;
};

static inline struct rdma_job *rdma_job_of(struct work_item *item)
{
    return (struct rdma_job *)item->job;
}

static inline struct rdma_end *rdma_of(const struct work_item *item)
{
    return ((const struct rdma_job *)item->job)->end;
}

static inline enum rdma_job_kind rdma_kind(const struct work_item *item)
{
    return (enum rdma_job_kind)((const struct rdma_job *)item->job)->kind;
}

static inline bool rdma_is_other(const struct work_item *item)
{
    return rdma_kind(item) >= RDMA_JOB_EVENT_GET;
}

// An engine still works on the job.
static inline bool rdma_at_engine(struct work_item *item)
{
    return rdma_is_other(item) ? rdma_of(item)->others->under_way(item)
                               : rdma_job_of(item)->outstanding;
}

static inline enum rdma_state rdma_state(const struct rdma_end *rdma)
{
    // Acquire: another thread may have connected it. A thread that reads RDMA_STATE_CONNECTED sees
    // everything that was set before, `slot_word` and `their` among them.
    return (enum rdma_state)atomic_load_explicit(&rdma->state, memory_order_acquire);
}

static inline const char *rdma_device_name(const struct rdma_end *rdma)
{
    return dev_name(rdma->device);
}

// ---- limits.c: what a device takes; of NULL, what all of software do

struct card;
uint32_t rdma_send_queue_max(const Docad__Function *function, const struct card *card);
uint32_t rdma_recv_queue_max(const Docad__Function *function, const struct card *card);
uint32_t rdma_list_max(const Docad__Function *function, const struct card *card);
uint32_t rdma_message_max(const Docad__Function *function, const struct card *card);
bool rdma_atomics(const Docad__Function *function, const struct card *card);
uint32_t rdma_gids(const Docad__Function *function, const struct card *card);
// All zero if there is none.
void rdma_gid(const Docad__Function *function, uint32_t index, uint8_t gid[16]);
// Makes the default queue sizes as small as the device needs them.
void rdma_fit_defaults(struct rdma_settings *set, const struct doca_dev *dev);
// Returns DOCA_ERROR_NOT_SUPPORTED for settings beyond the device's limits: those that were made
// before the device was known.
doca_error_t rdma_check_settings(const struct rdma_settings *set, const struct doca_dev *dev,
                                 struct errtext *err);

// ---- connection.c: the life of an end ----------------------------------------------------------

void rdma_end_init(struct rdma_end *rdma);

// Makes an endpoint at docad, for rdma->set; details and details_size are the connection details
// for the other side. The device stays until rdma_end_close().
doca_error_t rdma_end_open(struct rdma_end *rdma, struct doca_dev *device,
                           const struct rdma_transport *transport, struct errtext *err);
void rdma_end_close(struct rdma_end *rdma);

// From then on the executor polls it. Jobs need that.
doca_error_t rdma_end_attach(struct rdma_end *rdma, struct work_link *link, struct errtext *err);
void rdma_end_detach(struct rdma_end *rdma);

// Connects it to the end with these details. Jobs begin when that has connected, too.
// DOCA_ERROR_BAD_STATE, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_CONNECTION_ABORTED.
doca_error_t rdma_end_connect(struct rdma_end *rdma, const void *details, size_t size,
                              struct errtext *err);

extern const struct rdma_transport rdma_on_shm;

// ---- queue.c: the executor's view ---------------------------------------------------------

// A job is ready for this when its kind and end are set, its buffers are taken, the rest of it is
// zero, and it is counted in n_sends or receives->n. Receives of a shared queue do not come here.
enum work_status rdma_execute(struct work_item *item);
void rdma_poll(struct work_source *source);
bool rdma_arm(struct work_source *source);
void rdma_clear(struct work_source *source);

// The same for an end that is rarely polled: does not defer anything.
void rdma_poll_seldom(struct rdma_end *rdma);

// Handles everything that has arrived in shared memory.
bool rdma_take_rest(struct rdma_end *rdma);

// ---- group.c: ends that are polled together -----------------------------------------------------

void rdma_group_init(struct rdma_group *group);
void rdma_group_fini(struct rdma_group *group);
// Its first end makes the executor poll it, and its last one ends that.
doca_error_t rdma_group_add(struct rdma_group *group, struct rdma_end *rdma,
                            struct executor *executor, struct errtext *err);
void rdma_group_remove(struct rdma_end *rdma);

// Updates where the next message will arrive, or that none will.
static inline void rdma_spot_set(struct rdma_end *rdma)
{
    static const _Atomic uint64_t never;
    bool takes = rdma->rx && rdma_state(rdma) == RDMA_STATE_CONNECTED;

    rdma->spot->head = takes ? &rdma->rx->entries[rdma->received % RDMA_ENTRIES].head : &never;
    rdma->spot->number = takes ? rdma->received + 1 : 1;
}

// ---- watch.c: is all still there that the connection needs? ---------------------------------

// Returns DOCA_SUCCESS, or the error of pending jobs: the other side, the device, or docad has
// ended.
doca_error_t rdma_check(struct rdma_end *rdma);
// Ends the connection if that has happened.
void rdma_check_end(struct rdma_end *rdma);
// Checks, and empties the descriptors that woke us: DOCA_SUCCESS, or the error of pending jobs.
doca_error_t rdma_check_descriptors(struct rdma_end *rdma);
// The connection has ended by itself. Jobs done before count.
void rdma_ended(struct rdma_end *rdma, doca_error_t error);
// The same for a caller that is about to retrieve completed jobs.
void rdma_ended_now(struct rdma_end *rdma, doca_error_t error);

// ---- end.c: jobs and the queue end ----------------------------------------------------------

// A job other than a receive is done: item->error is its result.
void rdma_finish_send(struct rdma_end *rdma, struct work_item *item);
// The other side has taken entries up to this number: their jobs are done.
void rdma_complete_posted(struct rdma_end *rdma, uint32_t taken);
// The other side reports, in an entry, how many of ours it has taken.
void rdma_acknowledged(struct rdma_end *rdma, uint16_t taken);

// A job fails: its error, and one log line. The caller finishes it and then calls
// rdma_fail().
void rdma_job_failed(struct work_item *item, doca_error_t error, const struct errtext *err);
// A job failed: RDMA_STATE_ERROR. Pending jobs are flushed, and the other side is notified.
void rdma_fail(struct rdma_end *rdma, doca_error_t flush_error);
// As in rdma_transport.
void rdma_lose(struct rdma_end *rdma, doca_error_t flush_error);
// The executor is detached while jobs are pending: the same, without a failure.
void rdma_leave(struct rdma_end *rdma, doca_error_t flush_error);
// Breaks an established connection, as if each other's peer had ended. For injected faults, in the
// executor's thread. Returns false if it is not established.
bool rdma_lose_peer(struct rdma_end *rdma);
// The other side breaks the rules of the memory that is shared with it.
void rdma_corrupted(struct rdma_end *rdma);
// Ends pending jobs with rdma->flush_error, except for jobs that an engine still works on.
void rdma_flush(struct rdma_end *rdma);
// The descriptors do not wake any thread any more.
void rdma_drop_descriptors(struct rdma_end *rdma);

// ---- direction.c: what this side shows to the other one
// ------------------------------------------

// In quick.h: rdma_write_entry(), rdma_ring().

bool rdma_has_entry(struct rdma_end *rdma);
bool rdma_has_chunk(struct rdma_end *rdma);
// Writes an entry; there must be room.
uint32_t rdma_enter(struct rdma_end *rdma, const struct rdma_message *message, const void *payload,
                    size_t size);
// The other side may sleep.
void rdma_ring_sleeper(struct rdma_end *rdma);
// Notifies the other side that this one has connected: jobs that wait for that may begin. The pair
// must exist.
void rdma_notify_here(struct rdma_end *rdma);
// A full barrier for both sides: their earlier publications are visible here, or ours to them. They
// need no fence.
void rdma_pass_barrier(void);
// Starts or stops wake-ups by the other side.
void rdma_show_mode(struct rdma_end *rdma, bool event_driven);
// Tells the other side of our end: RDMA_FAILED or RDMA_LEFT. The pair must exist.
void rdma_notify_end(struct rdma_end *rdma, enum rdma_stage why);

// The number of bytes that a sound buffer counts for, and where they begin.
static inline size_t rdma_part(const struct doca_buf *buf, enum rdma_extent extent)
{
    if (extent == RDMA_DATA)
        return buf->data_len;
    size_t room = buf->len - (size_t)(buf->data - buf->head);
    return extent == RDMA_BEHIND ? room - buf->data_len : room;
}
static inline uint8_t *rdma_part_at(const struct doca_buf *buf, enum rdma_extent extent)
{
    return extent == RDMA_BEHIND ? buf->data + buf->data_len : buf->data;
}

// ---- hold.c: what a job notes of its buffers ----------------------------------------------------

// Makes link->copies, and frees them: no job is in flight then.
doca_error_t rdma_copies_open(struct work_link *link, struct errtext *err);
void rdma_copies_close(struct work_link *link);

// Called at submission of a job that stays in flight and reads its buffers later: it uses copies of
// them from here on. NO_MEMORY.
doca_error_t rdma_hold(struct work_item *item, struct errtext *err);

// A receive with one buffer stores its address there instead: see rdma_received_at().
static inline void rdma_note_place(struct rdma_job *job)
{
    if (!job->local)
        return;
    job->place = rdma_part_at(job->local, (enum rdma_extent)job->extent);
    job->stamp = buf_stamp(job->local);
}

// Copies n bytes to offset `at` of a receive's buffers.
void rdma_received_at(struct rdma_job *job, uint64_t at, const uint8_t *from, size_t n,
                      size_t total);
// All n bytes have arrived: they become data. The receive has a buffer.
void rdma_received_all(struct rdma_job *job, uint64_t n);

// The job is done: item->error is its result.
void rdma_release_held(struct work_item *item);
static inline void rdma_release(struct work_item *item)
{
    if (__builtin_expect(rdma_job_of(item)->held, 0))
        rdma_release_held(item);
}

// ---- paced.c: jobs on a card with a seed or times

// As work_ops say. The jobs of a connection keep their order; receives have no lane.
struct card_queue *rdma_lane(const struct work_item *item);
void rdma_measure(const struct work_item *item, struct card_work *work);
// The connection has ended: jobs that were done are reported without regard to times.
void rdma_hurry(struct rdma_end *rdma);
// Says whether jobs of the connection are done and not reported.
bool rdma_holds_reports(const struct rdma_end *rdma);

// ---- send.c, access.c: how far a job has come ----------------------------------------------

enum rdma_step rdma_send(struct work_item *item);
// Checks the buffers of a job on remote memory, and measures it.
doca_error_t rdma_access_check(const struct work_item *item, struct errtext *err);
enum rdma_step rdma_access(struct work_item *item);

// ---- receive.c ------------------------------------------------------------------------------

// Takes the messages that have arrived and have receives. Returns true if there were any.
bool rdma_receive(struct rdma_end *rdma);
// Returns whether there is anything to take.
bool rdma_receivable(const struct rdma_end *rdma);
// Checks the buffers of a receive, which may have `chain` of them. Returns false if it has failed.
bool rdma_receive_check(struct work_item *item, uint32_t chain);

// ---- direct.c -------------------------------------------------------------------------------

// Returns whether the other side may copy this buffer's data by itself. Offers the map if that has
// not been done.
bool rdma_direct_find(struct rdma_end *rdma, const struct doca_buf *buf, uint32_t *offer);
// The other side offers a map.
void rdma_direct_take(struct rdma_end *rdma, uint32_t slot, uint32_t number, const void *desc,
                      size_t size);
// Returns the memory of an offer; NULL if there is none.
const struct memory *rdma_direct_memory(const struct rdma_end *rdma, uint32_t offer);
void rdma_direct_drop(struct rdma_end *rdma);

// ---- lists.c: local lists of buffers -----------------------------------------------------------

// Checks each buffer, and sums up their bytes. At most `limit` buffers.
doca_error_t rdma_list_check(const struct work_link *link, const struct doca_buf *list,
                             uint32_t limit, enum rdma_extent extent, uint64_t *bytes,
                             struct errtext *err);

// Copies n bytes from, or to, offset `at` of a list.
void rdma_gather(const struct doca_buf *list, uint64_t at, uint8_t *to, size_t n, size_t total);
void rdma_scatter(const struct doca_buf *list, enum rdma_extent extent, uint64_t at,
                  const uint8_t *from, size_t n, size_t total);
// The n bytes that were written become data.
void rdma_set_lengths(struct doca_buf *list, enum rdma_extent extent, uint64_t n);

#endif
