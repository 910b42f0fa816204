// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path of Comch: consumers on one node, producers on the other.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"
#include "tls_nodes.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

// Threads write to a buffer in turns that the consumer's process gives, and ThreadSanitizer knows
// of one process only.
#ifdef __SANITIZE_THREAD__
#define SHOWS_TURNS false
#else
#define SHOWS_TURNS true
#endif

// ---- every length

static const struct {
    size_t length;
    const char *imm;
} messages[] = {
    {1, NULL},
    {48, NULL},
    {64, "and immediate data"},
    {112, NULL},
    {112, "i"},
    {113, NULL},
    {0, "alone"},
    {4096, NULL},
    {65535, "x"},
    {LARGE, NULL},
    {LARGE, "0123456789abcdef0123456789abcdef"},
    // As much as one message of a channel between machines carries, and more.
    {4055, NULL},
    {4056, NULL},
    {4057, "0123456789abcdef0123456789abcdef"},
    {2 * 4056, "x"},
};

#define N_MESSAGES (sizeof(messages) / sizeof(messages[0]))

static void consumes(struct receiver *r)
{
    child_tell(r->self, "runs");
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        size_t length = messages[i].length;
        child_wait(r->self, "post");
        post(r, 5, LARGE);
        child_tell(r->self, "posted");
        PROGRESS_UNTIL(r->pe, r->got == i + 1);
        ck_assert_uint_eq(r->length, buffers_move_on ? 0 : length);
        for (size_t at = 0; at < length; at++)
            ck_assert_uint_eq(r->memory.bytes[5 + at], pattern(at, i));
        ck_assert_uint_eq(r->imm_length, messages[i].imm ? strlen(messages[i].imm) : 0);
        ck_assert(!r->imm_length || !memcmp(r->imm, messages[i].imm, r->imm_length));
        ck_assert_uint_eq(r->producer, 1);
    }
    child_wait(r->self, "end");
    receiver_end(r);
    doca_pe_progress(r->end->pe); // tells the other side
    child_tell(r->self, "ended");
}

static void produces(struct sender *s)
{
    if (s->end->server)
        REFUSED(DOCA_ERROR_IN_USE,
                doca_comch_server_disconnect(s->end->server, s->end->connection));
    REFUSED(DOCA_ERROR_AGAIN, try_send(s, known.consumer, 0, 8, NULL));
    child_tell(s->self, "sent");
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        child_wait(s->self, "send");
        send_posted(s, known.consumer, i, messages[i].length, messages[i].imm);
        REFUSED(DOCA_ERROR_AGAIN, try_send(s, known.consumer, 99, 8, NULL));
        PROGRESS_UNTIL(s->pe, s->sent == i + 1);
        child_tell(s->self, "sent");
    }
    UNTIL(s->end, known.expired == 1);
    OK(try_send(s, known.consumer, 0, 8, NULL));
    PROGRESS_UNTIL(s->pe, s->failed == 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_NOT_FOUND);
    sender_end(s);
    child_tell(s->self, "expired");
}

static void exchange(bool to_server)
{
    struct pair pair = pair_between(CONSUMES(consumes), PRODUCES(produces), to_server);
    struct child *from = to_server ? pair.client : pair.server,
                 *to = to_server ? pair.server : pair.client;
    child_wait(to, "runs");
    child_wait(from, "sent");
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        child_tell(to, "post");
        child_wait(to, "posted");
        child_tell(from, "send");
        child_wait(from, "sent");
    }
    child_tell(to, "end");
    child_wait(to, "ended");
    child_wait(from, "expired");
    pair_end(&pair);
}

// From the DPU to the host, and the other way.
START_TEST(messages_of_every_length_arrive)
{
    exchange(_i);
}
END_TEST

// A task moves what its buffer said when it was submitted.
START_TEST(messages_of_buffers_that_move_on_arrive)
{
    buffers_move_on = true;
    exchange(_i);
}
END_TEST

// Nothing is exported across PCI to a function of the same node.
START_TEST(messages_arrive_beside_their_sender)
{
    beside = true;
    exchange(_i);
}
END_TEST

static const uint32_t lent_by_rdma[] = {
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_READ,
    // to its own node across PCI, and written to by RDMA
    DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
        DOCA_ACCESS_FLAG_RDMA_WRITE,
};

