// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The executor: a thread's queue of work items, whichever interface they came through.
//
// Its items are allocated when it is made. An item is allocated, filled in, queued, retrieved when
// it is done, and freed; its context decides what it does, through a table of operations. Execution
// is lazy: the thread that retrieves finished items does the work, in the order in which it was
// queued. An item that has to wait for others (docad's engine) is set aside, and the items behind
// it go on.
//
// An executor belongs to one thread at a time. Nothing here locks, allocates, or enters the system,
// except to signal the event descriptor, and after many empty polls.

#ifndef CLIENT_QUEUE_EXECUTOR_H
#define CLIENT_QUEUE_EXECUTOR_H

#include "core/idle.h"
#include "core/severed.h"
#include "errtext.h"
#include "list.h"
#include "work_stats.h"

#include <doca_types.h>

#include <stdatomic.h>
#include <stdint.h>

#define WORK_JOB_SIZE  88 // room for a context's data in an item
#define WORK_DEPTH_MAX (1u << 22)

#define EXECUTOR_POLL_NS 10 // of an empty poll: 5 to 15, measured

struct activity_slot;
struct broker_port;
struct buf_allocator;
struct card_queue;
struct card_work;
struct doca_ctx;
struct doca_dev;
struct executor;
struct pacer;
struct pacer_link;
struct session;
struct work_item;

enum work_status {
    WORK_DONE,    // item->error is the result
    WORK_WAITING, // progress() will be called until it is done
    WORK_KEPT,    // the context keeps the item, see executor_keep()
    WORK_LATER,   // of execute() with `eager`: it is called again from a poll, in turn
    WORK_UNTRIED, // returned by quick(): nothing was done
};

struct work_ops {
    // Copies what the item needs of a job that the caller may change or free as soon as this
    // returns. A refused job never becomes work; item->refusal has the reason.
    doca_error_t (*prepare)(struct work_item *item, const void *job);
    enum work_status (*execute)(struct work_item *item);
    // Calls execute() when the job is submitted. For jobs that others wait for: the thread that
    // submitted it may do something else before it polls.
    bool eager;
    // For tasks, with `eager`: prepare() and execute() in one, for the common case, in few
    // instructions. If it is not that case, does nothing and returns WORK_UNTRIED: they are called
    // then. May be NULL.
    enum work_status (*quick)(struct work_item *item, const void *job);
    // Does not return WORK_LATER.
    enum work_status (*progress)(struct work_item *item);
    // A queued item that execute() was not called for, or returned WORK_LATER for, is dropped or
    // ends with an error. Releases what prepare() took. NULL: it took nothing.
    void (*drop)(struct work_item *item);
    // Fills in the result that the application sees. NULL: the result is item->error.
    void (*finish)(const struct work_item *item, union doca_data *result);
    // The type of jobs whose failure is only in the event: retrieving it succeeds, as in the 1.3
    // interface. 0: none.
    int complete_on_event;
    // Its waiting items only wait for sources that have block().
    bool may_block;
    enum work_library library; // by which docad counts its jobs
    // What a prepared item requires of a card, for its model of times. NULL: that takes no time.
    void (*measure)(const struct work_item *item, struct card_work *work);
    // It reads the program's buffers when it is executed, and not when it is prepared: it must be
    // executed when it is submitted.
    bool early;
    // Its items end in the order of their submission.
    bool ordered;
    // For items that others wait for, or that wait for others (RDMA, Comch): the queue of the card
    // that an item goes through. A paced link executes them when they are submitted, and reports
    // those of one queue in their order. NULL: the item waits for a message, and its time begins
    // when that has come.
    struct card_queue *(*lane)(const struct work_item *item);
    // Its jobs never touch imported memory: its links need no place on the activity page, of which
    // a process has few.
    bool touches_no_imports;
};

// A context's link to an executor, see link.h.
struct work_link {
    struct doca_ctx *ctx;
    const struct work_ops *ops;
    const struct doca_dev *device;  // the context's, or NULL
    struct broker_port *port;       // to engines, for brokered bytes
    struct activity_slot *activity; // of the device's session, see touch.h; NULL if there is none
    struct work_stats *stats; // the counts that docactl shows, see common/work_stats.h; never NULL
    struct executor *executor;
    uint32_t in_flight;           // items taken and not put back
    uint32_t depth;               // the most of them, if that is known
    void *state;                  // the library's own, made and freed by ctx_ops
    struct buf_allocator *copies; // of buffers of RDMA jobs, see buf/held.h
    struct pacer_link *pacing;    // see pacer.h; NULL: none
    struct session *counter;      // the held session whose activity page has `stats`; NULL: none
    struct list node;             // in the executor's links, while it is open
};

