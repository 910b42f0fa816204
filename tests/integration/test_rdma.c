// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA between two processes: every job, in order, with full queues, and who may do what.

#include "rdma_setting.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// ---- messages -------------------------------------------------------------------------------

static const size_t sizes[] = {1,    8,     48,    49,    112,    113,    4096,
                               8191, 32768, 32769, 65536, 300001, 1 << 20};
#define MESSAGES 1000

static int sends(struct child *self, void *arg)
{
    struct peer p;
    uint32_t immediate = 0xABCD1234;
    peer_open(&p, arg);
    peer_meet(&p, self);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        pattern(p.memory, sizes[i], (unsigned)i);
        ck_assert_success(peer_send(&p, 0, sizes[i]));
        ck_assert_uint_eq(p.result.length, sizes[i]);
    }
    ck_assert_success(peer_send(&p, 0, 0)); // empty
    ck_assert_success(peer_try_send(&p, NULL, &immediate));
    ck_assert_success(peer_wait(&p));
    // Lists, and many at a time.
    struct doca_buf *list = peer_buf(&p, 0, 100);
    ck_assert_success(doca_buf_list_chain(list, peer_room(&p, 500, 10)));
    ck_assert_success(doca_buf_list_chain(list, peer_buf(&p, 1000, 50000)));
    pattern(p.memory, 100, 1);
    pattern(p.memory + 1000, 50000, 2);
    ck_assert_success(peer_try_send(&p, list, &immediate));
    ck_assert_success(peer_wait(&p));
    drop(list);
    unsigned submitted = 0, done = 0;
    struct doca_buf *bufs[64];
    for (unsigned i = 0; i < 64; i++)
        bufs[i] = peer_buf(&p, i * 4096, 8);
    while (done < MESSAGES) {
        while (submitted < MESSAGES && submitted - done < 64) {
            memcpy(p.memory + submitted % 64 * 4096, &submitted, sizeof(submitted));
            ck_assert_success(peer_try_send(&p, bufs[submitted++ % 64], NULL));
        }
        ck_assert_success(peer_wait(&p));
        done++;
    }
    for (unsigned i = 0; i < 64; i++)
        drop(bufs[i]);
    ck_assert_success(peer_recv(&p, 0, 8));
    peer_close(&p);
    return 0;
}

static int receives(struct child *self, void *arg)
{
    struct peer_plan *plan = arg;
    struct peer p;
    plan->chain = 4;
    peer_open(&p, plan);
    peer_meet(&p, self);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        ck_assert_success(peer_recv(&p, 0, p.size));
        ck_assert_uint_eq(p.result.length, sizes[i]);
        ck_assert_int_eq(p.result.opcode, DOCA_RDMA_OPCODE_RECV_SEND);
        ck_assert(is_pattern(p.memory, sizes[i], (unsigned)i));
    }
    ck_assert_success(peer_recv(&p, 0, 0));
    ck_assert_uint_eq(p.result.length, 0);
    ck_assert_success(peer_recv(&p, 0, 10));
    ck_assert_int_eq(p.result.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
    ck_assert_uint_eq(p.result.immediate_data, 0xABCD1234);
    struct doca_buf *first = peer_room(&p, 0, 60), *second = peer_room(&p, 100, 100000);
    size_t n;
    ck_assert_success(doca_buf_list_chain(first, second));
    ck_assert_success(peer_try_recv(&p, first));
    ck_assert_success(peer_wait(&p));
    ck_assert_uint_eq(p.result.length, 50100);
    ck_assert_success(doca_buf_get_data_len(first, &n));
    ck_assert_uint_eq(n, 60);
    ck_assert_success(doca_buf_get_data_len(second, &n));
    ck_assert_uint_eq(n, 50040);
    ck_assert(is_pattern(p.memory, 60, 1));
    ck_assert(is_pattern(p.memory + 140, 50000, 2));
    drop(first);
    struct doca_buf *bufs[32];
    unsigned posted = 0;
    for (unsigned i = 0; i < 32; i++) {
        bufs[i] = peer_room(&p, i * 64, 64);
        ck_assert_success(peer_try_recv(&p, bufs[posted++ % 32]));
    }
    for (unsigned i = 0; i < MESSAGES; i++) {
        unsigned got;
        ck_assert_success(peer_wait(&p));
        ck_assert_uint_eq(p.result.length, 8);
        memcpy(&got, p.memory + i % 32 * 64, sizeof(got));
        ck_assert_uint_eq(got, i);
        if (posted < MESSAGES)
            ck_assert_success(peer_try_recv(&p, bufs[posted++ % 32]));
    }
    for (unsigned i = 0; i < 32; i++)
        drop(bufs[i]);
    ck_assert_success(peer_send(&p, 0, 8));
    peer_close(&p);
    return 0;
}

