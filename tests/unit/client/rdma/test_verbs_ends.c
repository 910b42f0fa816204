// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a job on an ibverbs device ends with when its connection ends, too, whichever shows first.
// The device is played by this test.

#include "rdma/rdma.h"
#include "rdma/verbs.h"
#include "unit.h"

#include <stdlib.h>

// When the job completes. The news that the other side has gone is there from the beginning, and
// looked at when the first poll has found nothing.
enum moment { BEFORE_THE_NEWS, AFTER_THE_NEWS, IN_ERROR, MOMENTS };

static enum moment moment, now;
static struct ibv_wc completion;
static bool completed;

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

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *attr)
{
    (void)context, (void)number;
    ((struct ibv_port_attr *)attr)->state = IBV_PORT_ACTIVE;
    return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    (void)qp, (void)mask;
    ck_assert_int_eq(attr->qp_state, IBV_QPS_ERR);
    now = IN_ERROR;
    return 0;
}

static int poll_once(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    (void)cq;
    ck_assert_int_ge(n, 1);
    bool comes = !completed && now >= moment;
    if (comes)
        *wc = completion;
    else if (now == BEFORE_THE_NEWS)
        now = AFTER_THE_NEWS;
    completed = completed || comes;
    return comes;
}

static struct rig {
    struct ibv_context context;
    struct ibv_cq cq;
    struct ibv_qp qp;
    struct rdma_verbs verbs;
    struct executor executor;
    struct work_link link;
    struct rdma_receives receives;
    struct rdma_end end;
    struct work_item item;
} * rig;

// One write is posted, and its memory's owner has gone.
static void setup(void)
{
    rig = aligned_alloc(64, (sizeof(*rig) + 63) / 64 * 64);
    ck_assert_ptr_nonnull(rig);
    *rig = (struct rig){.context.ops.poll_cq = poll_once,
                        .executor = {.kept = 1, .epoll_fd = -1},
                        .end = {.state = RDMA_STATE_CONNECTED,
                                .epoll_fd = -1,
                                .lifeline = -1,
                                .channel = -1,
                                .n_sends = 1,
                                .transport = &rdma_on_verbs,
                                .receives = &rig->receives}};
    rig->cq.context = rig->qp.context = &rig->context;
    rig->verbs.rc.cq = &rig->cq;
    rig->verbs.rc.qp = &rig->qp;
    rig->verbs.outstanding = 1;
    rig->verbs.received = true;
    rig->link = (struct work_link){.executor = &rig->executor, .state = &rig->end};
    rig->end.verbs = &rig->verbs;
    rig->end.link = &rig->link;
    work_fifo_init(&rig->executor.done);
    work_fifo_init(&rig->end.posted);
    work_fifo_init(&rig->end.stalled);
    work_fifo_init(&rig->receives.queue);
    rig->item = (struct work_item){.link = &rig->link};
    *rdma_job_of(&rig->item) = (struct rdma_job){.end = &rig->end, .kind = RDMA_JOB_WRITE};
    work_fifo_push(&rig->end.posted, &rig->item);
    struct state_table *table = calloc(1, state_table_size(1));
    ck_assert_ptr_nonnull(table);
    atomic_store(&table->words[0], state_word(0, SLOT_OWNER_GONE));
    rig->end.table = table;
}

static void teardown(void)
{
    free((struct state_table *)rig->end.table);
    free(rig);
}

static void assert_ends(enum moment when, enum ibv_wc_status status, doca_error_t error)
{
    setup();
    moment = when;
    now = BEFORE_THE_NEWS;
    completed = false;
    completion = (struct ibv_wc){.wr_id = (uintptr_t)&rig->item, .status = status};
    while (!rig->executor.done.head)
        verbs_poll(&rig->end.source);
    ck_assert_ptr_eq(work_fifo_pop(&rig->executor.done), &rig->item);
    ck_assert_msg(rig->item.error == error, "moment %d, status %d: %s, not %s", (int)when,
                  (int)status, doca_get_error_name(rig->item.error), doca_get_error_name(error));
    teardown();
}

// What the other side answered, or this side's device found, is the job's own.
START_TEST(its_own_end_counts)
{
    for (int when = 0; when < MOMENTS; when++) {
        assert_ends((enum moment)when, IBV_WC_SUCCESS, DOCA_SUCCESS);
        assert_ends((enum moment)when, IBV_WC_REM_ACCESS_ERR, DOCA_ERROR_NOT_PERMITTED);
        assert_ends((enum moment)when, IBV_WC_REM_INV_REQ_ERR, DOCA_ERROR_INVALID_VALUE);
        assert_ends((enum moment)when, IBV_WC_LOC_PROT_ERR, DOCA_ERROR_NOT_PERMITTED);
    }
}
END_TEST

// It was not carried out, or nothing is known of it: because the other side has gone.
START_TEST(others_end_with_the_connection)
{
    for (int when = 0; when < MOMENTS; when++) {
        assert_ends((enum moment)when, IBV_WC_WR_FLUSH_ERR, DOCA_ERROR_CONNECTION_RESET);
        assert_ends((enum moment)when, IBV_WC_RETRY_EXC_ERR, DOCA_ERROR_CONNECTION_RESET);
    }
}
END_TEST

UNIT_MAIN("verbs_ends", its_own_end_counts, others_end_with_the_connection)
