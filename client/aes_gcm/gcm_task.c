// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The beginning of tasks.

#include "gcm_context.h"

#include "gcm_key.h"
#include "work/bytes.h"

static bool tag_size_known(uint32_t size)
{
    return size == GCM_TAG_96 || size == GCM_TAG_128;
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
    if (!buf_is_out(task->src) || !buf_is_out(task->dst))
        return "the source or the destination is NULL or was given back";
    if (!task->key || task->key->number != task->key_number)
        return "it has no key, or the key was destroyed";
    if (!task->iv || !iv_length_known(task->iv_length))
        return "an initialisation vector has 1 to 12 bytes";
    if (!tag_size_known(task->tag_size))
        return "a tag has 12 or 16 bytes";
    return NULL;
}

static doca_error_t check_sizes(const struct gcm_task *task, struct errtext *err)
{
    uint64_t tag = task->tag_size, least = task->aad_size;
    struct stream_sum src, dst;

    if (!stream_sum(task->src, STREAM_DATA, GCM_LIST_MAX, &src) ||
        !stream_sum(task->dst, STREAM_TAIL, GCM_LIST_MAX, &dst))
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
    if (dst.bytes < wanted)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the destination has room for %llu bytes behind its data, and the "
                           "result has %llu",
                           (unsigned long long)dst.bytes, (unsigned long long)wanted);
    return DOCA_SUCCESS;
}

doca_error_t gcm_check(struct doca_task *task, struct errtext *err)
{
    const struct gcm_task *gcm = container_of(task, struct gcm_task, task);
    const struct work_link *link = task->item.link;
    doca_error_t r = DOCA_SUCCESS;

    const char *wrong = wrong_fields(gcm);
    if (wrong)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s", wrong);
    r = check_sizes(gcm, err);
    for (const struct doca_buf *buf = gcm->src; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, false, "source", err);
    for (const struct doca_buf *buf = gcm->dst; buf && r == DOCA_SUCCESS; buf = buf->next)
        r = bytes_check(link, buf, true, "destination", err);
    return r;
}

static void begin(struct gcm_task *task)
{
    struct stream_sum src, dst;

    stream_sum(task->src, STREAM_DATA, GCM_LIST_MAX, &src);
    stream_sum(task->dst, STREAM_TAIL, GCM_LIST_MAX, &dst);
    task->mapped = src.mapped && dst.mapped;
    task->size = src.bytes - (gcm_decrypts(task) ? task->tag_size : 0);
    task->tag_now = task->tag_size;
    task->aad_now = task->aad_size;
    task->key_now = task->key;
    task->key_now->users++;
    task->done = task->tag_done = 0;
    task->error = DOCA_SUCCESS;
    task->forged = false;
    task->phase = GCM_TEXT;
    const struct work_link *link = task->mapped ? NULL : task->task.item.link;
    const struct stream_plan to =
        gcm_target_plan(task, task->size + (gcm_decrypts(task) ? 0 : task->tag_now));
    sink_begin(&task->target, link, &to);
    source_begin(&task->source, link,
                 &(struct stream_plan){.list = task->src, .part = STREAM_DATA, .total = src.bytes});
}

static enum work_status move_on(struct gcm_task *task)
{
    struct errtext err;

    if (!gcm_move(task))
        return WORK_WAITING;
    if (task->error != DOCA_SUCCESS)
        errtext_set(&err, task->error, "%s", bytes_error_text(task->error));
    else if (task->forged)
        task->error = errtext_set(&err, DOCA_ERROR_IO_FAILED,
                                  "the tag is not that of the message with this key and "
                                  "initialisation vector");
    return gcm_over(task, task->error, &err);
}

// False if it has to wait for a lane.
static bool take_lane(struct gcm_task *task)
{
    struct doca_aes_gcm *aes_gcm =
        container_of(context_of(task->task.item.link), struct doca_aes_gcm, ctx);

    task->lane = aes_gcm->free_lane;
    if (task->lane)
        aes_gcm->free_lane = task->lane->next_free;
    return task->lane;
}

enum work_status gcm_execute(struct work_item *item)
{
    struct gcm_task *task = gcm_task_of(item);

    task->phase = GCM_NEW;
    task->lane = NULL;
    task->key_now = NULL;
    return gcm_progress(item);
}

enum work_status gcm_progress(struct work_item *item)
{
    struct gcm_task *task = gcm_task_of(item);
    struct errtext err;

    if (task->phase != GCM_NEW)
        return move_on(task);
    doca_error_t r = gcm_check(&task->task, &err);
    if (r != DOCA_SUCCESS)
        return gcm_over(task, r, &err);
    if (!take_lane(task))
        return WORK_WAITING;
    task->way = gcm_begin(task->lane, task->key, gcm_decrypts(task), task->iv, task->iv_length);
    if (!task->way)
        return gcm_over(task, errtext_set(&err, DOCA_ERROR_UNEXPECTED, "libcrypto refuses the key"),
                        &err);
    begin(task);
    return move_on(task);
}
