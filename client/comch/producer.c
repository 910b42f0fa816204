// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A producer: the sending end of a fast path, a context of its own. A message is on its way when
// its task is submitted; only bytes that docad's engine has to move take longer.

#include "comch.h"
#include "core/refused.h"
#include "dma/dma_job.h"
#include "remote.h"
#include "work/bytes.h"
#include "work/copy.h"
#include "work_stats.h"

#include <doca_comch_producer.h>
#include <string.h>

struct doca_comch_producer {
    struct doca_ctx ctx; // first
    struct comch_path *path;
    uint32_t id, most_bytes;     // the latter of a message
    struct buf_allocator copies; // of buffers, see buf/held.h
    uint32_t n_awake;            // tasks that wait for what does not wake the engine
    struct card_queue paced;     // on a card with a seed or times
    struct work_source source;
    struct comch_remote *known[COMCH_CONSUMERS_MAX + 1]; // held: consumers it has sent to
};

struct doca_comch_producer_task_send {
    struct doca_task task; // its item has a struct dma_job while bytes are written
    const struct doca_buf *buf;
    uint8_t *imm;
    uint32_t imm_length, consumer;
    // For the message that is submitted:
    uint32_t number;
    doca_error_t refused;
    struct comch_remote *remote;
    struct comch_message message;
    bool in_entry;
    uint32_t moved;        // bytes that were sent to another machine
    struct doca_buf into;  // the posted memory
    struct doca_buf *held; // a copy of `buf`, while bytes are written that take a while; or NULL
} __attribute__((aligned(64)));

static const struct task_kind tasks[] = {
    {.name = "send",
     .size = sizeof(struct doca_comch_producer_task_send),
     .max = COMCH_TASKS_MAX,
     .needs = CARD_COMCH_FAST},
};

static struct doca_comch_producer *producer_of(const struct work_item *item)
{
    return (struct doca_comch_producer *)item->link->ctx; // it begins with it
}

static struct doca_comch_producer_task_send *task_in(struct work_item *item)
{
    return (struct doca_comch_producer_task_send *)item;
}

// ---- consumers --------------------------------------------------------------------------

static __attribute__((noinline)) struct comch_remote *
learn_remote(struct doca_comch_producer *producer, uint32_t id)
{
    struct comch_path *path = producer->path;

    producer->known[id] = comch_remote_unref(producer->known[id]);
    pthread_mutex_lock(&path->lock);
    if (path->remotes[id])
        producer->known[id] = comch_remote_ref(path->remotes[id]);
    pthread_mutex_unlock(&path->lock);
    return producer->known[id];
}

// Returns NULL if there is no such consumer, or it has ended.
static struct comch_remote *find_remote(struct doca_comch_producer *producer, uint32_t id)
{
    if (id == 0 || id > COMCH_CONSUMERS_MAX)
        return NULL;
    struct comch_remote *remote = producer->known[id];
    if (__builtin_expect(!remote || !comch_remote_live(remote), 0))
        remote = learn_remote(producer, id);
    return remote && comch_remote_live(remote) ? remote : NULL;
}

// ---- submitting --------------------------------------------------------------------------------

static bool is_plain(const struct doca_buf *buf, const struct doca_dev *device)
{
    return buf->refcount && !buf->next &&
           (buf->flags & (BUF_DIRECT | BUF_READABLE | BUF_IMPORTED)) ==
               (BUF_DIRECT | BUF_READABLE) &&
           buf_has_device(buf, device) && buf_sound(buf);
}

// Checks the uncommon cases. Returns false, and logs a line, if it cannot be sent.
static __attribute__((noinline)) bool check(struct work_item *item)
{
    const struct doca_comch_producer_task_send *task = task_in(item);
    const struct doca_buf *buf = task->buf;
    struct errtext err;
    doca_error_t e = DOCA_SUCCESS;

    if (!buf->refcount)
        e = errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "its buffer was given back");
    else if (buf->next)
        e = errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                        "its buffer is a list; a message has one buffer");
    else if (!buf_sound(buf))
        e = errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "its data lie outside the buffer");
    else
        e = bytes_check(item->link, buf, false, "source", &err);
    if (e != DOCA_SUCCESS)
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(&err),
                "Comch on %s: a send of a producer failed: %s (%s)", dev_name(item->link->device),
                err.s, doca_error_get_name(e));
    return e == DOCA_SUCCESS;
}

