// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path of Comch while calls of the C library fail. A consumer lives, from create to
// destroy, with a message between; the other side, where nothing fails, sends to it.

#include "comch_path.h"
#include "each_fault.h"
#include "env.h"
#include "nodes.h"

#include <sched.h>
#include <sys/mman.h>

// ---- a consumer's life

static struct life {
    struct doca_comch_consumer *consumer;
    struct doca_ctx *ctx;
    struct lent memory;
    enum doca_ctx_states state;
    unsigned got, failed;
} life;

static void over(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct doca_task *t = doca_comch_consumer_task_post_recv_as_task(task);
    (void)task_data, (void)ctx_data;
    bool ok = doca_task_get_status(t) == DOCA_SUCCESS;
    life.got += ok;
    life.failed += !ok;
    OK(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
    doca_task_free(t);
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                     enum doca_ctx_states next)
{
    (void)data, (void)ctx, (void)prev;
    life.state = next;
}

static bool prepare(struct end *e)
{
    return doca_comch_consumer_task_post_recv_set_conf(life.consumer, over, over, 4) ==
               DOCA_SUCCESS &&
           doca_pe_connect_ctx(e->pe, life.ctx) == DOCA_SUCCESS &&
           doca_ctx_set_state_changed_cb(life.ctx, on_state) == DOCA_SUCCESS &&
           doca_ctx_start(life.ctx) == DOCA_ERROR_IN_PROGRESS;
}

static bool receive(struct end *e)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    OK(doca_buf_inventory_buf_get_by_addr(life.memory.inventory, life.memory.map, life.memory.bytes,
                                          LONGEST, &buf));
    OK(doca_comch_consumer_task_post_recv_alloc_init(life.consumer, buf, &task));
    OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    while (life.state == DOCA_CTX_STATE_RUNNING && !life.got) {
        ck_assert_msg(now_ms() < limit, "nothing comes");
        if (!doca_pe_progress(e->pe))
            sched_yield();
    }
    return life.got == 1;
}

// True: nothing was in the way.
static bool live(void *arg)
{
    struct end *e = arg;
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    life.state = DOCA_CTX_STATE_IDLE;
    life.got = life.failed = 0;
    life.consumer = NULL;
    if (doca_comch_consumer_create(e->connection, life.memory.map, &life.consumer) != DOCA_SUCCESS)
        return false;
    life.ctx = doca_comch_consumer_as_ctx(life.consumer);
    bool ok = prepare(e);
    while (life.state == DOCA_CTX_STATE_STARTING) {
        ck_assert_msg(now_ms() < limit, "it starts for ever");
        if (!doca_pe_progress(e->pe))
            sched_yield();
    }
    ok = ok && life.state == DOCA_CTX_STATE_RUNNING && receive(e);
    if (life.state != DOCA_CTX_STATE_IDLE)
        (void)doca_ctx_stop(life.ctx);
    while (life.state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(e->pe);
    OK(doca_comch_consumer_destroy(life.consumer));
    return ok;
}

static void lives(struct end *e)
{
    memory_make(&life.memory, e->dev, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    with_each_fault(live, e);
    memory_end(&life.memory);
    child_tell(e->self, "lived");
}

// ---- the other side

static _Atomic bool *lived; // the processes share it

// Sends to the latest consumer.
static void sends(struct end *e)
{
    struct sender s;
    sender_make(&s, e, e->connection);
    while (!*lived) {
        bool idle = !doca_pe_progress(e->pe);
        idle = !doca_pe_progress(s.pe) && idle;
        if (known.came > known.expired && s.sent + s.failed < known.came)
            (void)try_send(&s, known.consumer, 1, LONGEST, NULL);
        if (idle)
            sched_yield();
    }
    sender_end(&s);
}

START_TEST(a_consumer_lives_while_calls_fail)
{
    lived = mmap(NULL, sizeof(*lived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne((void *)lived, MAP_FAILED);
    struct pair pair = pair_between(MEETS(lives), MEETS(sends), _i);
    child_wait(_i ? pair.server : pair.client, "lived");
    *lived = true;
    pair_end(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_faults");
    TCase *near = case_near(suite);
    tcase_set_timeout(near, 100);
    tcase_add_loop_test(near, a_consumer_lives_while_calls_fail, 0, 2);
    TCase *apart = case_apart(suite);
    tcase_set_timeout(apart, 100);
    tcase_add_loop_test(apart, a_consumer_lives_while_calls_fail, 0, 2);
    return run_suite(suite);
}