// For work_item.account.
#define WORK_OF_GRAPH 1 // executor_finish() sets `over`, and no list has the item
#define WORK_PACED    2 // executor_finish() calls pacer_finished(), which comes before that

struct work_item {
    union {
        struct work_item *next; // in the list that it is in
        const char *refusal;    // set while it is prepared and in no list
    };
    struct work_link *link;
    union doca_data user_data;
    int type;
    doca_error_t error;
    uint8_t account; // how the item is counted when it is done, WORK_..., if not by the executor
    bool over;
    uint8_t state;     // of an item that is a task, see progress/task.h
    uint8_t submitted; // the flags of a task of a paced link, see pacer.h
    uint32_t record;   // that the pacer has of an item with WORK_PACED
    _Alignas(8) unsigned char job[WORK_JOB_SIZE]; // the context's
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct work_item) == 128, "two cache lines");

struct work_fifo {
    struct work_item *head, **tail;
};

// Something outside that waiting items wait for.
struct work_source {
    struct list node;
    void (*poll)(struct work_source *source);  // handles what has arrived
    bool (*arm)(struct work_source *source);   // true: do not sleep, there is something to poll
    void (*clear)(struct work_source *source); // undoes the wake-up
    // Waits for a moment, some 10 us, until something arrives. Returns false: it did not. May be
    // NULL.
    bool (*block)(struct work_source *source);
};

struct executor {
    struct work_item *free;
    struct work_fifo queue, waiting, done;
    bool armed;     // code that queues work must signal
    bool arming;    // work is moved on for executor_arm(): do not call the application
    bool signalled; // the event descriptor is readable
    bool event_driven;
    int epoll_fd; // what the application waits for; -1 until first event driven
    int event_fd;
    struct severed severed; // contains these two
    uint32_t depth;
    uint32_t kept;    // items that contexts keep
    struct idle idle; // of the polling thread
    struct list sources;
    struct pacer *pacer; // while a link is paced
    struct work_item *items;
    struct list links;           // the open ones
    struct broker_port *port;    // while one is open
    struct work_stats uncounted; // for links without a slot on the activity page
};

// Makes an executor without items, for items that are allocated elsewhere. They are never allocated
// or freed here.
void executor_init_bare(struct executor *executor);
doca_error_t executor_init(struct executor *executor, uint32_t depth, struct errtext *err);
void executor_fini(struct executor *executor);
// Allowed while all items are free.
doca_error_t executor_set_depth(struct executor *executor, uint32_t depth, struct errtext *err);

// ---- data path --------------------------------------------------------------------

// Allocates an item for the link's context, to be filled in; NULL if all are in use.
static inline struct work_item *executor_take(struct executor *executor, struct work_link *link)
{
    struct work_item *item = executor->free;
    if (__builtin_expect(!item, 0))
        return NULL;
    executor->free = item->next;
    item->link = link;
    link->in_flight++;
    return item;
}

static inline void executor_put(struct executor *executor, struct work_item *item)
{
    item->link->in_flight--;
    item->next = executor->free;
    executor->free = item;
}

static inline void work_fifo_init(struct work_fifo *fifo)
{
    fifo->head = NULL;
    fifo->tail = &fifo->head;
}

static inline void work_fifo_push(struct work_fifo *fifo, struct work_item *item)
{
    item->next = NULL;
    *fifo->tail = item;
    fifo->tail = &item->next;
}

// Puts the item at the front, its former position.
static inline void work_fifo_unpop(struct work_fifo *fifo, struct work_item *item)
{
    item->next = fifo->head;
    if (!fifo->head)
        fifo->tail = &item->next;
    fifo->head = item;
}

static inline struct work_item *work_fifo_pop(struct work_fifo *fifo)
{
    struct work_item *item = fifo->head;
    if (item && !(fifo->head = item->next))
        fifo->tail = &fifo->head;
    return item;
}

// For a context that keeps items in lists of its own, so that a poll need not examine each:
// execute(), or progress(), counts the item here and returns WORK_KEPT; the context's source, or
// any other part of the context, finishes it.
static inline enum work_status executor_keep(struct executor *executor)
{
    executor->kept++;
    return WORK_KEPT;
}

// Ends an item with an account.
void executor_finish_apart(struct work_item *item) __attribute__((noinline, cold));

