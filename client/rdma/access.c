// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs on remote memory: read, write, atomics. Mapped bytes are copied, or changed by the
// processor, here; brokered bytes go through the engine of the daemon of their owner. The other
// process is not involved.

#include "quick.h"

#include "core/device_card.h"
#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "work/bytes.h"

static bool reads(const struct work_item *item)
{
    return rdma_kind(item) == RDMA_JOB_READ;
}

static bool is_atomic(const struct work_item *item)
{
    return rdma_kind(item) >= RDMA_JOB_ATOMIC_CMP_SWP;
}

static uint32_t permission(const struct work_item *item)
{
    return is_atomic(item) ? DOCA_ACCESS_RDMA_ATOMIC
           : reads(item)   ? DOCA_ACCESS_RDMA_READ
                           : DOCA_ACCESS_RDMA_WRITE;
}

// ---- checks --------------------------------------------------------------------------------

static doca_error_t check_remote(const struct work_item *item, struct errtext *err)
{
    const struct rdma_end *rdma = rdma_of(item);
    const struct doca_buf *buf = rdma_job_of((struct work_item *)item)->remote;
    uint32_t needed = permission(item);

    if (!(buf->flags & BUF_IMPORTED))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the remote buffer does not belong to an imported memory map");
    if ((size_t)(buf->data - buf->head) > buf->len)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the remote buffer's data at %p is outside its %zu bytes at %p",
                           (void *)buf->data, buf->len, (void *)buf->head);
    if (!buf_has_device(buf, item->link->device))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the remote buffer's memory map was imported for another device");
    if (!(buf->memory->access & needed))
        return errtext_set(
            err, DOCA_ERROR_NOT_PERMITTED,
            "the remote memory map does not allow this job; its access flags are %#x",
            buf->memory->access);
    if (!(rdma->remote_permissions & needed))
        return errtext_set(
            err, DOCA_ERROR_NOT_PERMITTED,
            "the other RDMA instance does not allow this job; its permissions are %#x",
            rdma->remote_permissions);
    doca_error_t r = memory_state(buf->memory);
    if (r != DOCA_SUCCESS)
        return errtext_set(err, r, RDMA_MEMORY_GONE);
    return DOCA_SUCCESS;
}

// The number of bytes that a read moves: see struct doca_rdma_job_read_write.
static doca_error_t measure_read(const struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);
    const struct doca_buf *remote = job->remote;
    uint32_t most = rdma_of(item)->list_max;

    doca_error_t r = rdma_list_check(item->link, job->local, most, job->extent, &job->length, err);
    if (r != DOCA_SUCCESS || (job->extent == RDMA_DATA && job->length))
        return r;
    if (job->extent == RDMA_DATA) {
        job->extent = RDMA_ROOM;
        rdma_list_check(item->link, job->local, most, RDMA_ROOM, &job->length, err);
    }
    uint64_t there = remote->data_len ? remote->data_len : rdma_part(remote, RDMA_ROOM);
    if (there && !job->length && job->extent == RDMA_BEHIND)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "there is no room behind the data of the destination; see "
                           "doca_buf_reset_data_len()");
    if (there < job->length)
        job->length = there;
    return DOCA_SUCCESS;
}

static doca_error_t measure_atomic(const struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);

    doca_error_t r = rdma_list_check(item->link, job->local, 1, RDMA_DATA, &job->length, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (job->length == 0 && job->extent != RDMA_DATA &&
        rdma_part(job->local, RDMA_ROOM) >= sizeof(uint64_t))
        job->length = sizeof(uint64_t);
    if (job->length != sizeof(uint64_t))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the result's buffer has %llu bytes of data; 8 are needed",
                           (unsigned long long)job->length);
    if ((uintptr_t)job->remote->data % sizeof(uint64_t))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the address of the word, %p, is not a multiple of 8",
                           (void *)job->remote->data);
    return DOCA_SUCCESS;
}

doca_error_t rdma_access_check(const struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);
    doca_error_t r;

    if (!job->remote || !job->local) { // no bytes; submission checked which buffers may be missing
        job->length = 0;
        return DOCA_SUCCESS;
    }
    r = check_remote(item, err);
    if (r == DOCA_SUCCESS)
        r = is_atomic(item) ? measure_atomic(item, err)
            : reads(item)   ? measure_read(item, err)
                            : rdma_list_check(item->link, job->local, rdma_of(item)->list_max,
                                              RDMA_DATA, &job->length, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (job->length > rdma_of(item)->message_max)
        return errtext_set(err, dev_over_limit(item->link->device),
                           "%llu bytes are more than a job can move",
                           (unsigned long long)job->length);
    if (job->length > rdma_part(job->remote, RDMA_ROOM))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%llu bytes reach beyond the end of the remote buffer",
                           (unsigned long long)job->length);
    return DOCA_SUCCESS;
}

// ---- mapped --------------------------------------------------------------------------------

// Copies a part of the bytes.
static void copy(const struct work_item *item, uint8_t *remote, size_t n)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);
    size_t total = job->length;

    if (reads(item))
        rdma_scatter(job->local, job->extent, job->moved, remote, n, total);
    else
        rdma_gather(job->local, job->moved, remote, n, total);
}

