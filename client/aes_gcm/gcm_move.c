// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Moves messages: from span to span.

#include "gcm_context.h"

#include <string.h>

static size_t smallest(size_t a, size_t b, uint64_t c)
{
    size_t n = a < b ? a : b;
    return n < c ? n : (size_t)c;
}

static bool touch(struct gcm_task *task, struct activity_slot *slot, const struct span *from,
                  const struct span *to)
{
    doca_error_t r = touch_begin_at(slot, from->memory, to->memory);

    if (r != DOCA_SUCCESS)
        gcm_fail(task, r);
    return r == DOCA_SUCCESS;
}

static void untouch(struct activity_slot *slot, const struct span *from, const struct span *to)
{
    touch_end_at(slot, from->memory, to->memory);
}

// Additional data is authenticated and copied; text is encrypted or decrypted. Returns how much.
static size_t compute(struct gcm_task *task, const struct span *from, const struct span *to)
{
    bool aad = task->done < task->aad_now;
    uint64_t left = (aad ? task->aad_now : task->size) - task->done;
    size_t n = smallest(from->length, to->length, left < GCM_STEP ? left : GCM_STEP);
    bool good;

    if (aad) {
        good = gcm_aad(task->way, from->bytes, n);
        memmove(to->bytes, from->bytes, n);
    } else {
        good = gcm_text(task->way, to->bytes, from->bytes, n);
    }
    if (!good)
        gcm_fail(task, DOCA_ERROR_UNEXPECTED);
    return n;
}

// The functions below return false if they have to wait, or the task has failed.

static bool move_text(struct gcm_task *task, struct activity_slot *slot)
{
    struct span from, to;

    while (task->done < task->size) {
        if (!source_next(&task->source, &from) || !sink_next(&task->target, &to) ||
            !touch(task, slot, &from, &to))
            return false;
        size_t n = compute(task, &from, &to);
        untouch(slot, &from, &to);
        source_took(&task->source, &from, n);
        sink_put(&task->target, &to, n);
        task->done += n;
        if (task->error != DOCA_SUCCESS)
            return false;
    }
    return true;
}

// Called only once: libcrypto does not end a message twice.
static bool make_tag(struct gcm_task *task)
{
    if (!gcm_decrypts(task) && !gcm_make_tag(task->way, task->tag, task->tag_now))
        gcm_fail(task, DOCA_ERROR_UNEXPECTED);
    return task->error == DOCA_SUCCESS;
}

static bool write_tag(struct gcm_task *task, struct activity_slot *slot)
{
    struct span to;

    while (task->tag_done < task->tag_now) {
        if (!sink_next(&task->target, &to) || !touch(task, slot, &to, &to))
            return false;
        memcpy(to.bytes, task->tag + task->tag_done, to.length);
        untouch(slot, &to, &to);
        sink_put(&task->target, &to, to.length);
        task->tag_done += (uint32_t)to.length;
    }
    return true;
}

static bool read_tag(struct gcm_task *task, struct activity_slot *slot)
{
    struct span from;

    while (task->tag_done < task->tag_now) {
        if (!source_next(&task->source, &from) || !touch(task, slot, &from, &from))
            return false;
        memcpy(task->tag + task->tag_done, from.bytes, from.length);
        untouch(slot, &from, &from);
        source_took(&task->source, &from, from.length);
        task->tag_done += (uint32_t)from.length;
    }
    return true;
}

// ---- unverified text ---------------------------------------------------------------------

// A message that fails before its tag was verified has left plain text in the target. Each buffer
// is overwritten by a stream of its own, so that a buffer that cannot be reached any more does not
// prevent the others.

static bool unverified(const struct gcm_task *task)
{
    return gcm_decrypts(task) && (task->phase == GCM_TEXT || task->phase == GCM_TAG);
}

static void clear(struct gcm_task *task)
{
    stream_fail(&task->target.stream, task->error); // bytes that were not sent stay unsent
    task->unwiped = task->dst_now;
    task->phase = GCM_CLEAR;
}

// Waits until no written bytes can arrive later, then begins with the next buffer.
static bool next_wipe(struct gcm_task *task)
{
    const struct doca_buf *buf = task->unwiped;

    source_settled(&task->source); // others may need its chunks
    if (!sink_settled(&task->target))
        return false;
    if (!buf || !task->done) {
        task->phase = GCM_DRAIN;
        return true;
    }
    uint64_t room = buf_sound(buf) ? buf_tailroom(buf) : 0;
    struct stream_plan plan = gcm_target_plan(task, room < task->done ? room : task->done);
    plan.list = buf;
    task->done -= plan.total;
    task->unwiped = buf->next;
    sink_begin(&task->target, task->target.stream.link, &plan);
    task->phase = GCM_WIPE;
    return true;
}

// Returns false: it has to wait for an engine.
static bool wipe(struct gcm_task *task, struct activity_slot *slot)
{
    struct span to;
    bool there;

    while ((there = sink_next(&task->target, &to)) && to.length && touch(task, slot, &to, &to)) {
        size_t n = to.length < GCM_STEP ? to.length : GCM_STEP;
        memset(to.bytes, 0, n);
        untouch(slot, &to, &to);
        sink_put(&task->target, &to, n);
    }
    if (!there && task->target.stream.error == DOCA_SUCCESS)
        return false;
    task->phase = GCM_CLEAR;
    return true;
}

static void move_tag(struct gcm_task *task, struct activity_slot *slot)
{
    if (!(gcm_decrypts(task) ? read_tag(task, slot) : write_tag(task, slot)))
        return;
    task->forged = gcm_decrypts(task) && !gcm_check_tag(task->way, task->tag, task->tag_now);
    if (task->forged)
        gcm_fail(task, DOCA_ERROR_IO_FAILED);
    else
        task->phase = GCM_DRAIN;
}

// Continues until the last phase, or as far as is possible now.
static void move(struct gcm_task *task, struct activity_slot *slot)
{
    bool goes_on = true;

    if (task->phase == GCM_TEXT && (goes_on = move_text(task, slot) && make_tag(task)))
        task->phase = GCM_TAG;
    if (goes_on && task->phase == GCM_TAG)
        move_tag(task, slot);
    gcm_fail(task, task->source.stream.error);
    gcm_fail(task, task->target.stream.error);
    if (task->error != DOCA_SUCCESS && unverified(task))
        clear(task);
    while ((task->phase == GCM_CLEAR && next_wipe(task)) ||
           (task->phase == GCM_WIPE && wipe(task, slot)))
        ;
    if (task->phase != GCM_DRAIN)
        sink_pause(&task->target);
}

static bool under_way(const struct gcm_task *task)
{
    return task->phase != GCM_DRAIN &&
           (task->error == DOCA_SUCCESS || task->phase == GCM_CLEAR || task->phase == GCM_WIPE);
}

bool gcm_move(struct gcm_task *task, struct activity_slot *slot)
{
    if (under_way(task))
        move(task, slot);
    if (under_way(task))
        return false;
    // Even a failed task waits for its pieces: they refer to it.
    stream_fail(&task->target.stream, task->error);
    bool settled = source_settled(&task->source);
    settled = sink_settled(&task->target) && settled;
    gcm_fail(task, task->target.stream.error);
    return settled;
}
