// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Receives: posted, and taken when their message has come. What the other side writes may be
// hostile: each field is read once and checked, and the copy is used.

#include "consumer.h"

#include "buf/buf.h"
#include "core/refused.h"
#include "work/short.h"
#include "work_stats.h"

#include <string.h>

#define BATCH 64

const struct task_kind comch_consumer_tasks[1] = {
    {.name = "receive",
     .size = sizeof(struct doca_comch_consumer_task_post_recv),
     .max = COMCH_CONSUMER_TASKS_MAX,
     .needs = CARD_COMCH_FAST},
};

static struct doca_comch_consumer_task_post_recv *task_in(struct work_item *item)
{
    return (struct doca_comch_consumer_task_post_recv *)item;
}

// ---- posting ---------------------------------------------------------------------------------

static const char *wrong_with(const struct doca_comch_consumer *consumer,
                              const struct doca_buf *buf)
{
    if (!buf)
        return NULL; // room for immediate data alone
    if (!buf->refcount)
        return "the task's buffer was given back";
    if (buf->mmap != consumer->map)
        return "the task's buffer does not lie in the map that the consumer was made with";
    if (buf->next)
        return "the task's buffer is a list; a receive takes one buffer";
    if (!buf_sound(buf))
        return "the data of the task's buffer lie outside the buffer";
    return NULL;
}