static __attribute__((noinline, cold)) doca_error_t too_long(const struct work_item *item,
                                                             size_t length)
{
    const struct doca_dev *device = item->link->device;
    struct errtext err;

    doca_error_t e = errtext_set(&err, dev_over_limit(device),
                                 "%zu bytes are more than a message can have on %s", length,
                                 dev_card(device)->name);
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(&err),
            "Comch on %s: a send of a producer failed: %s (%s)", dev_name(device), err.s,
            doca_error_get_name(e));
    return e;
}

static doca_error_t accept_refused(struct doca_comch_producer_task_send *task, doca_error_t error)
{
    task->refused = error;
    return DOCA_SUCCESS; // the task is taken, and fails
}

// Between machines, the bytes go through this process. False, and one line, if they cannot.
static __attribute__((noinline, cold)) bool can_be_read(const struct doca_buf *buf)
{
    if (!buf || !buf->data_len || ((buf->flags & BUF_DIRECT) && !(buf->flags & BUF_IMPORTED)))
        return true;
    log_own_error(
        "Comch: a send of a producer failed: its buffer is memory of another process, and "
        "the consumer is on another machine; copy it first (%s)",
        doca_error_get_name(DOCA_ERROR_NOT_SUPPORTED));
    return false;
}

// A consumer on another machine sends on its channel what it has posted.
static enum comch_claim claim(struct comch_remote *remote, size_t length, bool in_entry,
                              uint32_t *number, struct comch_place *place)
{
    enum comch_claim c = comch_remote_claim(remote, length, in_entry, number, place);

    if (__builtin_expect(c == COMCH_NONE_POSTED && remote->relayed, 0) &&
        comch_relayed_listen(remote->relayed))
        c = comch_remote_claim(remote, length, in_entry, number, place);
    return c;
}

static doca_error_t prepare(struct work_item *item, const void *job)
{
    struct doca_comch_producer_task_send *task = task_in(item);
    struct doca_comch_producer *producer = producer_of(item);
    const struct doca_buf *buf = task->buf;
    struct comch_place place;
    bool plain = !buf || is_plain(buf, item->link->device);

    (void)job;
    struct comch_remote *remote = find_remote(producer, task->consumer);
    if (__builtin_expect(!remote, 0))
        return accept_refused(task, DOCA_ERROR_NOT_FOUND);
    size_t length = buf ? buf->data_len : 0;
    if (__builtin_expect(task->imm_length > remote->imm_length || length > producer->most_bytes ||
                             (!plain && !check(item)),
                         0))
        return accept_refused(task, length > producer->most_bytes ? too_long(item, length)
                                                                  : DOCA_ERROR_INVALID_VALUE);
    bool in_entry =
        !remote->relayed && (!length || (plain && length + task->imm_length <= RDMA_INLINE));
    if (__builtin_expect(remote->relayed && !can_be_read(buf), 0))
        return accept_refused(task, DOCA_ERROR_NOT_SUPPORTED);
    switch (claim(remote, length, in_entry, &task->number, &place)) {
    case COMCH_NONE_POSTED:
        // Programs submit again and again without progress: messages that the consumer waits for
        // must not stay behind.
        executor_move_on(item->link->executor);
        return DOCA_ERROR_AGAIN;
    case COMCH_TOO_LONG:
        return accept_refused(task, DOCA_ERROR_INVALID_VALUE);
    case COMCH_CLAIMED:
        break;
    }
    task->refused = DOCA_SUCCESS;
    task->remote = remote;
    task->in_entry = in_entry;
    task->message = (struct comch_message){.producer = producer->id,
                                           .length = (uint32_t)length,
                                           .imm_length = task->imm_length,
                                           .bytes = buf ? buf->data : NULL,
                                           .imm = task->imm};
    if (!in_entry) {
        task->into.head = (uint8_t *)(uintptr_t)place.address;
        task->into.len = length;
    }
    return DOCA_SUCCESS;
}

