// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "comch_path.h"

#include "nodes.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define NAME   "fast"
#define BUFFER (LARGE + 4096)

struct known known;
uint32_t receiver_access = DOCA_ACCESS_FLAG_PCI_READ_WRITE;
bool buffers_move_on;

// Notes what was known when the latest message came.
static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                       struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len, (void)from;
    known.messages++;
    known.expired_before = known.expired;
}

// ---- memory

#define PAGE 4096

// Not aligned to pages, whatever malloc() does: its ends are not mapped
// elsewhere.
void memory_make(struct lent *m, struct doca_dev *dev, size_t size, uint32_t access)
{
    m->room = aligned_alloc(PAGE, PAGE + (size + PAGE - 1) / PAGE * PAGE);
    ck_assert_ptr_nonnull(m->room);
    m->bytes = m->room + 64;
    OK(doca_mmap_create(&m->map));
    OK(doca_mmap_set_memrange(m->map, m->bytes, size));
    OK(doca_mmap_set_permissions(m->map, access));
    OK(doca_mmap_add_dev(m->map, dev));
    OK(doca_mmap_start(m->map));
    OK(doca_buf_inventory_create(64, &m->inventory));
    OK(doca_buf_inventory_start(m->inventory));
}

void memory_end(struct lent *m)
{
    OK(doca_buf_inventory_destroy(m->inventory));
    OK(doca_mmap_destroy(m->map));
    free(m->room);
}

uint8_t pattern(size_t at, unsigned seed)
{
    return (uint8_t)(at * 7 + at / 251 + seed * 13);
}

// ---- consumers

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

void receiver_make(struct receiver *r, struct end *e, struct doca_comch_connection *c,
                   struct doca_pe *pe)
{
    *r = (struct receiver){.self = e->self, .end = e, .pe = pe};
    memory_make(&r->memory, e->dev, BUFFER, receiver_access);
    OK(doca_comch_consumer_create(c, r->memory.map, &r->consumer));
    r->ctx = doca_comch_consumer_as_ctx(r->consumer);
    OK(doca_comch_consumer_task_post_recv_set_conf(r->consumer, received, received, 8));
    OK(doca_pe_connect_ctx(pe, r->ctx));
    OK(doca_ctx_set_user_data(r->ctx, (union doca_data){.ptr = r}));
    OK(doca_ctx_set_state_changed_cb(r->ctx, receiver_state));
}

void receiver_start(struct receiver *r)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r->ctx));
    ck_assert_int_eq(r->state, DOCA_CTX_STATE_STARTING);
    PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_RUNNING);
}

void receiver_end(struct receiver *r)
{
    if (doca_ctx_stop(r->ctx) != DOCA_SUCCESS)
        PROGRESS_UNTIL(r->pe, r->state == DOCA_CTX_STATE_IDLE);
    OK(doca_comch_consumer_destroy(r->consumer));
    r->consumer = NULL;
    memory_end(&r->memory);
}

// To a byte that no message has.
static void move_on(struct doca_buf *buf, const struct lent *memory)
{
    if (buf && buffers_move_on)
        OK(doca_buf_inventory_buf_reuse_by_addr(buf, memory->bytes, 1));
}

void post(struct receiver *r, size_t at, size_t room)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_addr(r->memory.inventory, r->memory.map, r->memory.bytes + at,
                                          room, &buf));
    OK(doca_comch_consumer_task_post_recv_alloc_init(r->consumer, buf, &task));
    OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    move_on(buf, &r->memory);
}

// ---- producers

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