doca_error_t comch_consumer_prepare(struct work_item *item, const void *job)
{
    (void)job;
    item->refusal = wrong_with(comch_consumer_of(item->link->ctx), task_in(item)->buf);
    return item->refusal ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static __attribute__((noinline, cold)) enum work_status too_much_room(struct work_item *item,
                                                                      uint64_t room)
{
    const struct doca_dev *device = item->link->device;

    item->error = dev_over_limit(device);
    log_own_error("Comch on %s: a receive failed: its buffer has room for %llu bytes, more than a "
                  "message can have on %s (%s)",
                  dev_name(device), (unsigned long long)room, dev_card(device)->name,
                  doca_error_get_name(item->error));
    return WORK_DONE;
}

enum work_status comch_consumer_post(struct work_item *item)
{
    struct doca_comch_consumer *consumer = comch_consumer_of(item->link->ctx);
    struct doca_comch_consumer_task_post_recv *task = task_in(item);
    const struct doca_buf *buf = task->buf;
    struct comch_posted *at = &consumer->receives->at[consumer->posted & (consumer->slots - 1)];
    uint64_t room = buf ? buf_tailroom(buf) : 0;

    if (__builtin_expect(room > consumer->most_room, 0))
        return too_much_room(item, room);
    if (__builtin_expect(consumer->lost != DOCA_SUCCESS, 0)) {
        item->error = consumer->lost;
        return WORK_DONE;
    }
    // The program may use its buffer again from here on.
    task->place = buf ? buf_tail(buf) : NULL;
    task->room = room;
    if (buf)
        task->stamp = buf_stamp(buf);
    // Relaxed: the count publishes them.
    atomic_store_explicit(&at->address, (uintptr_t)task->place, memory_order_relaxed);
    atomic_store_explicit(&at->room, room, memory_order_relaxed);
    work_fifo_push(&consumer->waiting, item);
    consumer->posted++;
    if (room < RDMA_INLINE)
        consumer->narrow = consumer->posted;
    // Release: the entry is complete, and its memory is not touched here any more.
    atomic_store_explicit(&consumer->receives->count,
                          consumer->posted | (uint64_t)consumer->narrow << 32,
                          memory_order_release);
    return executor_keep(item->link->executor);
}

// ---- taking ----------------------------------------------------------------------------------

// Returns the message of this number; NULL if it has not come.
static const struct rdma_entry *find_message(const struct doca_comch_consumer *consumer,
                                             uint32_t number, uint64_t *head)
{
    const struct rdma_entry *entry = &consumer->messages[number & (consumer->slots - 1)];

    // Acquire: the entry is complete, and so are the bytes that were written elsewhere.
    *head = atomic_load_explicit(&entry->head, memory_order_acquire);
    return (uint32_t)*head == number + 1 && comch_where_of(*head) != COMCH_WRITING ? entry : NULL;
}

bool comch_consumer_has_message(const struct doca_comch_consumer *consumer)
{
    uint64_t head;

    return consumer->waiting.head && find_message(consumer, consumer->taken, &head);
}

// Returns false if the message breaks the rules.
static bool take_message(struct work_item *item, const struct rdma_entry *entry, uint64_t head)
{
    struct doca_comch_consumer_task_post_recv *task = task_in(item);
    const struct doca_comch_consumer *consumer = comch_consumer_of(item->link->ctx);
    const volatile struct rdma_entry *e = entry;
    uint8_t where = comch_where_of(head);
    uint32_t length = e->length, imm_length = (uint16_t)(head >> 48);
    size_t inside = where == COMCH_IN_ENTRY ? length : 0;

    if (length > task->room || imm_length > consumer->imm_length ||
        inside + imm_length > RDMA_INLINE)
        return false;
    task->producer = e->immediate;
    task->imm_length = imm_length;
    copy_short(task->imm, entry->payload + inside, imm_length);
    if (inside)
        copy_short(task->place, entry->payload, inside);
    // Returns whether the buffer was neither released nor changed since it was posted.
    if (task->buf && buf_is_same(task->buf, task->stamp) && buf_tail(task->buf) == task->place)
        task->buf->data_len += length;
    WORK_STATS_ADD(item->link->stats->mapped_bytes, inside);
    item->error = DOCA_SUCCESS;
    return where == COMCH_IN_ENTRY || where == COMCH_WRITTEN;
}

static __attribute__((noinline, cold)) void not_written(struct work_item *item)
{
    item->error = DOCA_ERROR_SHUTDOWN;
    if (comch_consumer_of(item->link->ctx)->closed != COMCH_OPEN)
        return; // it came too late
    log_own_warning("Comch on %s: a message could not be written to the memory of its receive (%s)",
                    dev_name(item->link->device), doca_error_get_name(DOCA_ERROR_IO_FAILED));
    item->error = DOCA_ERROR_IO_FAILED;
}

static __attribute__((noinline, cold)) void corrupted(struct doca_comch_consumer *consumer)
{
    log_own_error("Comch on %s: the other side corrupted a consumer's ring; the consumer ends",
                  dev_name(consumer->ctx.device));
    consumer->lost = DOCA_ERROR_IO_FAILED;
}

// Ends the receive. Returns false if the message is invalid.
static bool receive(struct work_item *item, const struct rdma_entry *entry, uint64_t head)
{
    if (comch_where_of(head) == COMCH_FAILED)
        not_written(item);
    else
        return take_message(item, entry, head);
    return true;
}

static bool take_next(struct doca_comch_consumer *consumer)
{
    struct work_item *item = consumer->waiting.head;
    const struct rdma_entry *entry;
    uint64_t head;

    if (!item || !(entry = find_message(consumer, consumer->taken, &head)))
        return false;
    if (!receive(item, entry, head)) {
        corrupted(consumer);
        return true;
    }
    consumer->taken++;
    executor_finish(consumer->ctx.link.executor, work_fifo_pop(&consumer->waiting));
    return true;
}

bool comch_consumer_take(struct doca_comch_consumer *consumer)
{
    unsigned n = 0;

    while (n < BATCH && consumer->lost == DOCA_SUCCESS && take_next(consumer))
        n++;
    return n != 0;
}

// ---- closing ---------------------------------------------------------------------------------

// Returns whether a producer that lives writes to the memory of a receive.
static bool being_written(const struct doca_comch_consumer *consumer)
{
    const struct rdma_end *rdma = &consumer->rdma;

    if (state_table_read(rdma->table, rdma->slot, rdma->endpoint) != SLOT_LIVE)
        return false; // docad has taken the memory back from it
    for (uint32_t n = consumer->taken; n != consumer->posted; n++) {
        uint64_t head = atomic_load(&consumer->messages[n & (consumer->slots - 1)].head);
        if ((uint32_t)head == n + 1 && comch_where_of(head) == COMCH_WRITING)
            return true;
    }
    return false;
}

// Some programs stop a consumer and give its buffers back without waiting for its tasks. Such tasks
// only end.
static void await_buffers(struct doca_comch_consumer *consumer)
{
    for (struct work_item *item = consumer->waiting.head; item; item = item->next) {
        struct doca_comch_consumer_task_post_recv *task = task_in(item);
        task->buf_gone = false;
        if (task->buf)
            buf_await(task->buf, &task->buf_gone);
    }
    consumer->awaits_buffers = true;
}

// The program may have given its buffer back, so that nothing is to be received in it. Returns
// whether it still has it.
static bool has_buffer(const struct doca_comch_consumer *consumer,
                       struct doca_comch_consumer_task_post_recv *task)
{
    if (!consumer->awaits_buffers || !task->buf)
        return true;
    if (!task->buf_gone)
        buf_await_no_more(task->buf);
    return !task->buf_gone;
}

static void begin_closing(struct doca_comch_consumer *consumer)
{
    consumer->closed = COMCH_CLOSING;
    atomic_store(&consumer->receives->closed, COMCH_CLOSING); // see comch_remote_begin_writing()
    // What producers have written without a look at it is visible then. Nobody claims a receive
    // that is not posted.
    if (consumer->relayed)
        (void)comch_relayed_done(consumer);
    else if (consumer->waiting.head)
        rdma_pass_barrier();
}

// Says whether bytes may still be written to the memory of a receive.
static bool more_may_come(struct doca_comch_consumer *consumer)
{
    return consumer->relayed ? !comch_relayed_drain(consumer) : being_written(consumer);
}

// A message may be there although one before it is not: the thread that has claimed that one has
// not come to write it.
static void end_task(struct doca_comch_consumer *consumer, struct work_item *item,
                     doca_error_t error)
{
    const struct rdma_entry *entry = NULL;
    uint64_t head;

    item->error = error;
    if (has_buffer(consumer, task_in(item)) && consumer->lost != DOCA_ERROR_IO_FAILED &&
        !consumer->dropped)
        entry = find_message(consumer, consumer->taken, &head);
    if (entry && !receive(item, entry, head)) {
        corrupted(consumer);
        item->error = consumer->lost;
    }
    // Relaxed: `closed` publishes it.
    atomic_store_explicit(&consumer->receives->at[consumer->taken & (consumer->slots - 1)].address,
                          item->error == DOCA_SUCCESS ? COMCH_RECEIVED : 0, memory_order_relaxed);
    consumer->taken++;
    executor_finish(consumer->ctx.link.executor, item);
}

static void end_tasks(struct doca_comch_consumer *consumer, doca_error_t error)
{
    struct work_item *item;

    atomic_store_explicit(&consumer->receives->first, consumer->taken, memory_order_relaxed);
    while ((item = work_fifo_pop(&consumer->waiting)))
        end_task(consumer, item, error);
    consumer->closed = COMCH_CLOSED;
    // Release: publishes which messages were received.
    atomic_store_explicit(&consumer->receives->closed, COMCH_CLOSED, memory_order_release);
}

void comch_consumer_close(struct doca_comch_consumer *consumer, doca_error_t error)
{
    if (!consumer->receives || consumer->closed == COMCH_CLOSED)
        return;
    if (consumer->closed == COMCH_OPEN)
        begin_closing(consumer);
    if (!more_may_come(consumer))
        end_tasks(consumer, error);
    else if (!consumer->awaits_buffers)
        await_buffers(consumer);
}

// ---- the public interface ----------------------------------------------------------------------

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
    struct errtext err;

    if (!consumer || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(consumer, task_completion_cb, task_error_cb);
    return report(__func__,
                  task_configure(&consumer->ctx, 0, (doca_task_completion_cb_t)task_completion_cb,
                                 (doca_task_completion_cb_t)task_error_cb, num_post_recv_tasks,
                                 &err),
                  &err);
}

doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task)
{
    if (__builtin_expect(!consumer || !task, 0))
        return REFUSED_NULL(consumer, task);
    struct doca_task *taken = task_take(&consumer->ctx, 0, (union doca_data){0});
    if (__builtin_expect(!taken, 0))
        return task_not_taken(__func__, &consumer->ctx, 0);
    *task = (struct doca_comch_consumer_task_post_recv *)taken;
    (*task)->buf = buf;
    (*task)->producer = 0;
    (*task)->imm_length = 0;
    return DOCA_SUCCESS;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
    return task ? &task->task : NULL;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf)
{
    if (!task)
        task_null(__func__);
    else if (task_settable(__func__, &task->task))
        task->buf = buf;
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
    if (task)
        return task->buf;
    task_null(__func__);
    return NULL;
}

// Returns whether the task has received something.
static bool received(const char *function, const struct doca_comch_consumer_task_post_recv *task)
{
    if (!task)
        task_null(function);
    return task && task->producer && task->task.item.state < TASK_IN_FLIGHT &&
           task->task.item.error == DOCA_SUCCESS;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return received(__func__, task) ? task->producer : 0;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return received(__func__, task) ? task->imm : NULL;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return received(__func__, task) ? task->imm_length : 0;
}