#define N_LENT_BY_RDMA ((int)(sizeof(lent_by_rdma) / sizeof(lent_by_rdma[0])))

START_TEST(memory_is_lent_by_rdma)
{
    receiver_access = lent_by_rdma[_i / 4];
    beside = _i / 2 % 2;
    exchange(_i);
}
END_TEST

static void has_no_permission(struct end *e)
{
    static const uint32_t too_little[] = {
        DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
        DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ};
    struct doca_comch_consumer *consumer;
    struct lent memory;
    for (size_t i = 0; i < sizeof(too_little) / sizeof(too_little[0]); i++) {
        memory_make(&memory, e->dev, LONGEST, too_little[i]);
        REFUSED(DOCA_ERROR_NOT_PERMITTED,
                doca_comch_consumer_create(e->connection, memory.map, &consumer));
        memory_end(&memory);
    }
}

static void looks_on(struct end *e)
{
    (void)e;
}

START_TEST(memory_that_nobody_may_write_to_is_not_lent)
{
    struct pair pair = pair_start(MEETS(looks_on), MEETS(has_no_permission));
    pair_end(&pair);
}
END_TEST

// ---- threads

#define EACH 400u

static size_t length_of(unsigned number)
{
    return sizeof(number) + number * 37 % (LONGEST - sizeof(number));
}

static void repost(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct counts *counts = &((struct receiver *)ctx_data.ptr)->counts;
    struct doca_task *again = doca_comch_consumer_task_post_recv_as_task(task);
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    uint32_t from = doca_comch_consumer_task_post_recv_get_producer_id(task);
    size_t length;
    uint8_t *bytes;
    unsigned number;
    (void)task_data;
    if (doca_task_get_status(again) != DOCA_SUCCESS || counts->got == THREADS * EACH) {
        OK(doca_buf_dec_refcount(buf, NULL));
        doca_task_free(again);
        return;
    }
    OK(doca_buf_get_data(buf, (void **)&bytes));
    OK(doca_buf_get_data_len(buf, &length));
    ck_assert(from >= 1 && from <= THREADS);
    memcpy(&number, bytes, sizeof(number));
    ck_assert_uint_eq(number, counts->next[from]++);
    ck_assert_uint_eq(length, length_of(number));
    for (size_t i = sizeof(number); i < length; i++)
        ck_assert_uint_eq(bytes[i], pattern(i, from));
    counts->got++;
    OK(doca_buf_reset_data_len(buf));
    OK(doca_task_submit(again));
}

static void takes_from_threads(struct end *e)
{
    struct receiver r;
    receiver_make(&r, e, e->connection, e->pe);
    OK(doca_comch_consumer_task_post_recv_set_conf(r.consumer, repost, repost, 8));
    receiver_start(&r);
    for (size_t i = 0; i < 8; i++)
        post(&r, 1 + i * LONGEST, LONGEST);
    child_tell(e->self, "posted");
    PROGRESS_UNTIL(e->pe, r.counts.got == THREADS * EACH);
    receiver_end(&r);
}

// Its own engine; it never makes it progress before the message is on its way.
static void *sends_many(void *arg)
{
    struct sender *s = arg;
    struct doca_comch_producer_task_send *task;
    struct doca_buf *buf;
    uint32_t id;
    OK(doca_comch_producer_get_id(s->producer, &id));
    for (unsigned number = 0; number < EACH; number++) {
        size_t length = length_of(number);
        for (size_t i = 0; i < length; i++)
            s->memory.bytes[i] = pattern(i, id);
        memcpy(s->memory.bytes, &number, sizeof(number));
        OK(doca_buf_inventory_buf_get_by_data(s->memory.inventory, s->memory.map, s->memory.bytes,
                                              length, &buf));
        OK(doca_comch_producer_task_send_alloc_init(s->producer, buf, NULL, 0, known.consumer,
                                                    &task));
        while (doca_task_submit(doca_comch_producer_task_send_as_task(task)) != DOCA_SUCCESS)
            sched_yield();
        while (s->sent != number + 1)
            doca_pe_progress(s->pe);
    }
    return NULL;
}

