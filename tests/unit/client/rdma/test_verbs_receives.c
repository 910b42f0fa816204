// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Receives that the connections of a context share on an ibverbs device, when one of the
// connections is closed. The device is played by this test.

#include "rdma/verbs.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>

// ---- the device ----------------------------------------------------------------------------

enum moment { NEVER, IN_ERROR, AFTER_THE_PAIR };

static struct device {
    struct verbs_device device;
    struct ibv_context context;
    struct ibv_srq queue;
    struct ibv_cq cq;
    struct ibv_qp qp;
    struct ibv_comp_channel channel;
    unsigned posted;          // receives
    struct work_item *latest; // of them
    int post_error;
    enum moment moment; // when the completion comes
    struct ibv_wc completion;
    bool completed;
} played;

const struct verbs_device *__wrap_dev_verbs(const struct doca_dev *dev);
const struct verbs_device *__wrap_dev_verbs(const struct doca_dev *dev)
{
    (void)dev;
    return &played.device;
}

// The name that log lines have.
const Docad__Function *__wrap_dev_function(const struct doca_dev *dev);
const Docad__Function *__wrap_dev_function(const struct doca_dev *dev)
{
    static Docad__Function function;
    (void)dev;
    docad__function__init(&function);
    function.backing = DOCAD__BACKING__VERBS;
    function.ibdev = (char *)"played0";
    return &function;
}

static int post(struct ibv_srq *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)queue;
    *bad = wr;
    if (played.post_error)
        return played.post_error;
    played.posted++;
    played.latest = (struct work_item *)(uintptr_t)wr->wr_id;
    return 0;
}

static void reach(enum moment moment)
{
    if (played.moment == moment)
        played.completed = true;
}

static int poll_once(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    (void)cq;
    ck_assert_int_ge(n, 1);
    if (!played.completed)
        return 0;
    *wc = played.completion;
    played.completed = false;
    return 1;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    (void)pd, (void)attr;
    return &played.queue;
}

int ibv_destroy_srq(struct ibv_srq *queue)
{
    (void)queue;
    return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    (void)qp, (void)mask;
    if (attr->qp_state == IBV_QPS_ERR)
        reach(IN_ERROR);
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    (void)qp;
    reach(AFTER_THE_PAIR);
    return 0;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    (void)cq;
    return 0;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    (void)channel;
    return 0;
}

// ---- a context with one connection -----------------------------------------------------------

struct rig {
    struct executor executor;
    struct work_link link;
    struct rdma_receives receives;
    struct rdma_end end;
    struct work_item item, next;
};

static void add_receive(struct rig *r, struct work_item *item)
{
    struct errtext err;

    *item = (struct work_item){.link = &r->link};
    *rdma_job_of(item) = (struct rdma_job){.kind = RDMA_JOB_RECV, .extent = RDMA_BEHIND};
    r->executor.kept++;
    ck_assert_int_eq(verbs_receives_post(&r->receives, item, &err), DOCA_SUCCESS);
}

// Two receives are posted. The connection belongs to no executor any more.
static struct rig *make_rig(void)
{
    struct rig *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
    struct errtext err;

    ck_assert_ptr_nonnull(r);
    played = (struct device){
        .device.limits = {.max_srq = 1, .max_srq_wr = 16, .max_srq_sge = 1},
        .context.ops = {.poll_cq = poll_once, .post_srq_recv = post},
    };
    played.queue.context = played.cq.context = played.qp.context = &played.context;
    *r = (struct rig){.executor.epoll_fd = -1,
                      .end = {.state = RDMA_STATE_ERROR,
                              .transport = &rdma_on_verbs,
                              .shares_receives = true,
                              .receives = &r->receives}};
    r->link = (struct work_link){.executor = &r->executor};
    work_fifo_init(&r->executor.done);
    work_fifo_init(&r->receives.queue);
    ck_assert_int_eq(verbs_receives_open(&r->receives, NULL, 2, 1, &err), DOCA_SUCCESS);
    r->end.verbs = calloc(1, sizeof(*r->end.verbs));
    ck_assert_ptr_nonnull(r->end.verbs);
    r->end.verbs->rc = (struct verbs_rc){
        .qp = &played.qp, .cq = &played.cq, .channel = &played.channel, .port = 1};
    add_receive(r, &r->item);
    add_receive(r, &r->next);
    ck_assert_uint_eq(played.posted, 2);
    return r;
}

static void free_rig(struct rig *r)
{
    verbs_receives_close(&r->receives);
    free(r);
}

static void expect(enum moment moment, struct work_item *item, enum ibv_wc_status status)
{
    played.moment = moment;
    played.completion = (struct ibv_wc){.wr_id = (uintptr_t)item, .status = status};
}

// ---- what a late message takes -----------------------------------------------------------------

// The program cannot be told of it any more, and other connections need the receive.
START_TEST(receives_are_posted_again)
{
    static const enum moment moments[] = {IN_ERROR, AFTER_THE_PAIR};
    static const enum ibv_wc_status statuses[] = {IBV_WC_SUCCESS, IBV_WC_WR_FLUSH_ERR};

    for (size_t i = 0; i < ARRAY_SIZE(moments); i++)
        for (size_t k = 0; k < ARRAY_SIZE(statuses); k++) {
            struct rig *r = make_rig();
            expect(moments[i], &r->item, statuses[k]);
            r->end.transport->stop(&r->end);
            ck_assert_uint_eq(played.posted, 3);
            ck_assert_ptr_eq(played.latest, &r->item);
            ck_assert_uint_eq(r->receives.n, 2);
            ck_assert_uint_eq(r->executor.kept, 2);
            ck_assert_ptr_null(r->executor.done.head);
            ck_assert_ptr_eq(work_fifo_pop(&r->receives.queue), &r->next);
            ck_assert_ptr_eq(work_fifo_pop(&r->receives.queue), &r->item);
            free_rig(r);
        }
}
END_TEST

START_TEST(receives_that_cannot_be_posted_fail)
{
    struct rig *r = make_rig();

    expect(IN_ERROR, &r->item, IBV_WC_SUCCESS);
    played.post_error = EIO;
    r->end.transport->stop(&r->end);
    ck_assert_uint_eq(r->receives.n, 1);
    ck_assert_uint_eq(r->executor.kept, 1);
    ck_assert_ptr_eq(work_fifo_pop(&r->executor.done), &r->item);
    ck_assert_int_eq(r->item.error, DOCA_ERROR_IO_FAILED);
    ck_assert_ptr_eq(work_fifo_pop(&r->receives.queue), &r->next);
    free_rig(r);
}
END_TEST

// The context has stopped, and has flushed them; they may be used elsewhere.
START_TEST(receives_that_were_flushed_stay_away)
{
    struct rig *r = make_rig();

    expect(IN_ERROR, &r->item, IBV_WC_SUCCESS);
    while (work_fifo_pop(&r->receives.queue))
        r->receives.n--;
    r->end.transport->stop(&r->end);
    ck_assert_uint_eq(played.posted, 2);
    ck_assert_ptr_null(r->receives.queue.head);
    ck_assert_ptr_null(r->executor.done.head);
    free_rig(r);
}
END_TEST

UNIT_MAIN("verbs receives", receives_are_posted_again, receives_that_cannot_be_posted_fail,
          receives_that_were_flushed_stay_away)
