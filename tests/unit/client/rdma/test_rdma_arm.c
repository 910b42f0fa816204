// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When a work queue may sleep beside an RDMA instance on an ibverbs device. The device is
// played by this test.

#include "cleanup.h"
#include "rdma/rdma.h"
#include "rdma/verbs.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

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

static int notify_error, asked;

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    (void)qp;
    (void)attr;
    (void)mask;
    return EIO;
}

// No event comes through the channel.
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
    (void)channel;
    (void)cq;
    (void)context;
    errno = EAGAIN;
    return -1;
}

static int req_notify(struct ibv_cq *cq, int solicited)
{
    (void)cq;
    (void)solicited;
    asked++;
    return notify_error;
}

static int post_nothing(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)qp;
    *bad = wr;
    return EIO;
}

static const struct ibv_wc *completions; // the next ones, once
static int n_completions;

static int poll_once(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    int came = n_completions;
    (void)cq;
    ck_assert_int_ge(n, came);
    for (int i = 0; i < came; i++)
        wc[i] = completions[i];
    n_completions = 0;
    return came;
}

struct rig {
    struct ibv_comp_channel channel;
    struct state_table *table;
    struct ibv_context context;
    struct ibv_cq cq;
    struct ibv_qp qp;
    struct rdma_verbs verbs;
    struct executor executor;
    struct work_link link;
    struct doca_rdma owner;
    struct work_item item, next;
};

// An instance of a device that docad has not seen go, with one receive that is posted.
static struct rig *make_rig(void)
{
    struct rig *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
    ck_assert_ptr_nonnull(r);
    *r = (struct rig){.context.ops = {.req_notify_cq = req_notify,
                                      .poll_cq = poll_once,
                                      .post_recv = post_nothing},
                      .executor = {.kept = 1, .epoll_fd = -1},
                      .channel.fd = -1,
                      .owner.end = {.state = RDMA_STATE_CONNECTED,
                                    .epoll_fd = -1,
                                    .lifeline = -1,
                                    .channel = -1,
                                    .empty_polls = 1,
                                    .spot = &r->owner.end.own_spot,
                                    .transport = &rdma_on_verbs,
                                    .receives = &r->owner.receives},
                      .owner.receives.n = 1};
    r->cq.context = &r->context;
    r->qp.context = &r->context;
    r->verbs.rc.cq = &r->cq;
    r->verbs.rc.qp = &r->qp;
    r->verbs.rc.channel = &r->channel;
    r->verbs.outstanding = 1;
    r->link = (struct work_link){.executor = &r->executor, .state = &r->owner.end};
    r->item = (struct work_item){.link = &r->link};
    *rdma_job_of(&r->item) = (struct rdma_job){.end = &r->owner.end, .kind = RDMA_JOB_RECV};
    r->owner.end.verbs = &r->verbs;
    r->owner.end.link = &r->link;
    work_fifo_init(&r->executor.done);
    work_fifo_init(&r->owner.end.posted);
    work_fifo_init(&r->owner.end.stalled);
    work_fifo_init(&r->owner.receives.queue);
    work_fifo_push(&r->owner.receives.queue, &r->item);
    r->owner.end.table = r->table = calloc(1, state_table_size(1));
    ck_assert_ptr_nonnull(r->table);
    atomic_store(&r->table->words[0], state_word(0, SLOT_LIVE));
    return r;
}

static void free_rig(struct rig *r)
{
    free(r->table);
    free(r);
}

static void assert_ended(struct rig *r, struct work_item *item, doca_error_t error)
{
    ck_assert_ptr_eq(work_fifo_pop(&r->executor.done), item);
    ck_assert_int_eq(item->error, error);
}