START_TEST(messages)
{
    run_both(_i, sends, receives);
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------

static uint8_t brokered[65536 * 3 + 8] __attribute__((aligned(8))) = {1};

static int owner_sleeps(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    pattern(p.memory, p.size, 3);
    peer_meet(&p, self);
    pause(); // until it is killed
    return 0;
}

static int accesses(struct child *self, void *arg)
{
    struct peer p;
    uint64_t before, expected;
    uint8_t was[8];
    peer_open(&p, arg);
    peer_meet(&p, self);
    size_t n = p.length < p.size ? p.length - 64 : p.size - 64;
    ck_assert_success(peer_read(&p, 0, 0, n));
    ck_assert(is_pattern(p.memory, n, 3));
    ck_assert_uint_eq(p.result.length, n);
    pattern(p.memory, n, 4);
    ck_assert_success(peer_write(&p, 0, 0, n));
    memset(p.memory, 0, n);
    ck_assert_success(peer_read(&p, 0, 0, n));
    ck_assert(is_pattern(p.memory, n, 4));
    // Copies to a destination without data, and from a list to a list.
    struct doca_buf *dst = peer_room(&p, 1, 100), *src = peer_remote_buf(&p, 0, 80);
    size_t length;
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_READ, dst, src));
    ck_assert_success(peer_wait(&p));
    ck_assert_success(doca_buf_get_data_len(dst, &length));
    ck_assert_uint_eq(length, 80);
    ck_assert(is_pattern(p.memory + 1, 80, 4));
    // Bytes without a destination.
    ck_assert_int_eq(peer_try_access(&p, DOCA_RDMA_JOB_READ, NULL, src), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(peer_try_access(&p, DOCA_RDMA_JOB_WRITE, NULL, dst), DOCA_ERROR_INVALID_VALUE);
    drop(dst);
    drop(src);
    // Nothing at all.
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_READ, NULL, NULL));
    ck_assert_success(peer_wait(&p));
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_WRITE, NULL, NULL));
    ck_assert_success(peer_wait(&p));
    // Atomics at either end of the memory.
    memcpy(was, p.memory + 1, 8);
    for (int end = 0; end < 2; end++) {
        size_t at = end ? (p.length - 8) & ~(size_t)7 : 0;
        uint64_t ten = 10;
        memcpy(p.memory, &ten, 8);
        ck_assert_success(peer_write(&p, at, 0, 8));
        for (expected = 10; expected < 60; expected += 5) {
            ck_assert_success(peer_add(&p, at, 5, &before));
            ck_assert_uint_eq(before, expected);
        }
        ck_assert_success(peer_swap(&p, at, 59, 1, &before));
        ck_assert_uint_eq(before, 60);
        ck_assert_success(peer_swap(&p, at, 60, 1, &before));
        ck_assert_uint_eq(before, 60);
        ck_assert_success(peer_add(&p, at, 0, &before));
        ck_assert_uint_eq(before, 1);
    }
    child_tell(self, "done");
    ck_assert_error(peer_recv(&p, 0, 8), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    peer_close(&p);
    return 0;
}

// Mapped memory in the first half of the settings, brokered in the second.
START_TEST(remote_memory)
{
    int setting = _i % SETTINGS;
    struct peer_plan ours = near_plan(setting), theirs = far_plan(setting);
    if (_i >= SETTINGS) {
        ours.memory = brokered;
        ours.size = sizeof(brokered);
    }
    setting_start(setting);
    struct child *owner = child_start(near_node, "owner", owner_sleeps, &ours);
    struct child *other = child_start(far_node, "other", accesses, &theirs);
    peers_join(owner, other);
    child_wait(other, "done");
    child_kill(owner);
    child_join(other);
    setting_assert_baseline();
}
END_TEST

static int writes_with_immediate(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    struct doca_buf *dst = peer_remote_buf(&p, 4096, 5000), *src = peer_buf(&p, 0, 5000);
    pattern(p.memory, 5000, 6);
    for (int i = 0; i < 3; i++)
        ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_WRITE_IMM, dst, src));
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_WRITE_IMM, NULL, NULL));
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_wait(&p));
    drop(dst);
    drop(src);
    ck_assert_success(peer_recv(&p, 0, 8));
    peer_close(&p);
    return 0;
}

