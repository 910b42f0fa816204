// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A consumer: the receiving end of a fast path, a context of its own.
//
// To start, it posts a packet with its endpoint and an export of its memory. The thread of the
// server or client receives the answer and passes it on (comch_consumer_notify()); the consumer's
// own thread connects, and runs.

#ifndef CLIENT_COMCH_CONSUMER_H
#define CLIENT_COMCH_CONSUMER_H

#include "core/severed.h"
#include "relayed.h"
#include "path.h"
#include "progress/context.h"
#include "rdma/rdma_end.h"
#include "ring.h"

#include <doca_comch_consumer.h>

#define COMCH_CONSUMER_TASKS_MAX COMCH_SLOTS_MAX

enum comch_reply {
    COMCH_CONSUMER_QUIET,
    COMCH_CONSUMER_ANSWERED,
    COMCH_CONSUMER_REFUSED, // by the other side
    COMCH_CONSUMER_LOST,    // the connection has ended
};

struct doca_comch_consumer {
    struct doca_ctx ctx; // first
    struct comch_path *path;
    struct doca_mmap *map;
    bool beside; // the other side is on this node
    uint32_t id, imm_length;
    uint64_t most_room; // bytes of a receive, on a card

    // From start to stop:
    struct comch_relayed *relayed; // NULL: the other side is on this machine
    struct rdma_end rdma;
    struct comch_outgoing *end_packet; // for the packet that announces its end
    int wake_fd;                       // wakes its thread for `reply`
    struct severed severed;
    _Atomic uint32_t reply; // enum comch_reply
    uint8_t details[RDMA_DESC_SIZE_MAX];
    size_t details_size;
    struct pe_event event; // it runs, or has failed
    doca_error_t lost;     // DOCA_SUCCESS, or why it ends
    enum comch_closed closed;
    bool dropped;        // by a fault: it receives nothing more
    bool awaits_buffers; // it closes, and the program may give buffers back before it is closed

    // Once it is connected:
    struct comch_receives *receives; // NULL before
    const struct rdma_entry *messages;
    uint32_t slots, posted, narrow, taken;
    struct work_fifo waiting; // the tasks that are posted and not taken, in their order
};

struct doca_comch_consumer_task_post_recv {
    struct doca_task task;
    struct doca_buf *buf;
    uint32_t producer; // 0: no message has come yet
    uint32_t imm_length;
    // The range of the buffer, when it was posted.
    uint8_t *place;
    uint64_t room;
    struct buf_stamp stamp;
    bool buf_gone; // released by the program while the consumer closed
    uint8_t imm[COMCH_IMM_MAX];
} __attribute__((aligned(64)));

static inline struct doca_comch_consumer *comch_consumer_of(struct doca_ctx *ctx)
{
    return (struct doca_comch_consumer *)ctx; // it begins with it
}

// The thread of the server or client, under the lock of the path. The packet of an answer is NULL
// if `relayed` has got its channel.
void comch_consumer_notify(struct doca_comch_consumer *consumer, enum comch_reply reply,
                           const struct comch_packet *packet);

// ---- consumer_tasks.c --------------------------------------------------------------------------

extern const struct task_kind comch_consumer_tasks[1];
enum work_status comch_consumer_post(struct work_item *item);
doca_error_t comch_consumer_prepare(struct work_item *item, const void *job);

// Takes the messages that have arrived. Returns true if there were any. Sets `lost` if one is
// invalid.
bool comch_consumer_take(struct doca_comch_consumer *consumer);
bool comch_consumer_has_message(const struct doca_comch_consumer *consumer);

// Called when nothing more is to arrive: takes what has arrived, ends the other tasks, and
// publishes for producers which messages were received; unless one of them still writes to the
// memory of a task.
void comch_consumer_close(struct doca_comch_consumer *consumer, doca_error_t error);

#endif
