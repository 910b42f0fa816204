// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages under way: from span to span.

#include "gcm_context.h"

#include "work/bytes.h"
#include "work/touch.h"

#include <string.h>

static size_t smallest(size_t a, size_t b, uint64_t c)
{
    size_t n = a < b ? a : b;
    return n < c ? n : (size_t)c;
}

// Bytes of this process are not imported, and cost nothing to touch.
static const struct memory ours = {.imported = false};

static const struct memory *memory_of(const struct gcm_span *span)
{
    return span->memory ? span->memory : &ours;
}

static bool touch(struct gcm_task *task, const struct gcm_span *from, const struct gcm_span *to)
{
    doca_error_t r = touch_begin(task->task.item.link, memory_of(from), memory_of(to));

    if (r != DOCA_SUCCESS)
        gcm_fail(task, r);
    return r == DOCA_SUCCESS;
}

static void untouch(struct gcm_task *task, const struct gcm_span *from, const struct gcm_span *to)
{
    touch_end(task->task.item.link, memory_of(from), memory_of(to));
}

// Additional data is authenticated and copied; text is encrypted or decrypted. Returns how much.
static size_t compute(struct gcm_task *task, const struct gcm_span *from, const struct gcm_span *to)
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

static bool move_text(struct gcm_task *task)
{
    uint64_t whole = task->size + (gcm_decrypts(task) ? 0 : task->tag_now);
    struct gcm_span from, to;

    while (task->done < task->size) {
        if (!gcm_source_next(task, &from) || !gcm_target_next(task, whole - task->done, &to) ||
            !touch(task, &from, &to))
            return false;
        size_t n = compute(task, &from, &to);
        untouch(task, &from, &to);
        gcm_source_read(task, n);
        gcm_target_wrote(task, n);
        task->done += n;
        if (task->error != DOCA_SUCCESS)
            return false;
    }
    return true;
}

static bool write_tag(struct gcm_task *task)
{
    struct gcm_span to;

    if (task->tag_done == 0 && !gcm_make_tag(task->way, task->tag, task->tag_now)) {
        gcm_fail(task, DOCA_ERROR_UNEXPECTED);
        return false;
    }
    while (task->tag_done < task->tag_now) {
        if (!gcm_target_next(task, task->tag_now - task->tag_done, &to) || !touch(task, &to, &to))
            return false;
        memcpy(to.bytes, task->tag + task->tag_done, to.length);
        untouch(task, &to, &to);
        gcm_target_wrote(task, to.length);
        task->tag_done += (uint32_t)to.length;
    }
    return true;
}

static bool read_tag(struct gcm_task *task)
{
    struct gcm_span from;

    while (task->tag_done < task->tag_now) {
        if (!gcm_source_next(task, &from) || !touch(task, &from, &from))
            return false;
        size_t n = smallest(from.length, task->tag_now - task->tag_done, SIZE_MAX);
        memcpy(task->tag + task->tag_done, from.bytes, n);
        untouch(task, &from, &from);
        gcm_source_read(task, n);
        task->tag_done += (uint32_t)n;
    }
    return true;
}

static bool wipe(struct gcm_task *task)
{
    struct gcm_span to;

    while (task->done) { // counts down
        if (!gcm_target_next(task, task->done, &to) || !touch(task, &to, &to))
            return false;
        memset(to.bytes, 0, to.length);
        untouch(task, &to, &to);
        gcm_target_wrote(task, to.length);
        task->done -= to.length;
    }
    return true;
}

static bool move_tag(struct gcm_task *task)
{
    if (!gcm_decrypts(task)) {
        if (!write_tag(task))
            return false;
        task->phase = GCM_DRAIN;
        return true;
    }
    if (!read_tag(task))
        return false;
    if (gcm_check_tag(task->way, task->tag, task->tag_now)) {
        task->phase = GCM_DRAIN;
    } else {
        task->phase = GCM_WIPE;
        task->target.at = (struct gcm_place){task->dst, 0};
    }
    return true;
}

enum work_status gcm_move(struct gcm_task *task)
{
    bool goes_on = true, forged = task->phase == GCM_WIPE;
    struct errtext err;

    if (task->phase == GCM_TEXT && (goes_on = move_text(task)))
        task->phase = GCM_TAG;
    if (goes_on && task->phase == GCM_TAG)
        goes_on = move_tag(task);
    if (goes_on && task->phase == GCM_WIPE) {
        forged = true;
        goes_on = wipe(task);
    }
    if (!goes_on && task->error == DOCA_SUCCESS)
        return WORK_WAITING;
    // Even a failed task waits for its pieces: they refer to it.
    if (!gcm_source_drained(task) || !gcm_target_drained(task))
        return WORK_WAITING;
    if (task->error == DOCA_SUCCESS && forged)
        return gcm_over(task,
                        errtext_set(&err, DOCA_ERROR_IO_FAILED,
                                    "the tag is not that of the message with this key and "
                                    "initialisation vector"),
                        &err);
    if (task->error != DOCA_SUCCESS)
        errtext_set(&err, task->error, "%s", bytes_error_text(task->error));
    return gcm_over(task, task->error, &err);
}
