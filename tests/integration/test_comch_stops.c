// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A consumer stops while threads of the other side send to it: what they were told is sent was
// received, and nothing else.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"

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

int main(void)
{
    Suite *suite = suite_create("comch_stops");
    tcase_add_test(case_near(suite), what_is_sent_is_received);
    return run_suite(suite);
}
