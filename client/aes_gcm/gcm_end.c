// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of tasks.

#include "gcm_context.h"

#include "core/device_card.h"
#include "core/report.h"
#include "gcm_key.h"

static void release(struct gcm_task *task, bool written)
{
    buf_release_both(&task->src_now, &task->dst_now, written);
    if (task->key_now)
        task->key_now->users--;
    task->key_now = NULL;
}

void gcm_drop(struct work_item *item)
{
    release(gcm_task_of(item), false);
}

enum work_status gcm_over(struct gcm_task *task, doca_error_t error, const struct errtext *err)
{
    struct work_item *item = &task->task.item;
    struct doca_aes_gcm *aes_gcm = gcm_context_of(task);

    if (task->lane) {
        task->lane->next_free = aes_gcm->free_lane;
        aes_gcm->free_lane = task->lane;
        task->lane = NULL;
    }
    if (task->phase > GCM_LATER) {
        WORK_STATS_ADD(item->link->stats->mapped_bytes, task->source.stream.mapped);
        WORK_STATS_ADD(item->link->stats->engine_bytes, task->source.stream.brokered);
    }
    item->error = error = dev_task_error(item->link->device, error);
    if (error == DOCA_SUCCESS)
        stream_extend(task->dst_now, task->size + (gcm_decrypts(task) ? 0 : task->tag_now));
    release(task, error == DOCA_SUCCESS);
    if (error != DOCA_SUCCESS &&
        error != DOCA_ERROR_SHUTDOWN) // the program has stopped the context
        log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "AES-GCM on %s: a task failed: %s (%s)",
                dev_name(item->link->device), err->s, doca_error_get_name(error));
    return WORK_DONE;
}