static void change_word(const struct work_item *item, void *remote)
{
    struct rdma_job *job = rdma_job_of((struct work_item *)item);

    rdma_change_word(rdma_kind(item), remote, job->operand, job->compare, job->local->data);
}

// ---- brokered --------------------------------------------------------------------------------

static void piece_over(struct broker_piece *piece, doca_error_t status)
{
    struct work_item *item = piece->owner;
    struct rdma_job *job = rdma_job_of(item);

    if (status != DOCA_SUCCESS && job->error == DOCA_SUCCESS)
        job->error = status;
    if (status == DOCA_SUCCESS && is_atomic(item))
        memcpy(job->local->data, broker_piece_data(piece), sizeof(uint64_t));
    else if (status == DOCA_SUCCESS && reads(item))
        rdma_scatter(job->local, job->extent, piece->address, broker_piece_data(piece),
                     piece->length, 0);
    job->outstanding--;
    broker_piece_put(piece);
}

static enum qp_opcode opcode(const struct work_item *item)
{
    switch (rdma_kind(item)) {
    case RDMA_JOB_READ:
        return QP_READ;
    case RDMA_JOB_ATOMIC_FETCH_ADD:
        return QP_FETCH_ADD;
    case RDMA_JOB_ATOMIC_CMP_SWP:
        return QP_CMP_SWP;
    default:
        return QP_WRITE;
    }
}

// Submits one piece to the engine. Returns its number of bytes, or 0 if there is no room or the
// piece is refused (then job->error is set).
static size_t issue(struct work_item *item, const struct bytes *to)
{
    struct rdma_job *job = rdma_job_of(item);
    struct broker_queue *queue = broker_port_queue(item->link->port, to->memory->broker);

    if (!queue) {
        job->error = DOCA_ERROR_NOT_CONNECTED;
        return 0;
    }
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return 0;
    piece->owner = item;
    piece->hop = NULL;
    piece->address = job->moved;
    piece->length = (uint32_t)(to->length < QP_CHUNK_SIZE ? to->length : QP_CHUNK_SIZE);
    if (is_atomic(item))
        *(struct qp_atomic *)broker_piece_data(piece) =
            (struct qp_atomic){.operand = job->operand, .compare = job->compare};
    else if (!reads(item))
        rdma_gather(job->local, job->moved, broker_piece_data(piece), piece->length, 0);
    job->error =
        broker_piece_post(piece, opcode(item), to->address, to->memory->grant_key, piece_over);
    if (job->error != DOCA_SUCCESS) {
        broker_piece_put(piece);
        return 0;
    }
    job->outstanding++;
    broker_queue_ring(queue);
    return piece->length;
}

// ---- the job ---------------------------------------------------------------------------------

static void move(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);
    struct bytes to;

    work_in_order(); // jobs of a connection take effect one after the other
    while (job->moved < job->length && job->error == DOCA_SUCCESS) {
        bytes_find(job->remote, job->remote->data + job->moved, job->length - job->moved, &to);
        size_t n = to.length < RDMA_STEP ? to.length : RDMA_STEP;
        job->error = touch_begin(item->link, to.memory, to.memory);
        if (job->error != DOCA_SUCCESS)
            return;
        if (!to.local)
            n = issue(item, &to);
        else if (is_atomic(item))
            change_word(item, to.local);
        else
            copy(item, to.local, n);
        touch_end(item->link, to.memory, to.memory);
        if (!n)
            return;
        job->moved += n;
        if (to.local)
            WORK_STATS_ADD(item->link->stats->mapped_bytes, n);
        else
            WORK_STATS_ADD(item->link->stats->engine_bytes, n);
    }
}

static __attribute__((noinline, cold)) enum rdma_step failed(struct work_item *item,
                                                             doca_error_t error)
{
    struct errtext err;
    errtext_set(&err, error, "the remote memory was revoked, has ended, or cannot be reached");
    rdma_job_failed(item, error, &err);
    return RDMA_DONE;
}

static enum rdma_step done(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);

    if ((reads(item) || is_atomic(item)) && job->local)
        rdma_set_lengths(job->local, job->extent, job->length);
    item->error = DOCA_SUCCESS;
    return RDMA_DONE;
}

static __attribute__((noinline)) bool check_all(struct work_item *item)
{
    struct errtext err;
    doca_error_t r = rdma_access_check(item, &err);
    if (r == DOCA_SUCCESS)
        r = rdma_hold(item, &err);
    if (r != DOCA_SUCCESS)
        rdma_job_failed(item, r, &err);
    rdma_job_of(item)->checked = true;
    return r == DOCA_SUCCESS;
}

enum rdma_step rdma_access(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);

    if (rdma_of(item)->posted.head)
        return RDMA_STALLED; // messages before it take effect first
    if (!job->checked && !check_all(item))
        return RDMA_DONE;
    move(item);
    if (job->outstanding || (job->moved < job->length && job->error == DOCA_SUCCESS))
        return RDMA_STALLED;
    return job->error == DOCA_SUCCESS ? done(item) : failed(item, job->error);
}
