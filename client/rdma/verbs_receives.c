// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Receives that the ends of one context share on an ibverbs device: one receive queue, from which
// each queue pair takes what its messages need. The device completes a receive in the completion
// queue of the end where the message has arrived.

#include "verbs.h"

#include <errno.h>
#include <stdlib.h>

struct verbs_receives {
    struct ibv_srq *queue;
    uint32_t room, chain;
};

struct ibv_srq *verbs_receives_queue(const struct verbs_receives *receives)
{
    return receives->queue;
}

uint32_t verbs_receives_room(const struct verbs_receives *receives)
{
    return receives->room;
}

static doca_error_t check_limits(const struct verbs_device *device, const char *name, uint32_t room,
                                 uint32_t chain, struct errtext *err)
{
    const struct ibv_device_attr *limits = &device->limits;

    if (!limits->max_srq)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "%s has no shared receive queues", name);
    if (room > (uint32_t)limits->max_srq_wr || chain > (uint32_t)limits->max_srq_sge)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s takes %d receives of %d buffers, but the context has %u of %u", name,
                           limits->max_srq_wr, limits->max_srq_sge, room, chain);
    return DOCA_SUCCESS;
}

doca_error_t verbs_receives_open(struct rdma_receives *receives, struct doca_dev *dev,
                                 uint32_t room, uint32_t chain, struct errtext *err)
{
    const struct verbs_device *device = dev_verbs(dev);
    struct ibv_srq_init_attr attr = {.attr = {.max_wr = room ? room : 1, .max_sge = chain}};

    doca_error_t r = check_limits(device, dev_name(dev), attr.attr.max_wr, chain, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct verbs_receives *made = calloc(1, sizeof(*made));
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *made = (struct verbs_receives){.room = attr.attr.max_wr, .chain = chain};
    made->queue = ibv_create_srq(device->pd, &attr);
    if (!made->queue) {
        r = verbs_failed(errno, "make a shared receive queue", dev_name(dev), 0, err);
        free(made);
        return r;
    }
    receives->verbs = made;
    return DOCA_SUCCESS;
}

void verbs_receives_close(struct rdma_receives *receives)
{
    if (!receives->verbs)
        return;
    ibv_destroy_srq(receives->verbs->queue);
    free(receives->verbs);
    receives->verbs = NULL;
}

doca_error_t verbs_receives_post(struct rdma_receives *receives, struct work_item *item,
                                 struct errtext *err)
{
    struct verbs_receives *shared = receives->verbs;
    struct rdma_job *job = rdma_job_of(item);
    struct ibv_sge list[VERBS_LIST_MAX];
    struct ibv_recv_wr wr = {.wr_id = (uintptr_t)item, .sg_list = list}, *bad;

    doca_error_t r = rdma_hold(item, err);
    if (r == DOCA_SUCCESS)
        r = rdma_list_check(item->link, job->local, shared->chain, job->extent, &job->length, err);
    if (r == DOCA_SUCCESS)
        r = verbs_fill_list(item, VERBS_LIST_MAX, list, &wr.num_sge, err);
    if (r != DOCA_SUCCESS)
        return r;
    int error = ibv_post_srq_recv(shared->queue, &wr, &bad);
    if (error)
        return verbs_post_failed(item, error, err);
    work_fifo_push(&receives->queue, item);
    receives->n++;
    return DOCA_SUCCESS;
}

// The receives of one end complete in their order, those of several ends nearly so.
bool verbs_receives_take(struct rdma_receives *receives, struct work_item *item)
{
    struct work_item **at = &receives->queue.head;

    while (*at && *at != item)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = item->next;
    if (!*at)
        receives->queue.tail = at;
    return true;
}

// ---- an end is closed --------------------------------------------------------------------------

// The device has filled it for an end that is closed. It fails if it cannot be posted again:
// otherwise it would wait for a message until the context stops, without being posted.
static void post_again(struct rdma_receives *receives, struct work_item *item)
{
    struct errtext err;

    receives->n--;
    doca_error_t r = verbs_receives_post(receives, item, &err);
    if (r == DOCA_SUCCESS)
        return;
    rdma_job_failed(item, r, &err);
    rdma_release(item);
    executor_finish(item->link->executor, item);
}

// Sends are over, as are receives that were flushed.
static void take_rest(struct rdma_receives *receives, struct ibv_cq *cq)
{
    struct ibv_wc wc;

    while (ibv_poll_cq(cq, 1, &wc) > 0) {
        struct work_item *item = (struct work_item *)(uintptr_t)wc.wr_id;
        if (verbs_receives_take(receives, item))
            post_again(receives, item);
    }
}

// Some drivers discard completions with their queue pair, and some complete the last ones then.
void verbs_receives_leave(struct rdma_receives *receives, struct verbs_rc *rc)
{
    (void)verbs_rc_fail(rc); // if the device was removed, there is nothing to take
    take_rest(receives, rc->cq);
    verbs_rc_destroy_pair(rc);
    take_rest(receives, rc->cq);
}
