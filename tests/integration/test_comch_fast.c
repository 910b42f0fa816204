// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path of Comch: consumers on one node, producers on the other.

#include "child.h"
#include "comch_end.h"
#include "env.h"
#include "nodes.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define NAME   "fast"
#define LARGE  ((size_t)1 << 20)
#define BUFFER (LARGE + 4096)

static void ignore(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len, (void)from;
}

// ---- memory ----------------------------------------------------------------------------------

struct memory {
    uint8_t *bytes;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
};

// Not aligned to pages: its ends are not mapped elsewhere.
static void memory_make(struct memory *m, struct doca_dev *dev, size_t size, uint32_t access)
{
    m->bytes = malloc(size);
    ck_assert_ptr_nonnull(m->bytes);
    OK(doca_mmap_create(&m->map));
    OK(doca_mmap_set_memrange(m->map, m->bytes, size));
    OK(doca_mmap_set_permissions(m->map, access));
    OK(doca_mmap_add_dev(m->map, dev));
    OK(doca_mmap_start(m->map));
    OK(doca_buf_inventory_create(64, &m->inventory));
    OK(doca_buf_inventory_start(m->inventory));
}

static void memory_end(struct memory *m)
{
    OK(doca_buf_inventory_destroy(m->inventory));
    OK(doca_mmap_destroy(m->map));
    free(m->bytes);
}

static uint8_t pattern(size_t at, unsigned seed)
{
    return (uint8_t)(at * 7 + at / 251 + seed * 13);
}

// ---- consumers -------------------------------------------------------------------------------

#define THREADS 3

struct counts {
    unsigned next[THREADS + 2]; // by the producer's id
    unsigned got;
};

struct receiver {
    struct doca_comch_consumer *consumer;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct memory memory;
    enum doca_ctx_states state;
    unsigned got, failed;
    doca_error_t last;
    size_t length; // of the latest
    uint32_t producer, imm_length;
    uint8_t imm[32];
    struct counts counts;
};

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct receiver *r = ctx_data.ptr;
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    (void)task_data;
    r->last = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    r->got += r->last == DOCA_SUCCESS;
    r->failed += r->last != DOCA_SUCCESS;
    r->length = 0;
    if (buf) {
        OK(doca_buf_get_data_len(buf, &r->length));
        OK(doca_buf_dec_refcount(buf, NULL));
    }
    r->producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
    r->imm_length = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    if (r->imm_length)
        memcpy(r->imm, doca_comch_consumer_task_post_recv_get_imm_data(task), r->imm_length);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void receiver_state(const union doca_data data, struct doca_ctx *ctx,
                           enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct receiver *r = data.ptr;
    (void)ctx, (void)prev;
    r->state = next;
}

static void receiver_make(struct receiver *r, struct end *e, struct doca_comch_connection *c,
                          struct doca_pe *pe)
{
    *r = (struct receiver){.pe = pe};
    memory_make(&r->memory, e->dev, BUFFER, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    OK(doca_comch_consumer_create(c, r->memory.map, &r->consumer));
    r->ctx = doca_comch_consumer_as_ctx(r->consumer);
    OK(doca_comch_consumer_task_post_recv_set_conf(r->consumer, received, received, 8));
    OK(doca_pe_connect_ctx(pe, r->ctx));
    OK(doca_ctx_set_user_data(r->ctx, (union doca_data){.ptr = r}));
    OK(doca_ctx_set_state_changed_cb(r->ctx, receiver_state));
}

static void receiver_start(struct receiver *r)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r->ctx));
    ck_assert_int_eq(r->state, DOCA_CTX_STATE_STARTING);
    PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_RUNNING);
}

static void receiver_end(struct receiver *r)
{
    if (doca_ctx_stop(r->ctx) != DOCA_SUCCESS)
        PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_IDLE);
    OK(doca_comch_consumer_destroy(r->consumer));
    memory_end(&r->memory);
}

static void post(struct receiver *r, size_t at, size_t room)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_addr(r->memory.inventory, r->memory.map, r->memory.bytes + at,
                                          room, &buf));
    OK(doca_comch_consumer_task_post_recv_alloc_init(r->consumer, buf, &task));
    OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