static inline void executor_finish(struct executor *executor, struct work_item *item)
{
    executor->kept--;
    if (__builtin_expect(item->account, 0))
        executor_finish_apart(item);
    else
        work_fifo_push(&executor->done, item);
}

// Frees the link's items that are queued or done.
void executor_discard(struct executor *executor, const struct work_link *link);

// Ends the link's items that are queued: they are done, with this error.
void executor_fail_queued(struct executor *executor, const struct work_link *link,
                          doca_error_t error);

// Calls `cancel` for each of the link's waiting items. Those for which it returns WORK_DONE are
// done.
void executor_cancel_waiting(struct executor *executor, const struct work_link *link,
                             enum work_status (*cancel)(struct work_item *item));

void executor_signal(struct executor *executor);

static inline void executor_queue(struct executor *executor, struct work_item *item)
{
    work_fifo_push(&executor->queue, item);
    if (__builtin_expect(executor->armed, 0))
        executor_signal(executor);
}

// Puts an item into the right list after it was executed at submission.
static inline void executor_place(struct executor *executor, struct work_item *item,
                                  enum work_status status)
{
    if (status == WORK_DONE)
        work_fifo_push(&executor->done, item);
    else if (__builtin_expect(status == WORK_WAITING, 0))
        work_fifo_push(&executor->waiting, item);
    else if (status == WORK_LATER)
        work_fifo_push(&executor->queue, item);
    // Called even if the item is not done: a thread that sleeps already does not wait for external
    // events yet.
    if (__builtin_expect(executor->armed, 0))
        executor_signal(executor);
}

// Advances waiting items, and returns none: for a submission that would have to wait for items of
// its own thread.
void executor_move_on(struct executor *executor);

// For operations that have `eager`.
static inline void executor_execute(struct executor *executor, struct work_item *item)
{
    executor_place(executor, item, item->link->ops->execute(item));
}

// Orders what this thread has read and written before what it reads and writes from here on, for
// all processes that map the same memory. A card does that for jobs that are done: their bytes are
// in place before the program gets the completion, so that a second job, or the program itself, may
// set a flag that reports it. Where the processor keeps the order by itself (x86-64) this is no
// instruction (tests/models/jobs.pml). Only a write may still be passed by a later read.
static inline void work_in_order(void)
{
    atomic_thread_fence(memory_order_acq_rel);
}

struct work_item *executor_poll_waiting(struct executor *executor);

// Moves work on until an item is done; NULL if none is done.
static inline struct work_item *executor_next_done(struct executor *executor)
{
    struct work_item *item;

    if (__builtin_expect(executor->done.head != NULL, 0))
        return work_fifo_pop(&executor->done);
    if (__builtin_expect(executor->waiting.head || executor->kept, 0)) {
        item = executor_poll_waiting(executor);
        if (item)
            return item;
    }
    while ((item = work_fifo_pop(&executor->queue))) {
        enum work_status status = item->link->ops->execute(item);
        if (__builtin_expect(status == WORK_DONE, 1))
            return item;
        if (status == WORK_WAITING)
            work_fifo_push(&executor->waiting, item);
        else if (status == WORK_LATER)
            work_fifo_push(&executor->queue, item);
    }
    return NULL;
}

// The same, and returns it.
static inline struct work_item *executor_poll(struct executor *executor)
{
    struct work_item *item = executor_next_done(executor);

    if (item)
        work_in_order();
    return item;
}

// Called when a poll of the program has found nothing: yields the CPU now and then.
void executor_let_others(struct executor *executor);

static inline void executor_count_empty(struct executor *executor)
{
    if (__builtin_expect(++executor->idle.empty >= executor->idle.spin_limit, 0))
        executor_let_others(executor);
}

// ---- waiting ------------------------------------------------------------------------

// Switches event-driven mode; the descriptors are made when it is first needed, and stay.
doca_error_t executor_set_event_driven(struct executor *executor, bool on, struct errtext *err);

// Moves work on, then makes sure that the event descriptor becomes readable as soon as
// an item is done or queued.
doca_error_t executor_arm(struct executor *executor, struct errtext *err);

// Makes the event descriptor unreadable.
doca_error_t executor_clear(struct executor *executor, struct errtext *err);

// While it is linked, a source is polled whenever items wait or are kept. It manages its
// descriptors itself: it adds them to epoll_fd if the executor is event driven.
static inline void executor_add_source(struct executor *executor, struct work_source *source)
{
    list_append(&executor->sources, &source->node);
}

#endif
