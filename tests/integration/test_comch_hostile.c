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

// ---- messages that nobody would send ---------------------------------------------------------

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

static int writes_nonsense(struct child *self, void *arg)
{
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    struct rdma_entry *entry = first_message(c);
    child_wait(self, "write");
    entry->length = nonsense[which].length;
    atomic_store(&entry->head,
                 rdma_head(1, RDMA_MSG_SEND, nonsense[which].where, nonsense[which].imm_length));
    UNTIL(&e, known.expired == 1);
    child_tell(self, "expired");
    part(self, &e);
    return 0;
}

static int reads_nonsense(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    receiver_meet(&r, &e, self, arg);
    post(&r, 0, LONGEST);
    post(&r, LONGEST, LONGEST);
    child_tell(self, "posted");
    while (r.state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(e.pe); // a hostile side does not wake anybody
    ck_assert_uint_eq(r.failed, 2);
    ck_assert_int_eq(r.last, DOCA_ERROR_IO_FAILED);
    doca_pe_progress(e.pe);
    receiver_end(&r);
    part(self, &e);
    return 0;
}

START_TEST(nonsense_ends_a_consumer)
{
    struct child *server, *client;
    which = _i;
    start_both(&server, writes_nonsense, &client, reads_nonsense);
    child_wait(client, "posted");
    child_tell(server, "write");
    child_wait(server, "expired");
    end_both(server, client);
}
END_TEST

// ---- a message that is never written -----------------------------------------------------------

static int writes_forever(struct child *self, void *arg)
{
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.came == 1);
    child_wait(self, "write");
    atomic_store(&first_message(c)->head, rdma_head(1, RDMA_MSG_SEND, COMCH_WRITING, 0));
    child_tell(self, "writes");
    child_wait(self, "never");
    return 0;
}

// The memory is not given back while somebody may write to it.
static int waits_for_writer(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    receiver_meet(&r, &e, self, arg);
    post(&r, 0, LONGEST);
    child_tell(self, "posted");
    child_wait(self, "stop");
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(r.ctx));
    for (int i = 0; i < 1000; i++)
        doca_pe_progress(e.pe);
    ck_assert_int_eq(r.state, DOCA_CTX_STATE_STOPPING);
    ck_assert_uint_eq(r.failed, 0);
    child_tell(self, "stops");
    PROGRESS_UNTIL(e.pe, r.state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(r.failed, 1);
    receiver_end(&r);
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    end_destroy(&e);
    return 0;
}

START_TEST(memory_that_is_written_is_not_given_back)
{
    struct child *server, *client;
    start_both(&server, writes_forever, &client, waits_for_writer);
    child_wait(client, "posted");
    child_tell(server, "write");
    child_wait(server, "writes");
    child_tell(client, "stop");
    child_wait(client, "stops");
    child_kill(server);
    child_join(client);
}
END_TEST

// ---- receives that nobody would post
// -------------------------------------------------------------

static int posts_nonsense(struct child *self, void *arg)
{
    struct receiver r;
    struct end e;
    receiver_meet(&r, &e, self, arg);
    struct comch_receives *receives = r.consumer->receives;
    atomic_store(&receives->count, UINT32_MAX);
    child_tell(self, "posted");
    child_wait(self, "post");
    for (unsigned i = 0; i < 4; i++) {
        atomic_store(&receives->at[i].address, (uintptr_t)r.memory.bytes + 4096);
        atomic_store(&receives->at[i].room, UINT64_MAX);
    }
    atomic_store(&receives->at[0].address, 0);
    atomic_store(&receives->at[1].address, UINT64_MAX - 8);
    atomic_store(&receives->at[2].address, (uintptr_t)r.memory.bytes + (64u << 20));
    atomic_store(&receives->count, 4);
    child_tell(self, "posted");
    child_wait(self, "end");
    receiver_part(&r, &e, self);
    return 0;
}

static int sends_to_nonsense(struct child *self, void *arg)
{
    struct sender s;
    struct end e;
    sender_meet(&s, &e, self, arg);
    child_wait(self, "send");
    REFUSED(DOCA_ERROR_AGAIN, try_send(&s, known.consumer, 0, LONGEST, NULL));
    child_tell(self, "sent");
    child_wait(self, "send");
    for (unsigned i = 0; i < 3; i++) {
        OK(try_send(&s, known.consumer, 0, LONGEST, NULL));
        PROGRESS_UNTIL(s.pe, s.failed == i + 1);
        ck_assert_int_eq(s.last, DOCA_ERROR_IO_FAILED);
    }
    OK(try_send(&s, known.consumer, 0, LONGEST, NULL)); // this one it could receive
    PROGRESS_UNTIL(s.pe, s.sent == 1);
    REFUSED(DOCA_ERROR_AGAIN, try_send(&s, known.consumer, 0, LONGEST, NULL));
    sender_end(&s);
    child_tell(self, "sent");
    part(self, &e);
    return 0;
}

START_TEST(producers_write_nowhere_else)
{
    struct child *server, *client;
    start_both(&server, sends_to_nonsense, &client, posts_nonsense);
    child_wait(client, "posted");
    child_tell(server, "send");
    child_wait(server, "sent");
    child_tell(client, "post");
    child_wait(client, "posted");
    child_tell(server, "send");
    child_wait(server, "sent");
    child_tell(client, "end");
    end_both(server, client);
}
END_TEST

// ---- memory that may only be read --------------------------------------------------------------

static int lends_to_read(struct child *self, void *arg)
{
    struct lent readable;
    struct receiver r;
    struct end e;
    struct doca_comch_connection *c = meet(self, &e, *(bool *)arg);
    memory_make(&readable, e.dev, LONGEST, DOCA_ACCESS_FLAG_RDMA_READ);
    receiver_make(&r, &e, c, e.pe);
    struct doca_mmap *own = r.consumer->map;
    r.consumer->map = readable.map; // the library would have refused it
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(r.ctx));
    PROGRESS_UNTIL(r.pe, r.state == DOCA_CTX_STATE_IDLE);
    r.consumer->map = own;
    receiver_end(&r);
    memory_end(&readable);
    child_tell(self, "refused");
    part(self, &e);
    return 0;
}

static int sees_no_consumer(struct child *self, void *arg)
{
    struct end e;
    meet(self, &e, *(bool *)arg);
    UNTIL(&e, known.left == 1);
    ck_assert_uint_eq(known.came, 0);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

START_TEST(memory_to_write_to_is_needed)
{
    struct child *server, *client;
    start_both(&server, sees_no_consumer, &client, lends_to_read);
    child_wait(client, "refused");
    end_both(server, client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_hostile");
    TCase *near = tcase_create("near");
    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_add_loop_test(near, nonsense_ends_a_consumer, 0, N_NONSENSE);
    tcase_add_test(near, memory_that_is_written_is_not_given_back);
    tcase_add_test(near, producers_write_nowhere_else);
    tcase_add_test(near, memory_to_write_to_is_needed);
    suite_add_tcase(suite, near);
    return run_suite(suite);
}
