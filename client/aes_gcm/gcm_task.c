// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The beginning of tasks.

#include "gcm_context.h"

#include "gcm_key.h"
#include "work/bytes.h"

#include <string.h>

static bool tag_size_known(const struct gcm_limits *limits, uint32_t size)
{
    return (size == GCM_TAG_96 && limits->tag_96) || (size == GCM_TAG_128 && limits->tag_128);
}

static bool iv_length_known(uint32_t length)
{
    return length >= 1 && length <= GCM_IV_MAX;
}

void gcm_set_key(struct gcm_task *task, struct doca_aes_gcm_key *key)
{
    task->key = key;
    task->key_number = key ? key->number : 0;
}

static const char *wrong_fields(const struct gcm_task *task)
{
    const struct gcm_limits *limits = &gcm_context_of(task)->limits;

    if (!buf_is_out(task->src_now) || !buf_is_out(task->dst_now))
        return "the source or the destination is NULL or was given back";
    if (!task->key_now)
        return "it has no key, or the key was destroyed";
    if (!task->iv_now_length || task->iv_now_length > limits->iv)
        return "an initialisation vector has 1 to 12 bytes, or what the card allows";
    if (!tag_size_known(limits, task->tag_now))
        return "a tag has 12 or 16 bytes, and of these what the card has";
    return NULL;
}

static doca_error_t check_sizes(const struct gcm_task *task, struct errtext *err)
{
    const struct gcm_limits *limits = &gcm_context_of(task)->limits;
    uint64_t tag = task->tag_now, least = task->aad_now;
    struct stream_sum src, dst;

    if (!stream_sum(task->src_now, STREAM_DATA, limits->list, &src) ||
        !stream_sum(task->dst_now, STREAM_TAIL, limits->list, &dst))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a list has more buffers than the capabilities allow, or data outside "
                           "of a buffer");
    uint64_t size = src.bytes;
    if (gcm_decrypts(task))
        least += tag;
    if (size < least || size > GCM_SIZE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the source has %llu bytes; %llu to %llu are possible with this "
                           "additional data",
                           (unsigned long long)size, (unsigned long long)least, GCM_SIZE_MAX);
    uint64_t wanted = gcm_decrypts(task) ? size - tag : size + tag;
    if ((gcm_decrypts(task) ? size : wanted) > limits->size)
        return errtext_set(err, dev_over_limit(task->task.item.link->device),
                           "the source has %llu bytes; %s takes %llu with the tag",
                           (unsigned long long)size, dev_card(task->task.item.link->device)->name,
                           (unsigned long long)limits->size);
    if (dst.bytes < wanted)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the destination has room for %llu bytes behind its data, and the "
                           "result has %llu",
                           (unsigned long long)dst.bytes, (unsigned long long)wanted);
    return DOCA_SUCCESS;
}

static doca_error_t check(const struct gcm_task *gcm, struct errtext *err)
{
    const struct work_link *link = gcm->task.item.link;
    doca_error_t r = DOCA_SUCCESS;

    const char *wrong = wrong_fields(gcm);
    if (wrong)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s", wrong);
    r = check_sizes(gcm, err);
    for (const struct doca_buf *buf = gcm->src_now; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, false, "source", err);
    for (const struct doca_buf *buf = gcm->dst_now; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, true, "destination", err);
    return r;
}

// ---- beginnings ------------------------------------------------------------------------

// Stores the parts of a message, apart from its buffers, as the program has set them.
static void note(struct gcm_task *task)
{
    bool has_iv = task->iv && iv_length_known(task->iv_length);

    task->tag_now = task->tag_size;
    task->aad_now = task->aad_size;
    task->iv_now_length = has_iv ? task->iv_length : 0;
    if (has_iv)
        memcpy(task->iv_now, task->iv, task->iv_length);
    task->key_now = task->key && task->key->number == task->key_number ? task->key : NULL;
}

// For doca_task_try_submit().
doca_error_t gcm_check(struct doca_task *task, struct errtext *err)
{
    struct gcm_task *gcm = container_of(task, struct gcm_task, task);

    note(gcm);
    gcm->src_now = (struct doca_buf *)(uintptr_t)gcm->src;
    gcm->dst_now = gcm->dst;
    doca_error_t r = check(gcm, err);
    gcm->src_now = gcm->dst_now = NULL;
    gcm->key_now = NULL;
    return r;
}

static void sum_up(struct gcm_task *task, struct stream_sum *src)
{
    struct stream_sum dst;

    stream_sum(task->src_now, STREAM_DATA, GCM_LIST_MAX, src);
    stream_sum(task->dst_now, STREAM_TAIL, GCM_LIST_MAX, &dst);
    task->mapped = src->mapped && dst.mapped;
    task->imported = src->imported || dst.imported;
    task->size = src->bytes - (gcm_decrypts(task) ? task->tag_now : 0);
}

