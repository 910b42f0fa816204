// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Millions of jobs through two event-driven work queues, each with its own thread and
// epoll loop, in patterns drawn by lot: jobs before and after arming, arming twice,
// retrieving some or all. Every job must come back once, with its bytes; a wake-up that
// gets lost leaves the loop waiting, which fails the test.
//
// DOCAD_STRESS_JOBS says how many jobs; the default is 10 million, fewer under a
// sanitizer.

#include "child.h"
#include "client.h"
#include "deadline.h"
#include "run.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define THREADS   2
#define ROUNDS    8 // each with work queues of its own, and a time limit
#define DEPTH     64
#define SLOT_SIZE 16  // a word to copy, and the word that it is copied to
#define RARELY    512 // one of so many jobs goes to the other side's engine

// Check takes note of every assertion, which costs more than a job.
#define MUST(condition, ...)                                                                       \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)
#define MUST_SUCCEED(call) MUST((call) == DOCA_SUCCESS, "%s failed", #call)

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

// The memory that the other side exports: word i is i.
static uint64_t remote_word(uint64_t i)
{
    return i * 0x9e3779b97f4a7c15u;
}

static int exports_words(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out;
    (void)arg;
    for (size_t i = 0; i < BROKERED_SIZE / 8; i++) {
        uint64_t word = remote_word(i);
        memcpy(brokered_memory + i * 8, &word, 8);
    }
    exporter_start(&e, HOST_PF0, brokered_memory, BROKERED_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    for (unsigned round = 0; round < ROUNDS; round++)
        child_wait(self, "round");
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

// ---- a loop -----------------------------------------------------------------------------

struct slot {
    struct doca_buf *src, *dst, *far; // the last one: on the other side
    uint64_t expected;                // what the job is to bring
    uint64_t number;                  // of the job
    bool busy;
};

struct loop {
    pthread_t thread;
    struct copier *c;
    unsigned index;
    uint64_t jobs, lot;
    struct doca_workq *workq;
    doca_event_handle_t handle;
    int epoll_fd;
    struct doca_buf_inventory *inventory;
    struct slot slots[DEPTH];
    unsigned in_flight, next;
    uint64_t submitted, retrieved, sum, sleeps, overtaken;
};

// xorshift: the same sequence in each run.
static uint64_t draw(struct loop *l, uint64_t below)
{
    l->lot ^= l->lot << 13;
    l->lot ^= l->lot >> 7;
    l->lot ^= l->lot << 17;
    return l->lot % below;
}

static uint8_t *slot_memory(struct loop *l, size_t i)
{
    return l->c->memory + (l->index * DEPTH + i) * SLOT_SIZE;
}

static void loop_start(struct loop *l)
{
    struct epoll_event event = {.events = EPOLLIN};

    ck_assert_success(doca_workq_create(DEPTH, &l->workq));
    ck_assert_success(doca_workq_set_event_driven_enable(l->workq, 1));
    ck_assert_success(doca_workq_get_event_handle(l->workq, &l->handle));
    ck_assert_success(doca_ctx_workq_add(l->c->ctx, l->workq));
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    ck_assert_int_eq(epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->handle, &event), 0);
    ck_assert_success(doca_buf_inventory_create(NULL, 3 * DEPTH, 0, &l->inventory));
    ck_assert_success(doca_buf_inventory_start(l->inventory));
    for (size_t i = 0; i < DEPTH; i++) {
        uint8_t *memory = slot_memory(l, i);
        struct slot *s = &l->slots[i];
        ck_assert_success(
            doca_buf_inventory_buf_by_data(l->inventory, l->c->local, memory, 8, &s->src));
        ck_assert_success(
            doca_buf_inventory_buf_by_addr(l->inventory, l->c->local, memory + 8, 8, &s->dst));
        ck_assert_success(doca_buf_inventory_buf_by_data(l->inventory, l->c->remote, l->c->address,
                                                         l->c->length, &s->far));
    }
}

static void loop_stop(struct loop *l)
{
    for (size_t i = 0; i < DEPTH; i++) {
        ck_assert_success(doca_buf_refcount_rm(l->slots[i].src, NULL));
        ck_assert_success(doca_buf_refcount_rm(l->slots[i].dst, NULL));
        ck_assert_success(doca_buf_refcount_rm(l->slots[i].far, NULL));
    }
    ck_assert_success(doca_buf_inventory_destroy(l->inventory));
    close(l->epoll_fd);
    ck_assert_success(doca_ctx_workq_rm(l->c->ctx, l->workq));
    ck_assert_success(doca_workq_destroy(l->workq));
}

static void submit(struct loop *l)
{
    while (l->slots[l->next].busy)
        l->next = (l->next + 1) % DEPTH;
    size_t i = l->next;
    struct slot *s = &l->slots[i];
    bool far = draw(l, RARELY) == 0;
    uint64_t word = far ? draw(l, l->c->length / 8) : l->submitted;
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = l->c->ctx, .user_data = {.u64 = i}},
        .dst_buff = s->dst,
        .src_buff = far ? s->far : s->src,
    };
    s->expected = far ? remote_word(word) : word;
    s->number = l->submitted++;
    s->busy = true;
    l->in_flight++;
    MUST_SUCCEED(doca_buf_reset_data_len(s->dst));
    if (far)
        MUST_SUCCEED(doca_buf_set_data(s->far, l->c->address + word * 8, 8));
    else
        memcpy(slot_memory(l, i), &word, 8);
    MUST_SUCCEED(doca_workq_submit(l->workq, &job.base));
}

