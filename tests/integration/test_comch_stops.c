// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A consumer stops while threads of the other side send to it: what they were told is sent was
// received, and nothing else.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "tls_nodes.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define ROUNDS   60u
#define RECEIVES 8u

struct tally {
    unsigned short_ones, long_ones;
};

static void count(struct tally *t, size_t length)
{
    if (length == LONGEST)
        t->long_ones++;
    else
        t->short_ones++;
}

// ---- the consumer

static struct tally received;
static bool stopping;

static void take(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct doca_task *again = doca_comch_consumer_task_post_recv_as_task(task);
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    const bool got = doca_task_get_status(again) == DOCA_SUCCESS;
    size_t length;

    (void)task_data, (void)ctx_data;
    OK(doca_buf_get_data_len(buf, &length));
    if (got)
        count(&received, length);
    else
        ck_assert_uint_eq(length, 0);
    if (got && !stopping) {
        OK(doca_buf_reset_data_len(buf));
        OK(doca_task_submit(again));
        return;
    }
    OK(doca_buf_dec_refcount(buf, NULL));
    doca_task_free(again);
}

static void consume_once(struct end *e, unsigned round)
{
    struct receiver r;

    receiver_make(&r, e, e->connection, e->pe);
    OK(doca_comch_consumer_task_post_recv_set_conf(r.consumer, take, take, RECEIVES));
    received = (struct tally){0};
    stopping = false;
    receiver_start(&r);
    for (size_t i = 0; i < RECEIVES; i++)
        post(&r, 1 + i * LONGEST, LONGEST);
    PROGRESS_UNTIL(e->pe, received.short_ones + received.long_ones > round);
    stopping = true;
    receiver_end(&r);
    doca_pe_progress(e->pe); // tells the other side
    child_send(e->self, &received, sizeof(received));
}

static void consumes(struct end *e)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        consume_once(e, i);
        child_wait(e->self, "next");
    }
}

// ---- the producers

struct thread {
    struct sender sender;
    struct tally sent;
    pthread_t id;
    unsigned number;
};

// False when the consumer has ended.
static bool send_one(struct sender *s, struct tally *tally, size_t length)
{
    doca_error_t e;

    while ((e = try_send(s, known.consumer, 0, length, NULL)) == DOCA_ERROR_AGAIN)
        if (!doca_pe_progress(s->pe))
            sched_yield();
    OK(e);
    while (!s->sent && !s->failed)
        doca_pe_progress(s->pe);
    const bool sent = s->sent;
    if (sent)
        count(tally, length);
    s->sent = s->failed = 0;
    return sent;
}

static void *sends(void *arg)
{
    struct thread *t = arg;

    for (unsigned i = t->number; send_one(&t->sender, &t->sent, i % 3 ? 8 : LONGEST); i++)
        ;
    return NULL;
}

static void produce_once(struct end *e, unsigned round)
{
    struct thread threads[THREADS];
    struct tally sum = {0};

    UNTIL(e, known.came == round + 1);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.number = i};
        sender_make(&threads[i].sender, e, e->connection);
    }
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i].id, NULL, sends, &threads[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i].id, NULL), 0);
        sum.short_ones += threads[i].sent.short_ones;
        sum.long_ones += threads[i].sent.long_ones;
        sender_end(&threads[i].sender);
    }
    UNTIL(e, known.expired == round + 1);
    child_send(e->self, &sum, sizeof(sum));
}

static void produces(struct end *e)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        produce_once(e, i);
}

START_TEST(what_is_sent_is_received)
{
    struct tally sent, got;

    struct pair pair = pair_start(MEETS(consumes), MEETS(produces));
    for (unsigned i = 0; i < ROUNDS; i++) {
        child_receive(pair.server, &got, sizeof(got));
        child_receive(pair.client, &sent, sizeof(sent));
        ck_assert_msg(sent.short_ones == got.short_ones && sent.long_ones == got.long_ones,
                      "round %u: %u short and %u long ones were sent, %u and %u received", i,
                      sent.short_ones, sent.long_ones, got.short_ones, got.long_ones);
        child_tell(pair.server, "next");
    }
    pair_end(&pair);
}
END_TEST

// ---- messages that are on their way

#define ON_THEIR_WAY 2u

// The producer has been told that they are sent.
static void stops_early(struct receiver *r)
{
    for (size_t i = 0; i < ON_THEIR_WAY + 2; i++)
        post(r, 1 + i * LONGEST, LONGEST);
    PROGRESS_UNTIL(r->pe, r->got == 1);
    child_tell(r->self, "got one");
    end_progress_until(r->end, "stop");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(r->ctx));
    child_tell(r->self, "stops");
    PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r->got, 1 + ON_THEIR_WAY);
    ck_assert_uint_eq(r->failed, 1);
}