// Pending jobs are handed out; afterwards the queue may wait for its other contexts.
START_TEST(device_has_gone)
{
    struct rig *r = make_rig();
    notify_error = EIO;
    ck_assert(verbs_arm(&r->owner.end.source));
    ck_assert_int_eq(rdma_state(&r->owner.end), RDMA_STATE_ERROR);
    assert_ended(r, &r->item, DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(r->executor.kept, 0);
    ck_assert_uint_eq(r->owner.receives.n, 0);
    asked = 0;
    ck_assert(!verbs_arm(&r->owner.end.source));
    ck_assert_int_eq(asked, 0);
    free_rig(r);
}
END_TEST

// A job that completes while it is armed makes no event any more: it must be told, also to a graph,
// whose items are in no list.
START_TEST(completes_meanwhile)
{
    for (int of_graph = 0; of_graph < 2; of_graph++) {
        struct rig *r = make_rig();
        struct ibv_wc wc = {.wr_id = (uintptr_t)&r->item, .status = IBV_WC_SUCCESS};
        r->item.account = of_graph ? WORK_OF_GRAPH : 0;
        notify_error = 0;
        ck_assert(!verbs_arm(&r->owner.end.source));
        completions = &wc;
        n_completions = 1;
        ck_assert(verbs_arm(&r->owner.end.source));
        ck_assert_int_eq(of_graph ? r->item.over : r->executor.done.head == &r->item, 1);
        ck_assert_int_eq(r->item.error, DOCA_SUCCESS);
        free_rig(r);
    }
}
END_TEST

// ---- a driver that does not wait for its users -----------------------------------------------

// Takes away the channel, as it is then, while the work queue waits for it.
static void take_away(struct rig *r)
{
    struct epoll_event event = {.events = EPOLLIN};
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    r->channel.fd = ends[1];
    r->executor.epoll_fd = epoll_create1(0);
    ck_assert_int_eq(epoll_ctl(r->executor.epoll_fd, EPOLL_CTL_ADD, r->channel.fd, &event), 0);
    ck_assert_int_eq(epoll_wait(r->executor.epoll_fd, &event, 1, 0), 1);
}

static void assert_sleeps(struct rig *r)
{
    struct epoll_event event;
    ck_assert_int_eq(epoll_wait(r->executor.epoll_fd, &event, 1, 0), 0);
    close(r->executor.epoll_fd);
    close(r->channel.fd);
}

// Nobody else has said that the device has gone.
START_TEST(device_is_taken_away)
{
    struct rig *r = make_rig();
    notify_error = 0;
    take_away(r);
    verbs_clear(&r->owner.end.source);
    ck_assert_int_eq(rdma_state(&r->owner.end), RDMA_STATE_ERROR);
    assert_ended(r, &r->item, DOCA_ERROR_IO_FAILED);
    assert_sleeps(r);
    free_rig(r);
}
END_TEST

// docad has said it before.
START_TEST(device_is_taken_away_later)
{
    struct rig *r = make_rig();
    notify_error = 0;
    atomic_store(&r->table->words[0], state_word(0, SLOT_DEVICE_GONE));
    verbs_poll(&r->owner.end.source);
    assert_ended(r, &r->item, DOCA_ERROR_IO_FAILED);
    free_rig(r);
    r = make_rig();
    take_away(r);
    atomic_store(&r->table->words[0], state_word(0, SLOT_DEVICE_GONE));
    verbs_poll(&r->owner.end.source);
    assert_sleeps(r);
    free_rig(r);
}
END_TEST

// ---- completions behind the one that tells of the end ---------------------------------------

// Each completion that was polled at once ends with its own result, and only once.
START_TEST(completions_behind_the_end)
{
    struct rig *r = make_rig();
    struct ibv_wc wc[] = {
        {.wr_id = (uintptr_t)&r->item, .status = IBV_WC_WR_FLUSH_ERR},
        {.wr_id = (uintptr_t)&r->next, .status = IBV_WC_SUCCESS},
    };
    r->next = (struct work_item){.link = &r->link};
    *rdma_job_of(&r->next) = (struct rdma_job){.end = &r->owner.end, .kind = RDMA_JOB_RECV};
    work_fifo_push(&r->owner.receives.queue, &r->next);
    r->verbs.outstanding = r->executor.kept = r->owner.receives.n = 2;
    completions = wc;
    n_completions = 2;
    verbs_poll(&r->owner.end.source);
    ck_assert_int_eq(rdma_state(&r->owner.end), RDMA_STATE_ERROR);
    assert_ended(r, &r->item, DOCA_ERROR_CONNECTION_ABORTED);
    assert_ended(r, &r->next, DOCA_SUCCESS);
    ck_assert_ptr_null(r->executor.done.head);
    ck_assert_uint_eq(r->executor.kept, 0);
    ck_assert_uint_eq(r->owner.receives.n, 0);
    free_rig(r);
}
END_TEST

// The same whatever the device says about it, and whatever status it fails with.
START_TEST(flushed_since_the_device_goes)
{
    static const enum ibv_wc_status statuses[] = {IBV_WC_WR_FLUSH_ERR, IBV_WC_LOC_QP_OP_ERR,
                                                  IBV_WC_REM_ACCESS_ERR, IBV_WC_RETRY_EXC_ERR};
    for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
        struct rig *r = make_rig();
        struct ibv_wc wc = {.wr_id = (uintptr_t)&r->item, .status = statuses[i]};
        r->verbs.received = true;
        atomic_store(&r->table->words[0], state_word(0, SLOT_DEVICE_GONE));
        completions = &wc;
        n_completions = 1;
        verbs_poll(&r->owner.end.source);
        assert_ended(r, &r->item, DOCA_ERROR_IO_FAILED);
        free_rig(r);
    }
}
END_TEST

// ---- without a look at what is pending -------------------------------------------------------

// The same applies before it was connected.
START_TEST(state_of_an_instance_without_device)
{
    static const enum doca_rdma_state states[] = {DOCA_RDMA_STATE_INIT, DOCA_RDMA_STATE_CONNECTED};
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        struct rig *r = make_rig();
        enum doca_rdma_state state;
        r->owner.ctx.device = (struct doca_dev *)r; // only that there is one
        atomic_store(&r->owner.end.state, states[i]);
        atomic_store(&r->verbs.sent, true);
        ck_assert_int_eq(doca_rdma_get_state(&r->owner, &state), DOCA_SUCCESS);
        ck_assert_int_eq(state, states[i]);
        atomic_store(&r->table->words[0], state_word(0, SLOT_DEVICE_GONE));
        ck_assert_int_eq(doca_rdma_get_state(&r->owner, &state), DOCA_SUCCESS);
        ck_assert_int_eq(state, DOCA_RDMA_STATE_ERROR);
        free_rig(r);
    }
}
END_TEST

// The driver takes no work any more: the job's result is one that jobs have.
START_TEST(nothing_can_be_posted)
{
    struct rig *r = make_rig();
    struct work_item *item = &r->next;
    *item = (struct work_item){.link = &r->link};
    *rdma_job_of(item) = (struct rdma_job){.end = &r->owner.end, .kind = RDMA_JOB_RECV};
    r->owner.receives.n++;
    ck_assert_int_eq(verbs_execute(item), WORK_DONE);
    ck_assert_int_eq(item->error, DOCA_ERROR_IO_FAILED);
    verbs_poll(&r->owner.end.source);
    assert_ended(r, &r->item, DOCA_ERROR_CONNECTION_ABORTED);
    free_rig(r);
}
END_TEST

UNIT_MAIN("rdma arm", device_has_gone, completes_meanwhile, device_is_taken_away,
          device_is_taken_away_later, completions_behind_the_end, flushed_since_the_device_goes,
          state_of_an_instance_without_device, nothing_can_be_posted)