// ---- writing to the posted memory
// ----------------------------------------------------------------

static enum work_status written(struct work_item *item)
{
    struct doca_comch_producer_task_send *task = task_in(item);

    buf_release(task->held);
    task->held = NULL;
    comch_remote_send(task->remote, task->number,
                      item->error == DOCA_SUCCESS ? COMCH_WRITTEN : COMCH_FAILED, &task->message);
    return WORK_DONE;
}

static enum work_status not_written(struct work_item *item, doca_error_t error)
{
    item->error = error;
    return written(item);
}

// ---- waiting without sleep ---------------------------------------------------------------------

static enum work_status wait_awake(struct work_item *item)
{
    struct doca_comch_producer *producer = producer_of(item);

    if (list_empty(&producer->source.node))
        executor_add_source(item->link->executor, &producer->source);
    producer->n_awake++;
    comch_remote_ref(task_in(item)->remote); // the producer may drop it in between
    return WORK_WAITING;
}

static enum work_status waited_awake(struct work_item *item)
{
    producer_of(item)->n_awake--;
    comch_remote_unref(task_in(item)->remote);
    return WORK_DONE;
}

// A channel between machines is for producers of several threads, any of which may take what would
// wake another one. So none of them sleeps while it waits for room. And a consumer that closes
// wakes no producer.
static bool arm(struct work_source *source)
{
    return container_of(source, struct doca_comch_producer, source)->n_awake;
}

static void nothing(struct work_source *source)
{
    (void)source;
}

// ---- a consumer that closes --------------------------------------------------------------------

static enum work_status check_verdict(struct work_item *item)
{
    const struct doca_comch_producer_task_send *task = task_in(item);
    enum comch_verdict verdict = comch_remote_verdict(task->remote, task->number);

    if (verdict == COMCH_UNDECIDED)
        return WORK_WAITING;
    item->error = verdict == COMCH_WAS_RECEIVED ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET;
    return WORK_DONE;
}

static __attribute__((noinline, cold)) enum work_status begin_verdict(struct work_item *item)
{
    return check_verdict(item) == WORK_DONE ? WORK_DONE : wait_awake(item);
}

static enum work_status continue_asking(struct work_item *item)
{
    return check_verdict(item) == WORK_DONE ? waited_awake(item) : WORK_WAITING;
}

// ---- sending to another machine ----------------------------------------------------------------

static enum work_status send_relayed(struct work_item *item)
{
    struct doca_comch_producer_task_send *task = task_in(item);

    item->error =
        comch_remote_live(task->remote)
            ? comch_relayed_send(task->remote->relayed, task->number, &task->message, &task->moved)
            : DOCA_ERROR_CONNECTION_RESET;
    if (item->error == DOCA_ERROR_AGAIN)
        return WORK_WAITING;
    WORK_STATS_ADD(item->link->stats->engine_bytes, task->moved);
    return WORK_DONE;
}

static enum work_status begin_relayed(struct work_item *item)
{
    task_in(item)->moved = 0;
    return send_relayed(item) == WORK_DONE ? WORK_DONE : wait_awake(item);
}

static enum work_status continue_relayed(struct work_item *item)
{
    return send_relayed(item) == WORK_DONE ? waited_awake(item) : WORK_WAITING;
}

// ---- writing, or sending -----------------------------------------------------------------------

static enum work_status continue_writing(struct work_item *item)
{
    struct comch_remote *remote = task_in(item)->remote;

    if (task_in(item)->in_entry)
        return continue_asking(item);
    if (remote->relayed)
        return continue_relayed(item);
    if (dma_continue(item) != WORK_DONE)
        return WORK_WAITING;
    (void)written(item);
    comch_remote_unref(remote);
    return WORK_DONE;
}

// The bytes may take a while, and the program may give its buffer back before.
static __attribute__((noinline)) enum work_status write_held(struct work_item *item)
{
    struct doca_comch_producer_task_send *task = task_in(item);

    if (buf_hold(&producer_of(item)->copies, task->buf, item->link->device, 1, &task->held) !=
        DOCA_SUCCESS) {
        item->error = DOCA_ERROR_NO_MEMORY;
        return WORK_DONE;
    }
    dma_job_of(item)->src = task->held;
    return dma_start(item, DMA_APPEND);
}

