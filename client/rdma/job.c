// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA jobs when they are submitted, and their results.

#include "quick.h"
#include "rdma.h"

_Static_assert(DOCA_RDMA_JOB_ATOMIC_FETCH_ADD - DOCA_RDMA_JOB_RECV == RDMA_JOB_ATOMIC_FETCH_ADD,
               "kinds are in the order of the types");
_Static_assert((int)DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM == (int)RDMA_RECEIVED_WRITE_IMM &&
                   (int)DOCA_RDMA_STATE_ERROR == (int)RDMA_STATE_ERROR,
               "the same values");

static doca_error_t refuse_job(struct work_item *item, doca_error_t error, const char *why)
{
    item->refusal = why;
    return error;
}

static bool given_back(const struct doca_buf *buf)
{
    return buf && !buf->refcount;
}

static void take_buffers(struct work_item *item, const void *submitted)
{
    const struct doca_rdma_job_read_write *access = submitted;
    const struct doca_rdma_job_atomic *atomic = submitted;
    const struct doca_rdma_job_send *send = submitted;
    struct rdma_job *job = rdma_job_of(item);

    switch (item->type) {
    case DOCA_RDMA_JOB_RECV:
        job->local = ((const struct doca_rdma_job_recv *)submitted)->dst_buff;
        job->extent = RDMA_ROOM;
        break;
    case DOCA_RDMA_JOB_SEND:
    case DOCA_RDMA_JOB_SEND_IMM:
        job->local = (struct doca_buf *)send->src_buff;
        job->immediate = send->immediate_data;
        break;
    case DOCA_RDMA_JOB_READ:
        job->local = access->dst_buff;
        job->remote = (struct doca_buf *)access->src_buff;
        break;
    case DOCA_RDMA_JOB_WRITE:
    case DOCA_RDMA_JOB_WRITE_IMM:
        job->local = (struct doca_buf *)access->src_buff;
        job->remote = access->dst_buff;
        job->immediate = access->immediate_data;
        break;
    default:
        job->local = atomic->result_buff;
        job->remote = atomic->cmp_or_add_dest_buff;
        job->operand = atomic->swap_or_add_data;
        job->compare = atomic->cmp_data;
        break;
    }
}

// Returns whether these buffers may be NULL.
static bool complete(const struct work_item *item, struct rdma_job *job)
{
    bool is_read = item->type == DOCA_RDMA_JOB_READ;

    if (item->type >= DOCA_RDMA_JOB_ATOMIC_CMP_SWP)
        return job->local && job->remote;
    if (item->type < DOCA_RDMA_JOB_READ)
        return true;
    // Without a source nothing is moved, and the destination does not matter.
    if (!(is_read ? job->remote : job->local))
        job->local = job->remote = NULL;
    return !job->local == !job->remote;
}

doca_error_t rdma_prepare(struct work_item *item, const void *submitted)
{
    struct rdma_end *rdma = item->link->state;
    struct rdma_job *job = rdma_job_of(item);
    enum rdma_state state = rdma_state(rdma);
    bool is_receive = item->type == DOCA_RDMA_JOB_RECV;

    if (!rdma_type_known(item->type))
        return refuse_job(item, DOCA_ERROR_INVALID_VALUE, "the job's type is not an RDMA job");
    if (state != RDMA_STATE_CONNECTED && !(state == RDMA_STATE_INIT && is_receive))
        return refuse_job(item, DOCA_ERROR_BAD_STATE,
                          state == RDMA_STATE_ERROR
                              ? "the RDMA instance is in error; stop, start, export and connect it"
                              : "the RDMA instance is not connected");
    if (is_receive ? rdma->receives->n == rdma->set.recv_size
                   : rdma->n_sends == rdma->set.send_size)
        return refuse_job(item, DOCA_ERROR_NO_MEMORY,
                          is_receive ? "the RDMA instance's receive queue is full; retrieve events "
                                       "first, or see doca_rdma_set_recv_queue_size()"
                                     : "the RDMA instance's send queue is full; retrieve events "
                                       "first, or see doca_rdma_set_send_queue_size()");
    *job = (struct rdma_job){.end = rdma, .kind = (uint8_t)(item->type - DOCA_RDMA_JOB_RECV)};
    take_buffers(item, submitted);
    if (!complete(item, job))
        return refuse_job(item, DOCA_ERROR_INVALID_VALUE, "a buffer of the job is NULL");
    if (given_back(job->local) || given_back(job->remote))
        return refuse_job(item, DOCA_ERROR_INVALID_VALUE, "a buffer of the job was given back");
    if (is_receive)
        rdma->receives->n++;
    else
        rdma->n_sends++;
    return DOCA_SUCCESS;
}

// Out of line: a send needs fewer registers.
static __attribute__((noinline)) enum work_status run_access(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);
    struct rdma_end *rdma = job->end;

    if (job->kind == RDMA_JOB_WRITE_IMM ||
        !rdma_quick_access(rdma, item, (enum rdma_job_kind)job->kind, false, job->local,
                           job->remote, job->operand, job->compare))
        return rdma_execute(item);
    rdma->n_sends--;
    return WORK_DONE;
}

enum work_status rdma_run(struct work_item *item)
{
    struct rdma_job *job = rdma_job_of(item);
    struct rdma_end *rdma = job->end;

    if (job->kind >= RDMA_JOB_READ)
        return run_access(item);
    if (job->kind == RDMA_JOB_RECV ? rdma_state(rdma) == RDMA_STATE_CONNECTED &&
                                         rdma_quick_receive(rdma->receives, item, rdma, job->local)
                                   : rdma_quick_send(rdma, item, (enum rdma_job_kind)job->kind,
                                                     job->local, job->immediate))
        return WORK_KEPT;
    return rdma_execute(item);
}

void rdma_finish(const struct work_item *item, union doca_data *result)
{
    const struct rdma_job *job = rdma_job_of((struct work_item *)item);
    struct doca_rdma_result *out = result->ptr;
    bool success = item->error == DOCA_SUCCESS;

    if (out)
        *out = (struct doca_rdma_result){.result = item->error,
                                         .opcode = (enum doca_rdma_opcode_t)job->opcode,
                                         .length = success ? (uint32_t)job->length : 0,
                                         .immediate_data = success ? job->immediate : 0};
}