void sender_make(struct sender *s, struct end *e, struct doca_comch_connection *c)
{
    *s = (struct sender){.self = e->self, .end = e, .last = DOCA_SUCCESS};
    memory_make(&s->memory, e->dev, BUFFER, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    OK(doca_comch_producer_create(c, &s->producer));
    s->ctx = doca_comch_producer_as_ctx(s->producer);
    OK(doca_comch_producer_task_send_set_conf(s->producer, sent, sent, 8));
    OK(doca_pe_create(&s->pe));
    OK(doca_pe_connect_ctx(s->pe, s->ctx));
    OK(doca_ctx_set_user_data(s->ctx, (union doca_data){.ptr = s}));
    OK(doca_ctx_start(s->ctx));
}

// A task to a consumer that has just gone may be in flight until the other side
// says so.
void sender_end(struct sender *s)
{
    enum doca_ctx_states state;
    doca_error_t e = doca_ctx_stop(s->ctx);
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    if (e != DOCA_ERROR_IN_PROGRESS)
        OK(e);
    while (doca_ctx_get_state(s->ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
        ck_assert_msg(now_ms() < limit, "a producer does not stop");
        doca_pe_progress(s->pe);
    }
    OK(doca_comch_producer_destroy(s->producer));
    s->producer = NULL;
    OK(doca_pe_destroy(s->pe));
    memory_end(&s->memory);
}

doca_error_t try_send(struct sender *s, uint32_t consumer, unsigned seed, size_t length,
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
    if (e == DOCA_SUCCESS) {
        move_on(buf, &s->memory);
        return e;
    }
    if (buf)
        OK(doca_buf_dec_refcount(buf, NULL));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    return e;
}

void send_posted(struct sender *s, uint32_t consumer, unsigned seed, size_t length, const char *imm)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t e;
    while ((e = try_send(s, consumer, seed, length, imm)) == DOCA_ERROR_AGAIN && nodes.apart) {
        ck_assert_msg(now_ms() < limit, "nobody says that a receive was posted");
        if (!doca_pe_progress(s->pe))
            sched_yield();
    }
    OK(e);
}

// ---- the two ends

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
    if (!known.any_expires)
        ck_assert_uint_eq(id, known.consumer);
    known.expired++;
}

static const struct end_plan serves = {.name = NAME,
                                       .serves = true,
                                       .hear = on_message,
                                       .come = came,
                                       .leave = left,
                                       .consumer_came = consumer_came,
                                       .consumer_expired = consumer_expired};
static const struct end_plan joins = {.name = NAME,
                                      .tasks = 4,
                                      .hear = on_message,
                                      .consumer_came = consumer_came,
                                      .consumer_expired = consumer_expired};

// A server waits for its client.
static void meet(struct end *e, struct child *self, bool server)
{
    known = (struct known){.left = 0};
    end_make(e, server ? &serves : &joins);
    e->self = self;
    if (!server) {
        end_start_client(e);
        return;
    }
    OK(doca_ctx_start(e->ctx));
    child_tell(self, "serves");
    UNTIL(e, known.connection);
    e->connection = known.connection;
}

// The client leaves, unless it is idle because the server died, and the server
// sees it.
static void leave(struct end *e)
{
    if (e->server)
        UNTIL(e, known.left == 1);
    else if (e->state != DOCA_CTX_STATE_IDLE)
        child_wait(e->self, "leave");
    end_stop(e);
    end_destroy(e);
}

static void consume(struct end *e, receiver_fn fn)
{
    struct receiver r;
    receiver_make(&r, e, e->connection, e->pe);
    receiver_start(&r);
    fn(&r);
    if (!r.consumer)
        return;
    receiver_end(&r);
    doca_pe_progress(e->pe); // tells the other side
}

static void produce(struct end *e, sender_fn fn)
{
    struct sender s;
    UNTIL(e, known.came == 1);
    sender_make(&s, e, e->connection);
    fn(&s);
    if (!s.producer)
        return;
    UNTIL(e, known.expired == 1);
    sender_end(&s);
}

struct process {
    struct part part;
    bool server;
};

static int run_process(struct child *self, void *arg)
{
    const struct process *process = arg;
    struct end e;
    meet(&e, self, process->server);
    if (process->part.consumes)
        consume(&e, process->part.consumes);
    else if (process->part.produces)
        produce(&e, process->part.produces);
    else
        process->part.meets(&e);
    leave(&e);
    return 0;
}

struct pair pair_start(struct part server, struct part client)
{
    struct process serving = {server, true}, joining = {client, false};
    struct pair pair;
    pair.server = child_start(nodes.dpu, "server", run_process, &serving);
    child_wait(pair.server, "serves");
    pair.client = child_start(beside ? nodes.dpu : nodes.host, "client", run_process, &joining);
    return pair;
}

struct pair pair_between(struct part a, struct part b, bool a_serves)
{
    return a_serves ? pair_start(a, b) : pair_start(b, a);
}

void pair_end(const struct pair *pair)
{
    child_tell(pair->client, "leave");
    child_join(pair->client);
    child_join(pair->server);
}