static enum work_status write_bytes(struct work_item *item)
{
    struct doca_comch_producer_task_send *task = task_in(item);
    struct doca_mmap *map = task->remote->memory;
    const struct memory *memory = mmap_memory(map);
    uint64_t offset = (uintptr_t)task->into.head - memory->start;

    if (!comch_remote_begin_writing(task->remote, task->number))
        return not_written(item, DOCA_ERROR_CONNECTION_RESET);
    // The consumer chose the address; it may be anything.
    if (offset > memory->length || task->into.len > memory->length - offset)
        return not_written(item, DOCA_ERROR_IO_FAILED);
    buf_place(&task->into, map, task->into.head, task->into.len, task->into.head, 0);
    // By PCI or by RDMA, it was lent to be written to; DMA by itself needs PCI.
    task->into.flags |= BUF_WRITABLE;
    task->into.refcount = 1;
    task->into.next = NULL;
    *dma_job_of(item) = (struct dma_job){.src = task->buf, .dst = &task->into};
    enum work_status status = dma_execute_now(item);
    if (__builtin_expect(status == WORK_UNTRIED, 0))
        status = write_held(item);
    if (status == WORK_DONE)
        return written(item);
    comch_remote_ref(task->remote); // the producer may drop it in between
    return WORK_WAITING;
}

static enum work_status execute(struct work_item *item)
{
    struct doca_comch_producer_task_send *task = task_in(item);

    item->error = task->refused;
    if (__builtin_expect(task->refused != DOCA_SUCCESS, 0))
        return WORK_DONE;
    if (!task->in_entry)
        return task->remote->relayed ? begin_relayed(item) : write_bytes(item);
    comch_remote_send(task->remote, task->number, COMCH_IN_ENTRY, &task->message);
    WORK_STATS_ADD(item->link->stats->mapped_bytes, task->message.length);
    return __builtin_expect(comch_remote_closes(task->remote), 0) ? begin_verdict(item) : WORK_DONE;
}

// ---- on a card with a seed or times -------------------------------------------------------------

static struct card_queue *lane(const struct work_item *item)
{
    return &producer_of(item)->paced;
}

static void measure(const struct work_item *item, struct card_work *work)
{
    (void)item;
    work->model = CARD_PRODUCER_SEND_TASK_NS;
}

// ---- the context
// ---------------------------------------------------------------------------------

static bool lose_peer(struct doca_task *task)
{
    return comch_path_break(producer_of(&task->item)->path);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    return held_open(&((struct doca_comch_producer *)ctx)->copies, 1, err);
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_comch_producer *producer = (struct doca_comch_producer *)ctx;

    list_remove(&producer->source.node);
    held_close(&producer->copies);
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX; id++)
        producer->known[id] = comch_remote_unref(producer->known[id]);
}

static const struct ctx_kind kind = {
    .name = "Comch producer",
    .work = {.library = WORK_LIBRARY_COMCH,
             .prepare = prepare,
             .execute = execute,
             .eager = true,
             .progress = continue_writing,
             .measure = measure,
             .lane = lane},
    .tasks = tasks,
    .n_tasks = 1,
    .most_tasks = CARD_PRODUCER_TASKS,
    .start = start,
    .stopped = stopped,
    .lose_peer = lose_peer,
};

