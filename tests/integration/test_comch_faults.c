// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path of Comch while calls of the C library fail: the first, the second and so on, until
// none does. A consumer lives, from create to destroy, with a message between; the other side,
// where nothing fails, sends to it. Whatever fails, the life ends in an orderly way, nothing is
// lost, and the next one succeeds.
//
// Under a sanitizer only memory fails, see faults_wrapped.c.

#include "comch_path.h"
#include "env.h"
#include "faults.h"
#include "leaks.h"
#include "nodes.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct faults faults; // what this process follows

static void arm(enum faults_function function, long nth)
{
    atomic_store(&faults.nth, nth);
    atomic_store(&faults.calls, 0);
    atomic_store(&faults.fired, 0);
    atomic_store(&faults.function, (int)function);
}

// ---- a consumer's life
// ---------------------------------------------------------------------------

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
static bool live(struct end *e, struct doca_comch_connection *c)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    life.state = DOCA_CTX_STATE_IDLE;
    life.got = life.failed = 0;
    life.consumer = NULL;
    if (doca_comch_consumer_create(c, life.memory.map, &life.consumer) != DOCA_SUCCESS)
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

static const enum faults_function functions[] = {
    FAULTS_MALLOC, FAULTS_MMAP, FAULTS_MEMFD_CREATE, FAULTS_EVENTFD, FAULTS_EPOLL_CTL, FAULTS_DUP};

#define N_FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

// Blocks that the C library may keep.
#define MAY_BE_KEPT 3

static void lives_with(struct end *e, struct doca_comch_connection *c,
                       enum faults_function function)
{
    char text[1024];
    for (long nth = 1;; nth++) {
        struct descriptors before, now;
        long blocks = atomic_load(&faults.blocks);
        descriptors_list(&before);
        arm(function, nth);
        bool ok = live(e, c);
        atomic_store(&faults.function, FAULTS_NONE);
        bool fired = atomic_load(&faults.fired);
        if (getenv("DOCAD_TEST_FAULTS_SHOW"))
            printf("%s %ld: %s\n", faults_name(function), nth, ok ? "lives" : "fails");
        ck_assert_msg(live(e, c), "after %s number %ld: it does not live", faults_name(function),
                      nth);
        int64_t limit = deadline_in(HARNESS_LIMIT_MS);
        // The other side may not have ended yet what it has made for the consumer.
        while (atomic_load(&faults.blocks) > blocks + MAY_BE_KEPT && deadline_pause(limit))
            while (doca_pe_progress(e->pe))
                ;
        ck_assert_msg(atomic_load(&faults.blocks) <= blocks + MAY_BE_KEPT,
                      "%s number %ld: %ld blocks of memory, before %ld", faults_name(function), nth,
                      atomic_load(&faults.blocks), blocks);
        do // a thread of the library may be about to close the last ones
            descriptors_list(&now);
        while (now.count > before.count && deadline_pause(limit));
        ck_assert_msg(now.count <= before.count ||
                          !descriptors_differ(&before, &now, text, sizeof(text)),
                      "%s number %ld: other descriptors: %s", faults_name(function), nth, text);
        if (!fired)
            return;
    }
}

static int lives(struct child *self, void *arg)
{
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    memory_make(&life.memory, e.dev, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    faults_follow(&faults);
    ck_assert(live(&e, c)); // what is kept from the first time on
    ck_assert(live(&e, c));
    for (int i = 0; i < N_FUNCTIONS; i++)
        lives_with(&e, c, functions[i]);
    faults_follow(NULL);
    memory_end(&life.memory);
    child_tell(self, "lived");
    part(self, &e);
    return 0;
}

// ---- the other side
// ------------------------------------------------------------------------------

static _Atomic bool *lived; // the processes share it

// Sends to the latest consumer.
static int sends(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    sender_make(&s, &e, c);
    while (!*lived) {
        bool idle = !doca_pe_progress(e.pe);
        idle = !doca_pe_progress(s.pe) && idle;
        if (known.came > known.expired && s.sent + s.failed < known.came)
            (void)try_send(&s, known.consumer, 1, LONGEST, NULL);
        if (idle)
            sched_yield();
    }
    sender_end(&s);
    part(self, &e);
    return 0;
}

START_TEST(a_consumer_lives_while_calls_fail)
{
    struct child *server, *client;
    lived = mmap(NULL, sizeof(*lived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne((void *)lived, MAP_FAILED);
    start_both(&server, _i ? lives : sends, &client, _i ? sends : lives);
    child_wait(_i ? server : client, "lived");
    *lived = true;
    end_both(server, client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_faults");
    TCase *near = tcase_create("near");
    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_set_timeout(near, 100);
    tcase_add_loop_test(near, a_consumer_lives_while_calls_fail, 0, 2);
    suite_add_tcase(suite, near);
    TCase *apart = tcase_create("apart");
    tcase_add_checked_fixture(apart, setup_apart, env_teardown);
    tcase_set_timeout(apart, 100);
    tcase_add_loop_test(apart, a_consumer_lives_while_calls_fail, 0, 2);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}
