// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Hostile ends of a fast path: whatever one side writes into the memory that both share, the other
// one goes on, or ends in an orderly way.

#include "comch/consumer.h"
#include "comch/remote.h"
#include "comch/comch.h"
#include "comch_path.h"
#include "env.h"
#include "nodes.h"

#include <string.h>

// ---- messages that nobody would send

static const struct {
    uint8_t where;
    uint16_t imm_length;
    uint32_t length;
} nonsense[] = {
    {COMCH_IN_ENTRY, 0, RDMA_INLINE + 1},
    {COMCH_IN_ENTRY, 33, 4},
    {0, 0, 0},
    {COMCH_IN_ENTRY, UINT16_MAX, 1},
    {COMCH_IN_ENTRY, 0, UINT32_MAX},
    {COMCH_WRITTEN, 0, LONGEST + 1},
    {COMCH_WRITTEN, 200, 0},
    {99, 0, 1},
};

#define N_NONSENSE ((int)(sizeof(nonsense) / sizeof(nonsense[0])))

static int which;

static struct rdma_entry *first_message(struct doca_comch_connection *c)
{
    return &c->path->remotes[known.consumer]->messages[0];
}

static void writes_nonsense(struct end *e)
{
    UNTIL(e, known.came == 1);
    struct rdma_entry *entry = first_message(e->connection);
    child_wait(e->self, "write");
    entry->length = nonsense[which].length;
    atomic_store(&entry->head,
                 rdma_head(1, RDMA_MSG_SEND, nonsense[which].where, nonsense[which].imm_length));
    UNTIL(e, known.expired == 1);
    child_tell(e->self, "expired");
}

static void reads_nonsense(struct receiver *r)
{
    post(r, 0, LONGEST);
    post(r, LONGEST, LONGEST);
    child_tell(r->self, "posted");
    while (r->state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(r->end->pe); // a hostile side does not wake anybody
    ck_assert_uint_eq(r->failed, 2);
    ck_assert_int_eq(r->last, DOCA_ERROR_IO_FAILED);
}

START_TEST(nonsense_ends_a_consumer)
{
    which = _i;
    struct pair pair = pair_start(MEETS(writes_nonsense), CONSUMES(reads_nonsense));
    child_wait(pair.client, "posted");
    child_tell(pair.server, "write");
    child_wait(pair.server, "expired");
    pair_end(&pair);
}
END_TEST

// ---- a message that is never written

static void writes_forever(struct end *e)
{
    UNTIL(e, known.came == 1);
    child_wait(e->self, "write");
    atomic_store(&first_message(e->connection)->head,
                 rdma_head(1, RDMA_MSG_SEND, COMCH_WRITING, 0));
    child_tell(e->self, "writes");
    end_stay(e);
}

// The memory is not given back while somebody may write to it.
static void waits_for_writer(struct receiver *r)
{
    post(r, 0, LONGEST);
    child_tell(r->self, "posted");
    child_wait(r->self, "stop");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(r->ctx));
    for (int i = 0; i < 1000; i++)
        doca_pe_progress(r->end->pe);
    ck_assert_int_eq(r->state, DOCA_CTX_STATE_STOPPING);
    ck_assert_uint_eq(r->failed, 0);
    child_tell(r->self, "stops");
    PROGRESS_UNTIL(r->end->pe, r->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r->failed, 1);
    receiver_end(r);
    UNTIL(r->end, r->end->state == DOCA_CTX_STATE_IDLE);
}

START_TEST(memory_that_is_written_is_not_given_back)
{
    struct pair pair = pair_start(MEETS(writes_forever), CONSUMES(waits_for_writer));
    child_wait(pair.client, "posted");
    child_tell(pair.server, "write");
    child_wait(pair.server, "writes");
    child_tell(pair.client, "stop");
    child_wait(pair.client, "stops");
    child_kill(pair.server);
    child_join(pair.client);
}
END_TEST

// ---- receives that nobody would post

static void posts_nonsense(struct receiver *r)
{
    struct comch_receives *receives = r->consumer->receives;
    atomic_store(&receives->count, UINT32_MAX);
    child_tell(r->self, "posted");
    child_wait(r->self, "post");
    for (unsigned i = 0; i < 4; i++) {
        atomic_store(&receives->at[i].address, (uintptr_t)r->memory.bytes + 4096);
        atomic_store(&receives->at[i].room, UINT64_MAX);
    }
    atomic_store(&receives->at[0].address, 0);
    atomic_store(&receives->at[1].address, UINT64_MAX - 8);
    atomic_store(&receives->at[2].address, (uintptr_t)r->memory.bytes + (64u << 20));
    atomic_store(&receives->count, 4);
    child_tell(r->self, "posted");
    child_wait(r->self, "end");
}

static void sends_to_nonsense(struct sender *s)
{
    child_wait(s->self, "send");
    REFUSED(DOCA_ERROR_AGAIN, try_send(s, known.consumer, 0, LONGEST, NULL));
    child_tell(s->self, "sent");
    child_wait(s->self, "send");
    for (unsigned i = 0; i < 3; i++) {
        OK(try_send(s, known.consumer, 0, LONGEST, NULL));
        PROGRESS_UNTIL(s->pe, s->failed == i + 1);
        ck_assert_int_eq(s->last, DOCA_ERROR_IO_FAILED);
    }
    OK(try_send(s, known.consumer, 0, LONGEST, NULL)); // this one it could receive
    PROGRESS_UNTIL(s->pe, s->sent == 1);
    REFUSED(DOCA_ERROR_AGAIN, try_send(s, known.consumer, 0, LONGEST, NULL));
    sender_end(s);
    child_tell(s->self, "sent");
}

START_TEST(producers_write_nowhere_else)
{
    struct pair pair = pair_start(PRODUCES(sends_to_nonsense), CONSUMES(posts_nonsense));
    child_wait(pair.client, "posted");
    child_tell(pair.server, "send");
    child_wait(pair.server, "sent");
    child_tell(pair.client, "post");
    child_wait(pair.client, "posted");
    child_tell(pair.server, "send");
    child_wait(pair.server, "sent");
    child_tell(pair.client, "end");
    pair_end(&pair);
}
END_TEST

// ---- memory that may only be read

static void lends_to_read(struct end *e)
{
    struct lent readable;
    struct receiver r;
    memory_make(&readable, e->dev, LONGEST, DOCA_ACCESS_FLAG_RDMA_READ);
    receiver_make(&r, e, e->connection, e->pe);
    struct doca_mmap *own = r.consumer->map;
    r.consumer->map = readable.map; // the library would have refused it
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r.ctx));
    PROGRESS_UNTIL(r.pe, r.state == DOCA_CTX_STATE_IDLE);
    r.consumer->map = own;
    receiver_end(&r);
    memory_end(&readable);
    child_tell(e->self, "refused");
}

static void sees_no_consumer(struct end *e)
{
    UNTIL(e, known.left == 1);
    ck_assert_uint_eq(known.came, 0);
}

START_TEST(memory_to_write_to_is_needed)
{
    struct pair pair = pair_start(MEETS(sees_no_consumer), MEETS(lends_to_read));
    child_wait(pair.client, "refused");
    pair_end(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_hostile");
    TCase *near = case_near_shared(suite);
    tcase_add_loop_test(near, nonsense_ends_a_consumer, 0, N_NONSENSE);
    tcase_add_test(near, memory_that_is_written_is_not_given_back);
    tcase_add_test(near, producers_write_nowhere_else);
    tcase_add_test(near, memory_to_write_to_is_needed);
    return run_suite(suite);
}