static int is_written_to(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    for (int i = 0; i < 4; i++) {
        ck_assert_success(peer_recv(&p, 0, 0));
        ck_assert_int_eq(p.result.opcode, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
        ck_assert_uint_eq(p.result.immediate_data, 0xABCD);
        ck_assert_uint_eq(p.result.length, i < 3 ? 5000 : 0);
        ck_assert(is_pattern(p.memory + 4096, 5000, 6));
    }
    ck_assert_success(peer_send(&p, 0, 8));
    peer_close(&p);
    return 0;
}

START_TEST(write_with_immediate)
{
    run_both(_i, writes_with_immediate, is_written_to);
}
END_TEST

// ---- permissions ----------------------------------------------------------------------------

struct permission_case {
    uint32_t map, instance;
    bool read, write, atomic;
};

static const struct permission_case permission_cases[] = {
    {DOCA_ACCESS_RDMA_READ, RDMA_ALL, true, false, false},
    {DOCA_ACCESS_RDMA_WRITE, RDMA_ALL, false, true, false},
    {DOCA_ACCESS_RDMA_ATOMIC, RDMA_ALL, false, false, true},
    {RDMA_ALL, DOCA_ACCESS_RDMA_READ, true, false, false},
    {RDMA_ALL, DOCA_ACCESS_RDMA_WRITE, false, true, false},
    {RDMA_ALL, DOCA_ACCESS_RDMA_ATOMIC, false, false, true},
    {RDMA_ALL, DOCA_ACCESS_LOCAL_READ_WRITE, false, false, false},
};

static int permits(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    for (int i = 0; i < 3; i++) {
        peer_meet(&p, self);
        child_wait(self, "again");
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

static int tries(struct child *self, void *arg)
{
    struct peer p;
    struct permission_case c;
    uint64_t before;
    peer_open(&p, arg);
    for (int i = 0; i < 3; i++) {
        peer_meet(&p, self);
        ck_assert_uint_eq(child_receive(self, &c, sizeof(c)), sizeof(c));
        bool allowed = i == 0 ? c.read : i == 1 ? c.write : c.atomic;
        doca_error_t r = i == 0   ? peer_read(&p, 0, 0, 64)
                         : i == 1 ? peer_write(&p, 0, 0, 64)
                                  : peer_add(&p, 0, 1, &before);
        ck_assert_error(r, allowed ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
        ck_assert_int_eq(peer_state(&p),
                         allowed ? DOCA_RDMA_STATE_CONNECTED : DOCA_RDMA_STATE_ERROR);
        struct doca_buf *b = peer_buf(&p, 0, 1);
        if (!allowed)
            ck_assert_error(peer_try_send(&p, b, NULL), DOCA_ERROR_BAD_STATE);
        drop(b);
        child_tell(self, "tried");
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

START_TEST(permissions)
{
    struct permission_case c = permission_cases[_i];
    struct peer_plan ours = near_plan(TWO_NODES), theirs = far_plan(TWO_NODES);
    setting_start(TWO_NODES);
    ours.map = c.map | DOCA_ACCESS_LOCAL_READ_WRITE;
    ours.instance = c.instance;
    struct child *owner = child_start(near_node, "owner", permits, &ours);
    struct child *other = child_start(far_node, "other", tries, &theirs);
    for (int i = 0; i < 3; i++) {
        peers_join(owner, other);
        child_send(other, &c, sizeof(c));
        child_wait(other, "tried");
        child_tell(owner, "again");
    }
    child_join(owner);
    child_join(other);
    setting_assert_baseline();
}
END_TEST

// ---- order and full queues ------------------------------------------------------------------

static int fills_its_queue(struct child *self, void *arg)
{
    struct peer_plan *plan = arg;
    struct peer p;
    uint32_t size;
    plan->queue = 5;
    peer_open(&p, plan);
    ck_assert_success(doca_rdma_get_send_queue_size(p.rdma, &size));
    ck_assert_uint_eq(size, 8);
    peer_meet(&p, self);
    struct doca_buf *b = peer_buf(&p, 0, 8), *big = peer_buf(&p, 0, 40000);
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_try_send(&p, i % 2 ? big : b, NULL));
    ck_assert_error(peer_try_send(&p, b, NULL), DOCA_ERROR_NO_MEMORY);
    ck_assert_error(peer_poll(&p), DOCA_ERROR_AGAIN); // nobody receives
    ck_assert_error(peer_try_send(&p, b, NULL), DOCA_ERROR_NO_MEMORY);
    child_tell(self, "full");
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_wait(&p));
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_try_recv(&p, NULL));
    ck_assert_error(peer_try_recv(&p, NULL), DOCA_ERROR_NO_MEMORY);
    drop(b);
    drop(big);
    peer_close(&p); // with receives that wait
    return 0;
}

static int empties_it(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    child_wait(self, "receive");
    for (int i = 0; i < 8; i++) {
        ck_assert_success(peer_recv(&p, 0, 50000));
        ck_assert_uint_eq(p.result.length, i % 2 ? 40000 : 8);
    }
    // The other side closes: before this is submitted, or after.
    struct doca_buf *last = peer_buf(&p, 0, 8);
    doca_error_t submitted = peer_try_recv(&p, last);
    if (submitted == DOCA_SUCCESS)
        ck_assert_error(peer_wait(&p), DOCA_ERROR_CONNECTION_RESET);
    else
        ck_assert_error(submitted, DOCA_ERROR_BAD_STATE);
    drop(last);
    peer_close(&p);
    return 0;
}

START_TEST(full_queue)
{
    struct peer_plan ours = near_plan(_i), theirs = far_plan(_i);
    setting_start(_i);
    struct child *a = child_start(near_node, "near", fills_its_queue, &ours);
    struct child *b = child_start(far_node, "far", empties_it, &theirs);
    peers_join(a, b);
    child_wait(a, "full");
    child_tell(b, "receive");
    child_join(a);
    child_join(b);
    setting_assert_baseline();
}
END_TEST

// A send and what is written after it: the receiver finds what it was before.
static int sends_then_writes(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    struct doca_buf *src = peer_buf(&p, 0, 64), *dst = peer_remote_buf(&p, 0, 64);
    memset(p.memory, 0x55, 64);
    ck_assert_success(peer_try_send(&p, src, NULL));
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_WRITE, dst, src));
    ck_assert_success(peer_try_send(&p, NULL, NULL));
    ck_assert_error(peer_poll(&p), DOCA_ERROR_AGAIN);
    child_tell(self, "sent");
    for (int i = 0; i < 3; i++)
        ck_assert_success(peer_wait(&p));
    drop(src);
    drop(dst);
    child_wait(self, "end");
    peer_close(&p);
    return 0;
}

static int finds_them_in_order(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    child_wait(self, "sent");
    ck_assert_uint_eq(p.memory[0], 0); // the write waits for the receive of the send
    ck_assert_success(peer_recv(&p, 4096, 64));
    ck_assert_uint_eq(p.memory[4096], 0x55);
    ck_assert_success(peer_recv(&p, 0, 0));
    ck_assert_uint_eq(p.memory[0], 0x55);
    child_tell(self, "found");
    peer_close(&p);
    return 0;
}

START_TEST(in_order)
{
    struct peer_plan ours = near_plan(_i), theirs = far_plan(_i);
    setting_start(_i);
    struct child *a = child_start(near_node, "near", sends_then_writes, &ours);
    struct child *b = child_start(far_node, "far", finds_them_in_order, &theirs);
    peers_join(a, b);
    child_wait(a, "sent");
    child_tell(b, "sent");
    child_wait(b, "found");
    child_tell(a, "end");
    child_join(a);
    child_join(b);
    setting_assert_baseline();
}
END_TEST

// ---- what is submitted is on its way, whether or not somebody asks for events ---------------

static int does_something_else(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    pattern(p.memory, 64, 8);
    peer_meet(&p, self);
    struct doca_buf *src = peer_buf(&p, 0, 64), *dst = peer_remote_buf(&p, 4096, 64);
    ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_WRITE, dst, src));
    ck_assert_success(peer_try_send(&p, src, NULL));
    child_wait(self, "end");
    ck_assert_success(peer_wait(&p));
    ck_assert_success(peer_wait(&p));
    drop(src);
    drop(dst);
    peer_close(&p);
    return 0;
}

