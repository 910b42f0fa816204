// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages under way: from span to span.

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

// Once: libcrypto does not end a message twice.
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

// Waits until nothing that was written can arrive later, then begins again.
static bool clear(struct gcm_task *task)
{
    const struct stream_plan again = gcm_target_plan(task, task->done);

    if (!sink_settled(&task->target))
        return false;
    gcm_fail(task, task->target.stream.error);
    sink_begin(&task->target, task->target.stream.link, &again);
    task->phase = GCM_WIPE;
    return task->error == DOCA_SUCCESS;
}

static bool wipe(struct gcm_task *task, struct activity_slot *slot)
{
    struct span to;

    while (sink_next(&task->target, &to)) {
        if (!to.length)
            return true;
        if (!touch(task, slot, &to, &to))
            return false;
        memset(to.bytes, 0, to.length);
        untouch(slot, &to, &to);
        sink_put(&task->target, &to, to.length);
    }
    return false;
}

static bool move_tag(struct gcm_task *task, struct activity_slot *slot)
{
    if (!gcm_decrypts(task)) {
        if (!write_tag(task, slot))
            return false;
        task->phase = GCM_DRAIN;
        return true;
    }
    if (!read_tag(task, slot))
        return false;
    task->phase = gcm_check_tag(task->way, task->tag, task->tag_now) ? GCM_DRAIN : GCM_CLEAR;
    return true;
}

// Goes on until the last phase, or as far as that is possible now.
static void move(struct gcm_task *task, struct activity_slot *slot)
{
    bool goes_on = true;

    if (task->phase == GCM_TEXT && (goes_on = move_text(task, slot) && make_tag(task)))
        task->phase = GCM_TAG;
    if (goes_on && task->phase == GCM_TAG)
        goes_on = move_tag(task, slot);
    if (goes_on && task->phase == GCM_CLEAR) {
        task->forged = true;
        goes_on = clear(task);
    }
    if (goes_on && task->phase == GCM_WIPE && wipe(task, slot))
        task->phase = GCM_DRAIN;
    gcm_fail(task, task->source.stream.error);
    gcm_fail(task, task->target.stream.error);
    if (task->phase != GCM_DRAIN)
        sink_pause(&task->target);
}

bool gcm_move(struct gcm_task *task, struct activity_slot *slot)
{
    if (task->phase != GCM_DRAIN && task->error == DOCA_SUCCESS)
        move(task, slot);
    if (task->phase != GCM_DRAIN && task->error == DOCA_SUCCESS)
        return false;
    // Even a failed task waits for its pieces: they refer to it.
    stream_fail(&task->target.stream, task->error);
    bool settled = source_settled(&task->source);
    settled = sink_settled(&task->target) && settled;
    gcm_fail(task, task->target.stream.error);
    return settled;
}