// ---- producers -------------------------------------------------------------------------------

struct sender {
    struct doca_comch_producer *producer;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct memory memory;
    unsigned sent, failed;
    doca_error_t last;
};

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct sender *s = ctx_data.ptr;
    const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);
    (void)task_data;
    s->last = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
    s->sent += s->last == DOCA_SUCCESS;
    s->failed += s->last != DOCA_SUCCESS;
    if (buf)
        OK(doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void sender_make(struct sender *s, struct end *e, struct doca_comch_connection *c)
{
    *s = (struct sender){.last = DOCA_SUCCESS};
    memory_make(&s->memory, e->dev, BUFFER, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    OK(doca_comch_producer_create(c, &s->producer));
    s->ctx = doca_comch_producer_as_ctx(s->producer);
    OK(doca_comch_producer_task_send_set_conf(s->producer, sent, sent, 8));
    OK(doca_pe_create(&s->pe));
    OK(doca_pe_connect_ctx(s->pe, s->ctx));
    OK(doca_ctx_set_user_data(s->ctx, (union doca_data){.ptr = s}));
    OK(doca_ctx_start(s->ctx));
}

static void sender_end(struct sender *s)
{
    OK(doca_ctx_stop(s->ctx));
    OK(doca_comch_producer_destroy(s->producer));
    OK(doca_pe_destroy(s->pe));
    memory_end(&s->memory);
}

static doca_error_t try_send(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
                             const char *imm)
{
    struct doca_comch_producer_task_send *task;
    struct doca_buf *buf = NULL;
    for (size_t i = 0; i < length; i++)
        s->memory.bytes[i + 3] = pattern(i, seed);
    if (length)
        OK(doca_buf_inventory_buf_get_by_data(s->memory.inventory, s->memory.map,
                                              s->memory.bytes + 3, length, &buf));
    OK(doca_comch_producer_task_send_alloc_init(s->producer, buf, (uint8_t *)imm,
                                                imm ? (uint32_t)strlen(imm) : 0, consumer, &task));
    doca_error_t e = doca_task_submit(doca_comch_producer_task_send_as_task(task));
    if (e == DOCA_SUCCESS)
        return e;
    if (buf)
        OK(doca_buf_dec_refcount(buf, NULL));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    return e;
}

// ---- the two ends ------------------------------------------------------------------------------

static struct known { // what a server's callbacks note
    struct doca_comch_connection *connection;
    uint32_t consumer;
    unsigned came, expired, left;
} known;

static void came(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)successful;
    known.connection = c;
}

static void left(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)c, (void)successful;
    known.left++;
}

static void consumer_came(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                          uint32_t id)
{
    ck_assert(event && c);
    known.came++;
    known.consumer = id;
}

static void consumer_expired(struct doca_comch_event_consumer *event,
                             struct doca_comch_connection *c, uint32_t id)
{
    ck_assert(event && c);
    ck_assert_uint_eq(id, known.consumer);
    known.expired++;
}

static void serve(struct end *e)
{
    end_make_server(e, NAME);
    OK(doca_comch_server_event_msg_recv_register(e->server, ignore));
    OK(doca_comch_server_event_connection_status_changed_register(e->server, came, left));
    OK(doca_comch_server_event_consumer_register(e->server, consumer_came, consumer_expired));
    OK(doca_ctx_start(e->ctx));
}

static struct doca_comch_connection *join(struct end *e)
{
    end_make_client(e, NAME);
    OK(doca_comch_client_event_msg_recv_register(e->client, ignore));
    OK(doca_comch_client_event_consumer_register(e->client, consumer_came, consumer_expired));
    return end_start_client(e);
}

// The connection of either side; a server waits for its client.
static struct doca_comch_connection *meet(struct child *self, struct end *e, bool server)
{
    known = (struct known){.left = 0};
    if (!server)
        return join(e);
    serve(e);
    child_tell(self, "serves");
    UNTIL(e, known.connection);
    return known.connection;
}

// The client leaves, and the server sees it.
static void part(struct child *self, struct end *e)
{
    if (e->client) {
        child_wait(self, "leave");
        REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
        UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    } else {
        UNTIL(e, known.left == 1);
        OK(doca_ctx_stop(e->ctx));
    }
    end_destroy(e);
}