static int hears_of_it(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    ck_assert_success(peer_recv(&p, 0, 64));
    ck_assert(is_pattern(p.memory, 64, 8));
    ck_assert(is_pattern(p.memory + 4096, 64, 8));
    child_tell(self, "heard");
    child_wait(self, "end");
    peer_close(&p);
    return 0;
}

START_TEST(no_need_to_ask)
{
    struct peer_plan ours = near_plan(_i), theirs = far_plan(_i);
    setting_start(_i);
    struct child *a = child_start(near_node, "near", does_something_else, &ours);
    struct child *b = child_start(far_node, "far", hears_of_it, &theirs);
    peers_join(a, b);
    child_wait(b, "heard");
    child_tell(a, "end");
    child_join(a);
    child_tell(b, "end");
    child_join(b);
    setting_assert_baseline();
}
END_TEST

static Suite *rdma_suite(void)
{
    Suite *suite = suite_create("rdma");
    ADD(suite, messages, SETTINGS);
    ADD(suite, remote_memory, 2 * SETTINGS);
    ADD(suite, write_with_immediate, SETTINGS);
    ADD(suite, permissions, ARRAY_SIZE(permission_cases));
    ADD(suite, full_queue, SETTINGS);
    ADD(suite, in_order, SETTINGS);
    ADD(suite, no_need_to_ask, SETTINGS);
    return suite;
}

int main(void)
{
    return run_suite(rdma_suite());
}
