// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An AES-GCM context of DOCA 3, and its tasks.
//
// A message is additional data, which is authenticated, then text, which is also encrypted. Its
// source and target are lists of buffers:
//
//     encrypt   additional data, plain text     ->   additional data, cipher text, tag
//     decrypt   additional data, cipher text, tag   ->   additional data, plain text
//
// Mapped bytes are read and written in place. Brokered bytes are moved through chunks of the queue
// pair to their engine. If a message fails before its tag was verified, what it has written to the
// target is overwritten with zeroes before the task fails, as far as the target can still be
// reached.
// reached.

#ifndef CLIENT_AES_GCM_GCM_CONTEXT_H
#define CLIENT_AES_GCM_GCM_CONTEXT_H

#include "buf/held.h"
#include "gcm_cipher.h"
#include "progress/context.h"
#include "stream/stream.h"
#include "workers/workers.h"

#include <doca_aes_gcm.h>

#define GCM_TASKS_MAX (1u << 16)
#define GCM_LIST_MAX  64
// One counter must do for a message: 2^36 - 32 bytes. The sizes that tasks pass have 32 bits.
#define GCM_SIZE_MAX (1ull << 32)
// Messages that may wait for engines at a time; others wait until one of them ends.
#define GCM_LANES 8
// Handing a task over costs some 5 us. On a core with instructions for it 128 KiB take 40 us; one
// half of that, which many programs have one after the other, is better off where it is.
#define GCM_OFFLOAD_FROM ((uint64_t)128 << 10)
// The most that is computed between two checks that access is still allowed.
#define GCM_STEP ((size_t)1 << 20)

enum { GCM_TASK_ENCRYPT, GCM_TASK_DECRYPT };

static inline enum card_key gcm_key_needs(enum doca_aes_gcm_key_type type)
{
    return type == DOCA_AES_GCM_KEY_256 ? CARD_GCM_KEY_256 : CARD_GCM_KEY_128;
}

// The limits of the card, in addition to those of the library.
struct gcm_limits {
    uint64_t size; // bytes of additional data, text and tag
    uint32_t list, iv;
    bool tag_96, tag_128;
};

struct doca_aes_gcm {
    struct doca_ctx ctx;
    struct gcm_limits limits;
    // While it is executed:
    struct worker_port port;
    struct buf_allocator copies;        // of buffers, see buf/held.h
    struct gcm_cipher lanes[GCM_LANES]; // for messages that wait for engines
    struct gcm_cipher *free_lane;
    struct gcm_cipher *own; // for each worker, and the last for the context's thread
    uint32_t n_own;
};

enum gcm_phase {
    GCM_NEW,
    GCM_LATER, // is computed by the thread that polls
    GCM_TEXT,  // additional data and text
    GCM_TAG,   // reads or writes the tag
    GCM_CLEAR, // not authentic: written bytes may still be in flight
    GCM_WIPE,  // not authentic: written bytes are overwritten
    GCM_DRAIN, // waits for engines
};

// Both kinds of tasks have this structure. The first fields are the program's.
struct gcm_task {
    struct doca_task task;
    struct worker_op worker;
    const struct doca_buf *src;
    struct doca_buf *dst;
    struct doca_aes_gcm_key *key;
    uint64_t key_number; // that it had when it was given
    const uint8_t *iv;
    uint32_t iv_length, tag_size, aad_size;
    // The state of these when the task was submitted; the buffers are copies.
    struct doca_buf *src_now, *dst_now;
    struct doca_aes_gcm_key *key_now; // held; NULL: there was none
    uint32_t tag_now, aad_now;
    uint32_t iv_now_length; // 0: there was none
    uint8_t iv_now[GCM_IV_MAX];
    // While it is executed:
    enum gcm_phase phase;
    bool forged;   // the tag is not that of the message
    bool mapped;   // its source and target
    bool imported; // at least one of them is imported
    doca_error_t error;
    struct gcm_cipher *lane;
    struct gcm_way *way;
    struct source source;
    struct sink target;
    uint64_t done,
        size; // of additional data and text; in GCM_WIPE the bytes that are still to be overwritten
    const struct doca_buf *unwiped; // and the first buffer that has it
    uint32_t tag_done;
    uint8_t tag[GCM_TAG_128];
};

static inline struct gcm_task *gcm_task_of(struct work_item *item)
{
    return container_of(task_of(item), struct gcm_task, task);
}

static inline struct doca_aes_gcm *gcm_context_of(const struct gcm_task *task)
{
    return container_of(context_of(task->task.item.link), struct doca_aes_gcm, ctx);
}

static inline bool gcm_decrypts(const struct gcm_task *task)
{
    return task->task.item.type == GCM_TASK_DECRYPT;
}

static inline void gcm_fail(struct gcm_task *task, doca_error_t error)
{
    if (task->error == DOCA_SUCCESS)
        task->error = error;
}

// In the target: what the message fills.
static inline struct stream_plan gcm_target_plan(const struct gcm_task *task, uint64_t total)
{
    return (struct stream_plan){.list = task->dst_now, .part = STREAM_TAIL, .total = total};
}

// ---- gcm_task.c ----------------------------------------------------------------------

// `key` may be NULL.
void gcm_set_key(struct gcm_task *task, struct doca_aes_gcm_key *key);

// task_kind.check, and work_ops.
doca_error_t gcm_check(struct doca_task *task, struct errtext *err);
doca_error_t gcm_prepare(struct work_item *item, const void *unused);
void gcm_drop(struct work_item *item);
enum work_status gcm_execute(struct work_item *item);
enum work_status gcm_progress(struct work_item *item);

// ctx_kind.cancel.
enum work_status gcm_cancel(struct work_item *item);

extern const struct worker_calls gcm_worker_calls;

// ---- gcm_move.c ----------------------------------------------------------------------

// Continues a message that has begun: the result is task->error, and whether it is forged. Returns
// false if it waits for an engine.
bool gcm_move(struct gcm_task *task, struct activity_slot *slot);

// ---- gcm_end.c -----------------------------------------------------------------------

enum work_status gcm_over(struct gcm_task *task, doca_error_t error, const struct errtext *err);

#endif