static void sends_from_threads(struct end *e)
{
    struct sender s[THREADS];
    pthread_t threads[THREADS];
    UNTIL(e, known.came == 1);
    for (int i = 0; i < THREADS; i++) {
        sender_make(&s[i], e, e->connection);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sends_many, &s[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        sender_end(&s[i]);
    child_tell(e->self, "sent");
}

START_TEST(threads_share_a_consumer)
{
    struct pair pair = pair_start(MEETS(sends_from_threads), MEETS(takes_from_threads));
    child_wait(pair.client, "posted");
    child_wait(pair.server, "sent");
    pair_end(&pair);
}
END_TEST

// A program that submits until there is room, and does nothing else.
static void never_progresses(struct sender *s)
{
    // To memory that only docad's engine reaches.
    for (unsigned i = 0; i < 3; i++) {
        doca_error_t r;
        while ((r = try_send(s, known.consumer, 7, LONGEST, NULL)) == DOCA_ERROR_AGAIN)
            sched_yield();
        OK(r);
        if (i == 1)
            child_tell(s->self, "sent");
    }
    PROGRESS_UNTIL(s->pe, s->sent == 3);
    sender_end(s);
    child_tell(s->self, "done");
}

static void posts_again(struct receiver *r)
{
    post(r, 0, LONGEST);
    post(r, LONGEST, LONGEST);
    child_tell(r->self, "posted");
    PROGRESS_UNTIL(r->pe, r->got == 2);
    post(r, 2 * LONGEST, LONGEST);
    PROGRESS_UNTIL(r->pe, r->got == 3);
    child_wait(r->self, "end");
}

START_TEST(messages_do_not_wait_for_their_senders_progress)
{
    struct pair pair = pair_start(CONSUMES(posts_again), PRODUCES(never_progresses));
    child_wait(pair.server, "posted");
    child_wait(pair.client, "sent");
    child_wait(pair.client, "done");
    child_tell(pair.server, "end");
    pair_end(&pair);
}
END_TEST

// ---- order

static void says_goodbye(struct receiver *r)
{
    child_tell(r->self, "runs");
    child_wait(r->self, "end");
    receiver_end(r);
    // The engine has had no turn since.
    end_say(r->end, r->end->connection, "bye", 3);
    child_tell(r->self, "said");
}

static void hears_goodbye(struct end *e)
{
    UNTIL(e, known.came == 1);
    child_tell(e->self, "knows it");
    UNTIL(e, known.messages == 1);
    ck_assert_uint_eq(known.expired_before, 1);
    child_tell(e->self, "heard");
}

// Programs rely on it: NVIDIA's storage applications end when they hear the message.
START_TEST(an_end_is_heard_before_a_later_message)
{
    struct pair pair = pair_start(MEETS(hears_goodbye), CONSUMES(says_goodbye));
    child_wait(pair.client, "runs");
    child_wait(pair.server, "knows it");
    child_tell(pair.client, "end");
    child_wait(pair.client, "said");
    child_wait(pair.server, "heard");
    pair_end(&pair);
}
END_TEST

static void leaves_with_its_consumer(struct receiver *r)
{
    child_tell(r->self, "runs");
    child_wait(r->self, "end");
    receiver_end(r); // the engine has no turn before the client leaves
}

static void loses_both(struct end *e)
{
    UNTIL(e, known.came == 1);
    child_tell(e->self, "knows it");
    UNTIL(e, known.left == 1);
    ck_assert_uint_eq(known.expired, 1);
}

START_TEST(an_end_is_heard_before_the_clients)
{
    struct pair pair = pair_start(MEETS(loses_both), CONSUMES(leaves_with_its_consumer));
    child_wait(pair.client, "runs");
    child_wait(pair.server, "knows it");
    child_tell(pair.client, "end");
    pair_end(&pair);
}
END_TEST

// ---- ends

static void loses_its_producer(struct receiver *r)
{
    post(r, 0, LONGEST);
    post(r, LONGEST, LONGEST);
    child_tell(r->self, "posted");
    PROGRESS_UNTIL(r->end->pe, r->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r->failed, 2);
    ck_assert_int_eq(r->last, DOCA_ERROR_CONNECTION_RESET);
    // A consumer outlives its map.
    memory_end(&r->memory);
    doca_error_t started = doca_ctx_start(r->ctx);
    if (started == DOCA_ERROR_IN_PROGRESS) { // apart, nobody is lent the map
        if (doca_ctx_stop(r->ctx) != DOCA_SUCCESS)
            PROGRESS_UNTIL(r->end->pe, r->state == DOCA_CTX_STATE_IDLE);
    } else { // or the end of the connection was heard of first
        ck_assert(started == DOCA_ERROR_NOT_PERMITTED || started == DOCA_ERROR_BAD_STATE);
    }
    OK(doca_comch_consumer_destroy(r->consumer));
    r->consumer = NULL;
}

static void loses_its_consumer(struct sender *s)
{
    child_tell(s->self, "made");
    UNTIL(s->end, known.left == 1);
    OK(try_send(s, known.consumer, 0, LONGEST, NULL));
    PROGRESS_UNTIL(s->pe, s->failed == 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_NOT_FOUND);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_comch_producer_create(s->end->connection, &s->producer));
    s->producer = (struct doca_comch_producer *)s->ctx;
    sender_end(s);
}

static void posts_and_stays(struct receiver *r)
{
    post(r, 0, LONGEST);
    child_tell(r->self, "met");
    end_stay(r->end);
}

static void stays(struct end *e)
{
    UNTIL(e, known.came == 1);
    child_tell(e->self, "met");
    end_stay(e);
}

START_TEST(a_side_that_dies_ends_the_other_ones_path)
{
    struct pair pair = _i ? pair_start(PRODUCES(loses_its_consumer), CONSUMES(posts_and_stays))
                          : pair_start(CONSUMES(loses_its_producer), MEETS(stays));
    child_wait(pair.server, _i ? "made" : "posted");
    child_wait(pair.client, "met");
    child_kill(pair.client);
    child_join(pair.server);
}
END_TEST

// Never sleeps: only a sleeper is woken by what ends.
static void polls_while_it_starts(struct end *e)
{
    struct doca_pe *pe; // of the consumer alone
    struct receiver r;
    child_wait(e->self, "start");
    OK(doca_pe_create(&pe));
    receiver_make(&r, e, e->connection, pe);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r.ctx));
    child_tell(e->self, "starting");
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    while (r.state != DOCA_CTX_STATE_IDLE) {
        ck_assert_msg(now_ms() < limit, "the consumer starts for ever");
        if (!doca_pe_progress(r.pe))
            sched_yield();
    }
    receiver_end(&r);
    OK(doca_pe_destroy(pe));
    child_tell(e->self, "idle");
}

