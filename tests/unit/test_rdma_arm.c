// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When a work queue may sleep beside an RDMA instance on an ibverbs device. The device is
// played by this test.

#include "cleanup.h"
#include "rdma/verbs.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>

static int notify_error, asked;

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    (void)qp;
    (void)attr;
    (void)mask;
    return EIO;
}

static int req_notify(struct ibv_cq *cq, int solicited)
{
    (void)cq;
    (void)solicited;
    asked++;
    return notify_error;
}

static struct ibv_wc *completion; // the next one, once

static int poll_once(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    (void)cq;
    ck_assert_int_ge(n, 1);
    if (!completion)
        return 0;
    *wc = *completion;
    completion = NULL;
    return 1;
}

struct rig {
    struct ibv_context context;
    struct ibv_cq cq;
    struct ibv_qp qp;
    struct rdma_verbs verbs;
    struct executor executor;
    struct work_link link;
    struct doca_rdma rdma;
    struct work_item item;
};

// An instance with one receive that is posted.
static struct rig *make_rig(void)
{
    struct rig *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
    ck_assert_ptr_nonnull(r);
    *r = (struct rig){.context.ops = {.req_notify_cq = req_notify, .poll_cq = poll_once},
                      .executor.kept = 1,
                      .rdma = {.state = DOCA_RDMA_STATE_CONNECTED,
                               .epoll_fd = -1,
                               .transport = &rdma_on_verbs,
                               .n_recvs = 1}};
    r->cq.context = &r->context;
    r->verbs.rc.cq = &r->cq;
    r->verbs.rc.qp = &r->qp;
    r->verbs.outstanding = 1;
    r->link = (struct work_link){.executor = &r->executor, .state = &r->rdma};
    r->item = (struct work_item){.link = &r->link, .type = DOCA_RDMA_JOB_RECV};
    r->rdma.verbs = &r->verbs;
    r->rdma.link = &r->link;
    work_fifo_init(&r->executor.done);
    work_fifo_init(&r->rdma.posted);
    work_fifo_init(&r->rdma.stalled);
    work_fifo_init(&r->rdma.receives);
    work_fifo_push(&r->rdma.receives, &r->item);
    return r;
}

// What was pending is handed out; afterwards the queue may wait for its other contexts.
START_TEST(device_has_gone)
{
    struct rig *r = make_rig();
    notify_error = EIO;
    ck_assert(verbs_arm(&r->rdma.source));
    ck_assert_int_eq(rdma_state(&r->rdma), DOCA_RDMA_STATE_ERROR);
    ck_assert_ptr_eq(work_fifo_pop(&r->executor.done), &r->item);
    ck_assert_int_eq(r->item.error, DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(r->executor.kept, 0);
    ck_assert_uint_eq(r->rdma.n_recvs, 0);
    asked = 0;
    ck_assert(!verbs_arm(&r->rdma.source));
    ck_assert_int_eq(asked, 0);
    free(r);
}
END_TEST

// What completes while it is armed makes no event any more: it must be told, also to a graph,
// whose items are in no list.
START_TEST(completes_meanwhile)
{
    for (int of_graph = 0; of_graph < 2; of_graph++) {
        struct rig *r = make_rig();
        struct ibv_wc wc = {.wr_id = (uintptr_t)&r->item, .status = IBV_WC_SUCCESS};
        struct state_table *table = calloc(1, state_table_size(1));
        ck_assert_ptr_nonnull(table);
        atomic_store(&table->words[0], state_word(0, SLOT_LIVE));
        r->rdma.table = table;
        r->rdma.empty_polls = 1;
        r->item.own_account = of_graph;
        notify_error = 0;
        ck_assert(!verbs_arm(&r->rdma.source));
        completion = &wc;
        ck_assert(verbs_arm(&r->rdma.source));
        ck_assert_int_eq(of_graph ? r->item.over : r->executor.done.head == &r->item, 1);
        ck_assert_int_eq(r->item.error, DOCA_SUCCESS);
        free(table);
        free(r);
    }
}
END_TEST

UNIT_MAIN("rdma arm", device_has_gone, completes_meanwhile)