// ---- every length ------------------------------------------------------------------------------

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
};

#define N_MESSAGES (sizeof(messages) / sizeof(messages[0]))

static int consumes(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    receiver_make(&r, &e, c, e.pe);
    receiver_start(&r);
    child_tell(self, "runs");
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        size_t length = messages[i].length;
        child_wait(self, "post");
        post(&r, 5, LARGE);
        child_tell(self, "posted");
        PROGRESS_UNTIL(r.pe, r.got == i + 1);
        ck_assert_uint_eq(r.length, length);
        for (size_t at = 0; at < length; at++)
            ck_assert_uint_eq(r.memory.bytes[5 + at], pattern(at, i));
        ck_assert_uint_eq(r.imm_length, messages[i].imm ? strlen(messages[i].imm) : 0);
        ck_assert(!r.imm_length || !memcmp(r.imm, messages[i].imm, r.imm_length));
        ck_assert_uint_eq(r.producer, 1);
    }
    child_wait(self, "end");
    receiver_end(&r);
    doca_pe_progress(e.pe); // tells the other side
    child_tell(self, "ended");
    part(self, &e);
    return 0;
}

static int produces(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    sender_make(&s, &e, c);
    if (e.server)
        REFUSED(DOCA_ERROR_IN_USE, doca_comch_server_disconnect(e.server, c));
    REFUSED(DOCA_ERROR_AGAIN, try_send(&s, known.consumer, 0, 8, NULL));
    child_tell(self, "sent");
    for (unsigned i = 0; i < N_MESSAGES; i++) {
        child_wait(self, "send");
        OK(try_send(&s, known.consumer, i, messages[i].length, messages[i].imm));
        REFUSED(DOCA_ERROR_AGAIN, try_send(&s, known.consumer, 99, 8, NULL));
        PROGRESS_UNTIL(s.pe, s.sent == i + 1);
        child_tell(self, "sent");
    }
    UNTIL(&e, known.expired == 1);
    OK(try_send(&s, known.consumer, 0, 8, NULL));
    PROGRESS_UNTIL(s.pe, s.failed == 1);
    ck_assert_int_eq(s.last, DOCA_ERROR_NOT_FOUND);
    sender_end(&s);
    child_tell(self, "expired");
    part(self, &e);
    return 0;
}

// From the DPU to the host, and the other way.
START_TEST(messages_of_every_length_arrive)
{
    static bool yes = true, no = false;
    struct child *server = child_start(nodes.dpu, "server", _i ? consumes : produces, &yes);
    child_wait(server, "serves");
    struct child *client = child_start(nodes.host, "client", _i ? produces : consumes, &no);
    struct child *from = _i ? client : server, *to = _i ? server : client;
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
    child_tell(client, "leave");
    child_join(client);
    child_join(server);
}
END_TEST

// ---- threads -----------------------------------------------------------------------------------

#define EACH    400u
#define LONGEST 300u // more than an entry takes

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