static void only_joins(struct end *e)
{
    child_tell(e->self, "met");
    end_stay(e);
}

// The other side does not answer, and docad goes.
START_TEST(a_consumer_does_not_start_without_docad)
{
    struct pair pair = pair_start(MEETS(polls_while_it_starts), MEETS(only_joins));
    child_wait(pair.client, "met");
    kill(pair.client->pid, SIGSTOP);
    child_tell(pair.server, "start");
    child_wait(pair.server, "starting");
    daemon_kill(nodes.dpu);
    child_wait(pair.server, "idle");
    kill(pair.client->pid, SIGCONT);
    child_kill(pair.client);
    child_join(pair.server);
    daemon_restart(nodes.dpu); // it clears up
}
END_TEST

// A host's maps have no exports there, but the client still has a DPU as the other side.
START_TEST(a_card_without_exports_has_the_fast_path)
{
    struct path card = temp_file("no-export.conf", "mmap.export_pci = no\n");
    ck_assert_int_eq(setenv("DOCAD_CARD", card.s, 1), 0);
    exchange(false);
    ck_assert_int_eq(unsetenv("DOCAD_CARD"), 0);
    unlink(card.s);
}
END_TEST

static void takes_less(struct receiver *r)
{
    child_tell(r->self, "runs");
    child_wait(r->self, "post");
    post(r, 0, 2001);
    PROGRESS_UNTIL(r->pe, r->failed == 1);
    ck_assert_int_eq(r->last, DOCA_ERROR_IO_FAILED);
    post(r, 0, 2000);
    child_tell(r->self, "posted");
    PROGRESS_UNTIL(r->pe, r->got == 1);
    ck_assert_uint_eq(r->length, 1000);
    child_tell(r->self, "got");
    child_wait(r->self, "end");
}

