// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs as work requests.

#include "verbs.h"

#include "core/device_card.h"
#include "plural.h"

// ---- checks -----------------------------------------------------------------------------

static bool is_message(const struct work_item *item)
{
    return rdma_kind(item) == RDMA_JOB_SEND || rdma_kind(item) == RDMA_JOB_SEND_IMM;
}

static doca_error_t check_receive(struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of(item);

    return rdma_list_check(item->link, job->local, rdma_of(item)->set.recv_chain, job->extent,
                           &job->length, err);
}

doca_error_t verbs_check(struct work_item *item, struct errtext *err)
{
    struct rdma_job *job = rdma_job_of(item);
    const struct doca_buf *local = job->local;
    doca_error_t r;

    if (rdma_kind(item) == RDMA_JOB_RECV)
        return check_receive(item, err);
    if (!is_message(item))
        return rdma_access_check(item, err);
    r = rdma_list_check(item->link, local, rdma_of(item)->list_max, RDMA_DATA, &job->length, err);
    if (r == DOCA_SUCCESS && job->length > rdma_of(item)->message_max)
        r = errtext_set(err, dev_over_limit(item->link->device),
                        "%llu bytes are more than a message can have",
                        (unsigned long long)job->length);
    return r;
}

// ---- posting ----------------------------------------------------------------------------

// Empty pieces are left out: for some devices a length of 0 means 2 GiB. Reads may take fewer bytes
// than there is room for.
doca_error_t verbs_fill_list(const struct work_item *item, uint32_t most,
                             struct ibv_sge list[VERBS_LIST_MAX], int *n, struct errtext *err)
{
    const struct rdma_job *job = rdma_job_of((struct work_item *)item);
    const struct doca_dev *device = item->link->device;
    uint64_t left = job->length;
    uint32_t used = 0;

    for (const struct doca_buf *buf = job->local; buf && left; buf = buf->next) {
        size_t part = rdma_part(buf, job->extent);
        if (part > left)
            part = left;
        if (part == 0)
            continue;
        if (used == most)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the list has more than %u buffer%s, the most that the device takes",
                               most, PLURAL(most));
        list[used++] = (struct ibv_sge){.addr = (uintptr_t)rdma_part_at(buf, job->extent),
                                        .length = (uint32_t)part,
                                        .lkey = memory_key(buf->memory, device)->lkey};
        left -= part;
    }
    *n = (int)used;
    return DOCA_SUCCESS;
}

// Jobs have no result from the driver.
doca_error_t verbs_post_failed(const struct work_item *item, int error, struct errtext *err)
{
    doca_error_t r =
        verbs_failed(error, "take a work request", dev_name(item->link->device), 0, err);
    return r == DOCA_ERROR_DRIVER ? DOCA_ERROR_IO_FAILED : r;
}

static doca_error_t post_receive(struct work_item *item, struct ibv_sge *list, int n,
                                 struct errtext *err)
{
    struct ibv_recv_wr wr = {.wr_id = (uintptr_t)item, .sg_list = list, .num_sge = n}, *bad;

    int error = ibv_post_recv(rdma_of(item)->verbs->rc.qp, &wr, &bad);
    return error ? verbs_post_failed(item, error, err) : DOCA_SUCCESS;
}

static enum ibv_wr_opcode opcode_of(const struct work_item *item)
{
    static const enum ibv_wr_opcode opcodes[] = {
        [RDMA_JOB_SEND - RDMA_JOB_RECV] = IBV_WR_SEND,
        [RDMA_JOB_SEND_IMM - RDMA_JOB_RECV] = IBV_WR_SEND_WITH_IMM,
        [RDMA_JOB_READ - RDMA_JOB_RECV] = IBV_WR_RDMA_READ,
        [RDMA_JOB_WRITE - RDMA_JOB_RECV] = IBV_WR_RDMA_WRITE,
        [RDMA_JOB_WRITE_IMM - RDMA_JOB_RECV] = IBV_WR_RDMA_WRITE_WITH_IMM,
        [RDMA_JOB_ATOMIC_CMP_SWP - RDMA_JOB_RECV] = IBV_WR_ATOMIC_CMP_AND_SWP,
        [RDMA_JOB_ATOMIC_FETCH_ADD - RDMA_JOB_RECV] = IBV_WR_ATOMIC_FETCH_AND_ADD,
    };
    return opcodes[rdma_kind(item) - RDMA_JOB_RECV];
}

static void set_remote(const struct work_item *item, struct ibv_send_wr *wr)
{
    const struct rdma_job *job = rdma_job_of((struct work_item *)item);
    uint64_t address = (uintptr_t)job->remote->data;
    uint32_t key = memory_key(job->remote->memory, item->link->device)->rkey;

    if (rdma_kind(item) < RDMA_JOB_ATOMIC_CMP_SWP) {
        wr->wr.rdma.remote_addr = address;
        wr->wr.rdma.rkey = key;
        return;
    }
    bool swap = rdma_kind(item) == RDMA_JOB_ATOMIC_CMP_SWP;
    wr->wr.atomic.remote_addr = address;
    wr->wr.atomic.rkey = key;
    wr->wr.atomic.compare_add = swap ? job->compare : job->operand;
    wr->wr.atomic.swap = swap ? job->operand : 0;
}

static bool carries_bytes(const struct work_item *item)
{
    return rdma_kind(item) != RDMA_JOB_READ && rdma_kind(item) < RDMA_JOB_ATOMIC_CMP_SWP;
}

static doca_error_t post_send(struct work_item *item, struct ibv_sge *list, int n,
                              struct errtext *err)
{
    const struct rdma_job *job = rdma_job_of(item);
    struct rdma_verbs *v = rdma_of(item)->verbs;
    const struct verbs_rc *rc = &v->rc;
    struct ibv_send_wr wr = {.wr_id = (uintptr_t)item,
                             .sg_list = list,
                             .num_sge = n,
                             .opcode = opcode_of(item),
                             .send_flags = IBV_SEND_SIGNALED},
                       *bad;

    if (job->length <= rc->inline_size && carries_bytes(item))
        wr.send_flags |= IBV_SEND_INLINE;
    wr.imm_data = job->immediate;
    if (job->remote)
        set_remote(item, &wr);
    if (__builtin_expect(!v->received, 0))
        atomic_store_explicit(&v->sent, true, memory_order_relaxed);
    int error = ibv_post_send(rc->qp, &wr, &bad);
    return error ? verbs_post_failed(item, error, err) : DOCA_SUCCESS;
}

doca_error_t verbs_post(struct work_item *item, struct errtext *err)
{
    struct ibv_sge list[VERBS_LIST_MAX];
    int n;

    doca_error_t r = verbs_fill_list(item, rdma_of(item)->verbs->list_max, list, &n, err);
    if (r == DOCA_SUCCESS)
        r = rdma_kind(item) == RDMA_JOB_RECV ? post_receive(item, list, n, err)
                                             : post_send(item, list, n, err);
    if (r == DOCA_SUCCESS)
        rdma_of(item)->verbs->outstanding++;
    return r;
}