static void begin(struct gcm_task *task, struct gcm_cipher *cipher)
{
    const struct work_link *link = task->mapped ? NULL : task->task.item.link;
    bool decrypts = gcm_decrypts(task);
    const struct stream_plan from = {.list = task->src_now,
                                     .part = STREAM_DATA,
                                     .total = task->size + (decrypts ? task->tag_now : 0)};
    const struct stream_plan to =
        gcm_target_plan(task, task->size + (decrypts ? 0 : task->tag_now));

    task->way = gcm_begin(cipher, task->key_now, decrypts, task->iv_now, task->iv_now_length);
    if (!task->way)
        gcm_fail(task, DOCA_ERROR_UNEXPECTED);
    task->done = task->tag_done = 0;
    task->phase = GCM_TEXT;
    sink_begin(&task->target, link, &to);
    source_begin(&task->source, link, &from);
}

static enum work_status end(struct gcm_task *task, const char *why)
{
    struct errtext err;

    if (task->forged)
        why = "the tag is not that of the message with this key and initialisation vector";
    else if (task->error == DOCA_ERROR_UNEXPECTED)
        why = "libcrypto refuses the key or the message";
    if (task->error != DOCA_SUCCESS)
        errtext_set(&err, task->error, "%s", why ? why : bytes_error_text(task->error));
    return gcm_over(task, task->error, &err);
}

// ---- on a worker -----------------------------------------------------------------------

static void run(struct worker_op *worker)
{
    struct gcm_task *task = container_of(worker, struct gcm_task, worker);

    begin(task, &gcm_context_of(task)->own[worker->worker]);
    gcm_move(task, worker->activity);
}

static void done(struct worker_op *worker, enum worker_end how)
{
    struct gcm_task *task = container_of(worker, struct gcm_task, worker);
    struct work_item *item = &task->task.item;

    if (how != WORKER_RAN)
        task->error = worker_end_error(how);
    end(task, how == WORKER_LOST ? WORKER_LOST_TEXT : NULL);
    executor_finish(item->link->executor, item);
}

const struct worker_calls gcm_worker_calls = {.run = run, .done = done};

static bool offload(struct gcm_task *task)
{
    struct worker_port *port = &gcm_context_of(task)->port;

    if (!task->mapped || (task->imported && !worker_port_touches(port)))
        return false;
    return worker_offload(port, &task->worker);
}

// ---- on the context's thread -------------------------------------------------------------

// Returns NULL if it has to wait.
static struct gcm_cipher *take_cipher(struct gcm_task *task)
{
    struct doca_aes_gcm *aes_gcm = gcm_context_of(task);

    if (task->mapped)
        return &aes_gcm->own[aes_gcm->n_own - 1];
    task->lane = aes_gcm->free_lane;
    if (task->lane)
        aes_gcm->free_lane = task->lane->next_free;
    return task->lane;
}

static enum work_status move_on(struct gcm_task *task)
{
    if (!gcm_move(task, task->task.item.link->activity))
        return WORK_WAITING;
    return end(task, NULL);
}

// Tasks that were taken back in the executor's queue keep the phase that they had.
doca_error_t gcm_prepare(struct work_item *item, const void *unused)
{
    struct gcm_task *task = gcm_task_of(item);

    (void)unused;
    doca_error_t r = buf_hold_both(&gcm_context_of(task)->copies, item->link->device, GCM_LIST_MAX,
                                   task->src, task->dst, &task->src_now, &task->dst_now);
    if (r != DOCA_SUCCESS) {
        item->refusal = HELD_NO_MEMORY;
        return r;
    }
    note(task);
    if (task->key_now)
        task->key_now->users++;
    task->phase = GCM_NEW;
    task->lane = NULL;
    task->error = DOCA_SUCCESS;
    task->forged = false;
    return DOCA_SUCCESS;
}

enum work_status gcm_execute(struct work_item *item)
{
    struct gcm_task *task = gcm_task_of(item);
    struct stream_sum src;
    struct errtext err;

    if (task->phase != GCM_NEW)
        return gcm_progress(item);
    task->phase = GCM_LATER;
    if (!workers_most() ||
        (task->src_now && stream_sum(task->src_now, STREAM_DATA, GCM_LIST_MAX, &src) &&
         !worker_pays(item->link->executor, src.bytes, GCM_OFFLOAD_FROM)))
        return WORK_LATER;
    doca_error_t r = check(task, &err);
    if (r != DOCA_SUCCESS)
        return gcm_over(task, r, &err);
    sum_up(task, &src);
    return offload(task) ? executor_keep(item->link->executor) : WORK_LATER;
}

enum work_status gcm_progress(struct work_item *item)
{
    struct gcm_task *task = gcm_task_of(item);
    struct stream_sum src;
    struct errtext err;

    if (task->phase > GCM_LATER)
        return move_on(task);
    doca_error_t r = check(task, &err);
    if (r != DOCA_SUCCESS)
        return gcm_over(task, r, &err);
    sum_up(task, &src);
    if (worker_pays_asleep(item->link->executor, src.bytes, GCM_OFFLOAD_FROM) && offload(task))
        return executor_keep(item->link->executor);
    struct gcm_cipher *cipher = take_cipher(task);
    if (!cipher)
        return WORK_WAITING;
    begin(task, cipher);
    return move_on(task);
}

enum work_status gcm_cancel(struct work_item *item)
{
    struct gcm_task *task = gcm_task_of(item);

    if (task->phase > GCM_LATER)
        return WORK_WAITING;
    task->error = DOCA_ERROR_SHUTDOWN;
    return end(task, NULL);
}