static void sends_less(struct sender *s)
{
    child_wait(s->self, "send");
    OK(try_send(s, known.consumer, 0, 1001, NULL));
    PROGRESS_UNTIL(s->pe, s->failed == 1);
    ck_assert_int_eq(s->last, DOCA_ERROR_IO_FAILED);
    send_posted(s, known.consumer, 0, 1000, NULL);
    PROGRESS_UNTIL(s->pe, s->sent == 1);
}

START_TEST(messages_are_as_long_as_on_the_card)
{
    struct path card = temp_file("less.conf", "comch_producer.max_buf_size = 1000\n"
                                              "comch_consumer.max_buf_size = 2000\n"
                                              "over_limit_fails = yes\n");
    ck_assert_int_eq(setenv("DOCAD_CARD", card.s, 1), 0);
    struct pair pair = pair_between(CONSUMES(takes_less), PRODUCES(sends_less), _i);
    struct child *from = _i ? pair.client : pair.server, *to = _i ? pair.server : pair.client;
    child_wait(to, "runs");
    child_tell(to, "post");
    child_wait(to, "posted");
    child_tell(from, "send");
    child_wait(to, "got");
    child_tell(to, "end");
    pair_end(&pair);
    ck_assert_int_eq(unsetenv("DOCAD_CARD"), 0);
    unlink(card.s);
}
END_TEST

static void setup_tls(void)
{
    tls_setup();
    nodes = tls_nodes_start();
}

int main(void)
{
    Suite *suite = suite_create("comch_fast");
    TCase *near = case_near_shared(suite);
    tcase_add_loop_test(near, messages_of_every_length_arrive, 0, 2);
    tcase_add_loop_test(near, messages_of_buffers_that_move_on_arrive, 0, 2);
    tcase_add_loop_test(near, messages_are_as_long_as_on_the_card, 0, 2);
    tcase_add_test(near, a_card_without_exports_has_the_fast_path);
    tcase_add_loop_test(near, messages_arrive_beside_their_sender, 0, 2);
    tcase_add_loop_test(near, memory_is_lent_by_rdma, 0, 4 * N_LENT_BY_RDMA);
    tcase_add_test(near, memory_that_nobody_may_write_to_is_not_lent);
    if (SHOWS_TURNS)
        tcase_add_test(near, threads_share_a_consumer);
    tcase_add_test(near, messages_do_not_wait_for_their_senders_progress);
    tcase_add_test(near, an_end_is_heard_before_a_later_message);
    tcase_add_test(near, an_end_is_heard_before_the_clients);
    tcase_add_loop_test(near, a_side_that_dies_ends_the_other_ones_path, 0, 2);
    TCase *apart = case_apart_shared(suite);
    tcase_add_loop_test(apart, messages_of_every_length_arrive, 0, 2);
    tcase_add_loop_test(apart, messages_of_buffers_that_move_on_arrive, 0, 2);
    tcase_add_test(apart, a_card_without_exports_has_the_fast_path);
    tcase_add_test(apart, memory_that_nobody_may_write_to_is_not_lent);
    tcase_add_test(apart, threads_share_a_consumer);
    tcase_add_test(apart, messages_do_not_wait_for_their_senders_progress);
    tcase_add_test(apart, an_end_is_heard_before_a_later_message);
    tcase_add_test(apart, an_end_is_heard_before_the_clients);
    tcase_add_loop_test(apart, a_side_that_dies_ends_the_other_ones_path, 0, 2);
    tcase_add_test(case_near(suite), a_consumer_does_not_start_without_docad);
    tcase_add_test(case_apart(suite), a_consumer_does_not_start_without_docad);
    TCase *tls = tcase_create("tls");
    tcase_add_checked_fixture(tls, setup_tls, tls_teardown);
    tcase_add_loop_test(tls, messages_of_every_length_arrive, 0, 2);
    tcase_add_loop_test(tls, messages_of_buffers_that_move_on_arrive, 0, 2);
    suite_add_tcase(suite, tls);
    return run_suite(suite);
}