static void sends_some(struct sender *s)
{
    send_posted(s, known.consumer, 0, LONGEST, NULL);
    PROGRESS_UNTIL(s->pe, s->sent == 1);
    child_tell(s->self, "sent one");
    child_wait(s->self, "send");
    for (unsigned i = 0; i < ON_THEIR_WAY; i++)
        OK(try_send(s, known.consumer, 0, LONGEST, NULL));
    PROGRESS_UNTIL(s->pe, s->sent == 1 + ON_THEIR_WAY);
    child_tell(s->self, "sent");
}

// A docad holds them up: the producer's (even `which`) or the consumer's.
static void hold_up(struct part consumes, int which)
{
    const bool a_serves = which / 2;
    struct pair pair = pair_between(consumes, PRODUCES(sends_some), a_serves);
    struct child *consumer = a_serves ? pair.server : pair.client;
    struct child *producer = a_serves ? pair.client : pair.server;
    struct daemon *slow = a_serves == (which % 2) ? nodes.dpu : nodes.host;

    child_wait(producer, "sent one");
    child_wait(consumer, "got one");
    daemon_freeze(slow);
    child_tell(producer, "send");
    child_wait(producer, "sent");
    child_tell(consumer, "stop");
    child_wait(consumer, "stops");
    daemon_thaw(slow);
    pair_end(&pair);
}

START_TEST(what_is_on_its_way_is_received)
{
    hold_up(CONSUMES(stops_early), _i);
}
END_TEST

// ---- buffers that are given back before

static struct tally ended; // short ones failed

static void ends(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct doca_task *of = doca_comch_consumer_task_post_recv_as_task(task);

    (void)task_data, (void)ctx_data;
    if (doca_task_get_status(of) == DOCA_SUCCESS)
        ended.long_ones++;
    else
        ended.short_ones++;
    doca_task_free(of);
}

static struct doca_buf *post_own(struct receiver *r, size_t at)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;

    OK(doca_buf_inventory_buf_get_by_addr(r->memory.inventory, r->memory.map, r->memory.bytes + at,
                                          LONGEST, &buf));
    OK(doca_comch_consumer_task_post_recv_alloc_init(r->consumer, buf, &task));
    OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    return buf;
}

static void stops_and_gives_back(struct end *e)
{
    struct doca_buf *bufs[ON_THEIR_WAY + 2];
    struct receiver r;

    receiver_make(&r, e, e->connection, e->pe);
    OK(doca_comch_consumer_task_post_recv_set_conf(r.consumer, ends, ends, RECEIVES));
    receiver_start(&r);
    for (size_t i = 0; i < ON_THEIR_WAY + 2; i++)
        bufs[i] = post_own(&r, i * LONGEST);
    PROGRESS_UNTIL(e->pe, ended.long_ones == 1);
    child_tell(e->self, "got one");
    end_progress_until(e, "stop");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(r.ctx));
    for (size_t i = 0; i < ON_THEIR_WAY + 2; i++)
        OK(doca_buf_dec_refcount(bufs[i], NULL));
    memset(r.memory.bytes, 7, sizeof(bufs) / sizeof(bufs[0]) * LONGEST);
    child_tell(e->self, "stops");
    PROGRESS_UNTIL(e->pe, r.state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(ended.long_ones, 1);
    ck_assert_uint_eq(ended.short_ones, 1 + ON_THEIR_WAY);
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]) * LONGEST; i++)
        ck_assert_uint_eq(r.memory.bytes[i], 7);
    receiver_end(&r);
    doca_pe_progress(e->pe); // tells the other side
}

// Nothing is written to memory that the program has back.
START_TEST(memory_that_was_given_back_stays_as_it_is)
{
    hold_up(MEETS(stops_and_gives_back), _i);
}
END_TEST

static void setup_tls(void)
{
    tls_setup();
    nodes = tls_nodes_start();
}

int main(void)
{
    Suite *suite = suite_create("comch_stops");
    tcase_add_test(case_near(suite), what_is_sent_is_received);
    TCase *apart = case_apart(suite), *tls = tcase_create("tls");
    tcase_add_test(apart, what_is_sent_is_received);
    tcase_add_loop_test(apart, what_is_on_its_way_is_received, 0, 4);
    tcase_add_loop_test(apart, memory_that_was_given_back_stays_as_it_is, 2, 4);
    tcase_add_checked_fixture(tls, setup_tls, tls_teardown);
    tcase_add_loop_test(tls, what_is_on_its_way_is_received, 0, 4);
    suite_add_tcase(suite, tls);
    return run_suite(suite);
}