static void submit_some(struct loop *l, uint64_t most)
{
    for (uint64_t n = draw(l, most + 1); n && l->in_flight < DEPTH && l->submitted < l->jobs; n--)
        submit(l);
}

static void take(struct loop *l, const struct doca_event *event)
{
    uint64_t came;

    MUST(event->type == DOCA_DMA_JOB_MEMCPY, "an event of type %#x", event->type);
    MUST(event->result.u64 == DOCA_SUCCESS, "a job failed with %llu",
         (unsigned long long)event->result.u64);
    MUST(event->user_data.u64 < DEPTH, "an event of no job");
    struct slot *s = &l->slots[event->user_data.u64];
    MUST(s->busy, "an event came twice");
    memcpy(&came, slot_memory(l, event->user_data.u64) + 8, 8);
    MUST(came == s->expected, "job %llu brought %#llx, not %#llx", (unsigned long long)s->number,
         (unsigned long long)came, (unsigned long long)s->expected);
    s->busy = false;
    l->in_flight--;
    l->overtaken += s->number > l->retrieved;
    l->sum += s->number;
    l->retrieved++;
}

static void retrieve_some(struct loop *l)
{
    struct doca_event event;
    doca_error_t r = DOCA_SUCCESS;

    for (uint64_t n = draw(l, DEPTH + 1); n && r == DOCA_SUCCESS; n--) {
        r = doca_workq_progress_retrieve(l->workq, &event, 0);
        if (r == DOCA_SUCCESS)
            take(l, &event);
    }
    MUST(r == DOCA_SUCCESS || r == DOCA_ERROR_AGAIN, "retrieving: %s", doca_get_error_name(r));
}

static void sleep_until_woken(struct loop *l)
{
    struct epoll_event event;
    MUST(epoll_wait(l->epoll_fd, &event, 1, HARNESS_LIMIT_MS / 2) == 1,
         "a wake-up got lost: %u jobs in flight, %llu retrieved", l->in_flight,
         (unsigned long long)l->retrieved);
    l->sleeps++;
}

static void *run_loop(void *arg)
{
    struct loop *l = arg;

    loop_start(l);
    while (l->retrieved < l->jobs) {
        submit_some(l, DEPTH);
        for (uint64_t n = 1 + (draw(l, 8) == 0); n; n--)
            MUST_SUCCEED(doca_workq_event_handle_arm(l->workq));
        submit_some(l, draw(l, 4) ? 0 : DEPTH / 2);
        if (l->in_flight == 0)
            continue;
        sleep_until_woken(l);
        MUST_SUCCEED(doca_workq_event_handle_clear(l->workq, l->handle));
        retrieve_some(l);
    }
    struct doca_event event;
    ck_assert_error(doca_workq_progress_retrieve(l->workq, &event, 0), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(l->in_flight, 0);
    ck_assert_uint_eq(l->sum, l->jobs * (l->jobs - 1) / 2);
    loop_stop(l);
    return NULL;
}

// ---- the test ---------------------------------------------------------------------------

static uint64_t jobs_wanted(void)
{
    const char *asked = getenv("DOCAD_STRESS_JOBS");
    if (asked)
        return strtoull(asked, NULL, 0);
    return DOCAD_SANITIZER[0] ? 1000 * 1000 : 10 * 1000 * 1000;
}

static void run_round(struct copier *c, uint64_t lot)
{
    static struct loop loops[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        loops[i] = (struct loop){.c = c,
                                 .index = i,
                                 .jobs = jobs_wanted() / (ROUNDS * THREADS),
                                 .lot = lot * 0x9e3779b97f4a7c15u + i + 1};
        ck_assert_int_eq(pthread_create(&loops[i].thread, NULL, run_loop, &loops[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(loops[i].thread, NULL);
        printf("queue %u: %llu jobs, %llu wake-ups, %llu overtook others\n", i,
               (unsigned long long)loops[i].retrieved, (unsigned long long)loops[i].sleeps,
               (unsigned long long)loops[i].overtaken);
    }
}

static int runs_loops(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct copier c;

    copier_start(&c, DPU_P0, THREADS * DEPTH * SLOT_SIZE);
    copier_import(&c, given->desc, given->desc_len);
    for (unsigned round = 0; round < ROUNDS; round++) {
        run_round(&c, round + 1);
        child_tell(self, "round");
    }
    copier_stop(&c);
    return 0;
}

START_TEST(no_job_and_no_wake_up_is_lost)
{
    struct node_pair pair = node_pair_start();
    struct handout given;
    struct child *host = child_start(pair.host, "host", exports_words, NULL);
    ck_assert_uint_eq(child_receive(host, &given, sizeof(given)), sizeof(given));
    struct child *dpu = child_start(pair.dpu, "dpu", runs_loops, &given);
    for (unsigned round = 0; round < ROUNDS; round++) {
        child_wait(dpu, "round");
        child_tell(host, "round");
    }
    child_join(dpu);
    child_tell(host, "end");
    child_join(host);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stress");
    TCase *tcase = tcase_create("event-driven");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, no_job_and_no_wake_up_is_lost);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