static int takes_from_threads(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    receiver_make(&r, &e, c, e.pe);
    OK(doca_comch_consumer_task_post_recv_set_conf(r.consumer, repost, repost, 8));
    receiver_start(&r);
    for (size_t i = 0; i < 8; i++)
        post(&r, 1 + i * LONGEST, LONGEST);
    child_tell(self, "posted");
    PROGRESS_UNTIL(e.pe, r.counts.got == THREADS * EACH);
    receiver_end(&r);
    part(self, &e);
    return 0;
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

static int sends_from_threads(struct child *self, void *arg)
{
    struct sender s[THREADS];
    pthread_t threads[THREADS];
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    for (int i = 0; i < THREADS; i++) {
        sender_make(&s[i], &e, c);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sends_many, &s[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        sender_end(&s[i]);
    child_tell(self, "sent");
    part(self, &e);
    return 0;
}

START_TEST(threads_share_a_consumer)
{
    static bool yes = true, no = false;
    struct child *server = child_start(nodes.dpu, "server", sends_from_threads, &yes);
    child_wait(server, "serves");
    struct child *client = child_start(nodes.host, "client", takes_from_threads, &no);
    child_wait(client, "posted");
    child_wait(server, "sent");
    child_tell(client, "leave");
    child_join(client);
    child_join(server);
}
END_TEST

// A program that submits until there is room, and does nothing else.
static int never_progresses(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    sender_make(&s, &e, c);
    // To memory that only docad's engine reaches.
    for (unsigned i = 0; i < 2; i++)
        OK(try_send(&s, known.consumer, 7, LONGEST, NULL));
    child_tell(self, "sent");
    while (try_send(&s, known.consumer, 7, LONGEST, NULL) == DOCA_ERROR_AGAIN)
        sched_yield();
    PROGRESS_UNTIL(s.pe, s.sent == 3);
    sender_end(&s);
    child_tell(self, "done");
    part(self, &e);
    return 0;
}

static int posts_again(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    receiver_make(&r, &e, c, e.pe);
    receiver_start(&r);
    post(&r, 0, LONGEST);
    post(&r, LONGEST, LONGEST);
    child_tell(self, "posted");
    PROGRESS_UNTIL(r.pe, r.got == 2);
    post(&r, 2 * LONGEST, LONGEST);
    PROGRESS_UNTIL(r.pe, r.got == 3);
    child_wait(self, "end");
    receiver_end(&r);
    part(self, &e);
    return 0;
}

START_TEST(messages_do_not_wait_for_their_senders_progress)
{
    static bool yes = true, no = false;
    struct child *server = child_start(nodes.dpu, "server", posts_again, &yes);
    child_wait(server, "serves");
    struct child *client = child_start(nodes.host, "client", never_progresses, &no);
    child_wait(server, "posted");
    child_wait(client, "sent");
    child_wait(client, "done");
    child_tell(server, "end");
    child_tell(client, "leave");
    child_join(client);
    child_join(server);
}
END_TEST

// ---- ends --------------------------------------------------------------------------------------

static int loses_its_producer(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    receiver_make(&r, &e, c, e.pe);
    receiver_start(&r);
    post(&r, 0, LONGEST);
    post(&r, LONGEST, LONGEST);
    child_tell(self, "posted");
    PROGRESS_UNTIL(e.pe, r.state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r.failed, 2);
    ck_assert_int_eq(r.last, DOCA_ERROR_CONNECTION_RESET);
    receiver_end(&r);
    UNTIL(&e, known.left == 1);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

static int loses_its_consumer(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    sender_make(&s, &e, c);
    child_tell(self, "made");
    UNTIL(&e, known.left == 1);
    OK(try_send(&s, known.consumer, 0, LONGEST, NULL));
    PROGRESS_UNTIL(s.pe, s.failed == 1);
    ck_assert_int_eq(s.last, DOCA_ERROR_NOT_FOUND);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_comch_producer_create(c, &s.producer));
    s.producer = (struct doca_comch_producer *)s.ctx;
    sender_end(&s);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

static int only_meets(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, false);
    if (*(bool *)arg) {
        receiver_make(&r, &e, c, e.pe);
        receiver_start(&r);
        post(&r, 0, LONGEST);
    } else {
        UNTIL(&e, known.came == 1);
    }
    child_tell(self, "met");
    child_wait(self, "never");
    return 0;
}

START_TEST(a_side_that_dies_ends_the_other_ones_path)
{
    static bool yes = true, no = false;
    struct child *server =
        child_start(nodes.dpu, "server", _i ? loses_its_consumer : loses_its_producer, &yes);
    child_wait(server, "serves");
    struct child *client = child_start(nodes.host, "client", only_meets, _i ? &yes : &no);
    if (_i)
        child_wait(server, "made");
    else
        child_wait(server, "posted");
    child_wait(client, "met");
    child_kill(client);
    child_join(server);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_fast");
    TCase *near = tcase_create("near");
    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_add_loop_test(near, messages_of_every_length_arrive, 0, 2);
    tcase_add_test(near, threads_share_a_consumer);
    tcase_add_test(near, messages_do_not_wait_for_their_senders_progress);
    tcase_add_loop_test(near, a_side_that_dies_ends_the_other_ones_path, 0, 2);
    suite_add_tcase(suite, near);
    return run_suite(suite);
}