static doca_error_t take_id(struct doca_comch_producer *producer, struct errtext *err)
{
    struct comch_path *path = producer->path;
    doca_error_t e = DOCA_SUCCESS;

    pthread_mutex_lock(&path->lock);
    if (!path->end)
        e = errtext_set(err, DOCA_ERROR_BAD_STATE, "the connection has ended");
    else if (path->n_producers >= COMCH_PRODUCERS_MAX)
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "the connection has %u producers already",
                        COMCH_PRODUCERS_MAX);
    else
        producer->id = ++path->last_producer;
    path->n_producers += e == DOCA_SUCCESS;
    pthread_mutex_unlock(&path->lock);
    return e;
}

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer)
{
    struct errtext err;

    if (!comch_connection || !producer)
        return REFUSED_NULL(comch_connection, producer);
    struct doca_comch_producer *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_comch_producer){.path = comch_path_ref(comch_connection->path),
                                         .source = {.poll = nothing, .arm = arm, .clear = nothing}};
    list_init(&made->source.node);
    doca_error_t e = take_id(made, &err);
    if (e != DOCA_SUCCESS) {
        comch_path_unref(made->path);
        free(made);
        return report(__func__, e, &err);
    }
    context_init(&made->ctx, &kind, comch_connection->end->ctx.device);
    made->most_bytes =
        (uint32_t)dev_most(made->ctx.device, CARD_PRODUCER_BUF_SIZE, COMCH_BUFFER_MAX);
    copy_init();
    *producer = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
    struct errtext err;

    if (!producer)
        return REFUSED_NULL(producer);
    // The table names no other code for it.
    if (context_fini(&producer->ctx, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    pthread_mutex_lock(&producer->path->lock);
    producer->path->n_producers--;
    pthread_mutex_unlock(&producer->path->lock);
    comch_path_unref(producer->path);
    free(producer);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
    return producer ? &producer->ctx : NULL;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
    if (!producer || !id)
        return REFUSED_NULL(producer, id);
    *id = producer->id;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send)
{
    if (!producer || !dev_num_send)
        return REFUSED_NULL(producer, dev_num_send);
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, "there is no DPA here that could send");
}

// ---- send tasks
// ----------------------------------------------------------------------------------

doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    struct errtext err;

    if (!producer || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(producer, task_completion_cb, task_error_cb);
    return report(__func__,
                  task_configure(&producer->ctx, 0, (doca_task_completion_cb_t)task_completion_cb,
                                 (doca_task_completion_cb_t)task_error_cb, num_send_tasks, &err),
                  &err);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task)
{
    if (__builtin_expect(!producer || !task, 0))
        return REFUSED_NULL(producer, task);
    if (__builtin_expect(imm_data_len > COMCH_IMM_MAX || (imm_data_len && !imm_data), 0))
        return refused(__func__, "immediate data have 32 bytes at most, and are not NULL");
    struct doca_task *taken = task_take(&producer->ctx, 0, (union doca_data){0});
    if (__builtin_expect(!taken, 0))
        return task_not_taken(__func__, &producer->ctx, 0);
    *task = (struct doca_comch_producer_task_send *)taken;
    (*task)->buf = buf;
    (*task)->imm = imm_data;
    (*task)->imm_length = imm_data_len;
    (*task)->consumer = consumer_id;
    return DOCA_SUCCESS;
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
    return task ? &task->task : NULL;
}

#define GETTER(what, type, field)                                                                  \
    type doca_comch_producer_task_send_get_##what(                                                 \
        const struct doca_comch_producer_task_send *task)                                          \
    {                                                                                              \
        if (task)                                                                                  \
            return task->field;                                                                    \
        task_null(__func__);                                                                       \
        return 0;                                                                                  \
    }

GETTER(buf, const struct doca_buf *, buf)
GETTER(consumer_id, uint32_t, consumer)
GETTER(imm_data, uint8_t *, imm)
GETTER(imm_data_len, uint32_t, imm_length)

// Returns NULL, and logs a line, if nothing may be set.
static struct doca_comch_producer_task_send *settable(const char *function,
                                                      struct doca_comch_producer_task_send *task)
{
    if (!task)
        task_null(function);
    return task && task_settable(function, &task->task) ? task : NULL;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf)
{
    struct doca_comch_producer_task_send *t = settable(__func__, task);
    if (t)
        t->buf = buf;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id)
{
    struct doca_comch_producer_task_send *t = settable(__func__, task);
    if (t)
        t->consumer = consumer_id;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len)
{
    struct doca_comch_producer_task_send *t = settable(__func__, task);

    if (!t)
        return;
    if (imm_data_len > COMCH_IMM_MAX || (imm_data_len && !imm_data)) {
        (void)refused(__func__, "immediate data have 32 bytes at most, and are not NULL");
        return;
    }
    t->imm = imm_data;
    t->imm_length = imm_data_len;
}
