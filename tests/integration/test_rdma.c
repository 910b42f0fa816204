// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA between two processes: every job, in order, with full queues, and who may do what.

#include "rdma_setting.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// ---- messages

static const size_t sizes[] = {1,    8,     48,    49,    112,    113,    4096,
                               8191, 32768, 32769, 65536, 300001, 1 << 20};
#define MESSAGES 1000

static void sends(struct peer *p)
{
    uint32_t immediate = 0xABCD1234;
    meet(p);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        pattern(p->memory, sizes[i], (unsigned)i);
        ck_assert_success(peer_send(p, 0, sizes[i]));
        ck_assert_uint_eq(p->result.length, sizes[i]);
    }
    ck_assert_success(peer_send(p, 0, 0)); // empty
    ck_assert_success(peer_try_send(p, NULL, &immediate));
    ck_assert_success(peer_wait(p));
    // Lists, and many at a time.
    struct doca_buf *list = peer_buf(p, 0, 100);
    ck_assert_success(doca_buf_list_chain(list, peer_room(p, 500, 10)));
    ck_assert_success(doca_buf_list_chain(list, peer_buf(p, 1000, 50000)));
    pattern(p->memory, 100, 1);
    pattern(p->memory + 1000, 50000, 2);
    ck_assert_success(peer_try_send(p, list, &immediate));
    ck_assert_success(peer_wait(p));
    drop(list);
    unsigned submitted = 0, done = 0;
    struct doca_buf *bufs[64];
    for (unsigned i = 0; i < 64; i++)
        bufs[i] = peer_buf(p, i * 4096, 8);
    while (done < MESSAGES) {
        while (submitted < MESSAGES && submitted - done < 64) {
            memcpy(p->memory + submitted % 64 * 4096, &submitted, sizeof(submitted));
            ck_assert_success(peer_try_send(p, bufs[submitted++ % 64], NULL));
        }
        ck_assert_success(peer_wait(p));
        done++;
    }
    for (unsigned i = 0; i < 64; i++)
        drop(bufs[i]);
    ck_assert_success(peer_recv(p, 0, 8));
}

static void receives(struct peer *p)
{
    meet(p);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        ck_assert_success(peer_recv(p, 0, p->size));
        ck_assert_uint_eq(p->result.length, sizes[i]);
        ck_assert_int_eq(p->result.opcode, DOCA_RDMA_OPCODE_RECV_SEND);
        ck_assert(is_pattern(p->memory, sizes[i], (unsigned)i));
    }
    ck_assert_success(peer_recv(p, 0, 0));
    ck_assert_uint_eq(p->result.length, 0);
    ck_assert_success(peer_recv(p, 0, 10));
    ck_assert_int_eq(p->result.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
    ck_assert_uint_eq(p->result.immediate_data, 0xABCD1234);
    struct doca_buf *first = peer_room(p, 0, 60), *second = peer_room(p, 100, 100000);
    size_t n;
    ck_assert_success(doca_buf_list_chain(first, second));
    ck_assert_success(peer_try_recv(p, first));
    ck_assert_success(peer_wait(p));
    ck_assert_uint_eq(p->result.length, 50100);
    ck_assert_success(doca_buf_get_data_len(first, &n));
    ck_assert_uint_eq(n, 60);
    ck_assert_success(doca_buf_get_data_len(second, &n));
    ck_assert_uint_eq(n, 50040);
    ck_assert(is_pattern(p->memory, 60, 1));
    ck_assert(is_pattern(p->memory + 140, 50000, 2));
    drop(first);
    struct doca_buf *bufs[32];
    unsigned posted = 0;
    for (unsigned i = 0; i < 32; i++) {
        bufs[i] = peer_room(p, i * 64, 64);
        ck_assert_success(peer_try_recv(p, bufs[posted++ % 32]));
    }
    for (unsigned i = 0; i < MESSAGES; i++) {
        unsigned got;
        ck_assert_success(peer_wait(p));
        ck_assert_uint_eq(p->result.length, 8);
        memcpy(&got, p->memory + i % 32 * 64, sizeof(got));
        ck_assert_uint_eq(got, i);
        if (posted < MESSAGES)
            ck_assert_success(peer_try_recv(p, bufs[posted++ % 32]));
    }
    for (unsigned i = 0; i < 32; i++)
        drop(bufs[i]);
    ck_assert_success(peer_send(p, 0, 8));
}

START_TEST(messages)
{
    struct peers both = peers_plan(_i);
    both.theirs.chain = 4;
    peers_meet(&both, sends, receives);
    peers_end(&both);
}
END_TEST

// ---- memory

static uint8_t brokered[65536 * 3 + 8] __attribute__((aligned(8))) = {1};

static void owner_sleeps(struct peer *p)
{
    pattern(p->memory, p->size, 3);
    meet(p);
    pause(); // until it is killed
}

static void accesses(struct peer *p)
{
    uint64_t before, expected;
    uint8_t was[8];
    meet(p);
    size_t n = p->length < p->size ? p->length - 64 : p->size - 64;
    ck_assert_success(peer_read(p, 0, 0, n));
    ck_assert(is_pattern(p->memory, n, 3));
    ck_assert_uint_eq(p->result.length, n);
    pattern(p->memory, n, 4);
    ck_assert_success(peer_write(p, 0, 0, n));
    memset(p->memory, 0, n);
    ck_assert_success(peer_read(p, 0, 0, n));
    ck_assert(is_pattern(p->memory, n, 4));
    // Copies to a destination without data, and from a list to a list.
    struct doca_buf *dst = peer_room(p, 1, 100), *src = peer_remote_buf(p, 0, 80);
    size_t length;
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src));
    ck_assert_success(peer_wait(p));
    ck_assert_success(doca_buf_get_data_len(dst, &length));
    ck_assert_uint_eq(length, 80);
    ck_assert(is_pattern(p->memory + 1, 80, 4));
    // Bytes without a destination.
    ck_assert_int_eq(peer_try_access(p, DOCA_RDMA_JOB_READ, NULL, src), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(peer_try_access(p, DOCA_RDMA_JOB_WRITE, NULL, dst), DOCA_ERROR_INVALID_VALUE);
    drop(dst);
    drop(src);
    // Nothing at all.
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_READ, NULL, NULL));
    ck_assert_success(peer_wait(p));
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE, NULL, NULL));
    ck_assert_success(peer_wait(p));
    // Atomics at either end of the memory.
    memcpy(was, p->memory + 1, 8);
    for (int end = 0; end < 2; end++) {
        size_t at = end ? (p->length - 8) & ~(size_t)7 : 0;
        uint64_t ten = 10;
        memcpy(p->memory, &ten, 8);
        ck_assert_success(peer_write(p, at, 0, 8));
        for (expected = 10; expected < 60; expected += 5) {
            ck_assert_success(peer_add(p, at, 5, &before));
            ck_assert_uint_eq(before, expected);
        }
        ck_assert_success(peer_swap(p, at, 59, 1, &before));
        ck_assert_uint_eq(before, 60);
        ck_assert_success(peer_swap(p, at, 60, 1, &before));
        ck_assert_uint_eq(before, 60);
        ck_assert_success(peer_add(p, at, 0, &before));
        ck_assert_uint_eq(before, 1);
    }
    child_tell(p->self, "done");
    ck_assert_error(peer_recv(p, 0, 8), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
}

// Mapped memory in the first half of the settings, brokered in the second.
START_TEST(remote_memory)
{
    struct peers both = peers_plan(_i % SETTINGS);
    if (_i >= SETTINGS) {
        both.ours.memory = brokered;
        both.ours.size = sizeof(brokered);
    }
    peers_meet(&both, owner_sleeps, accesses);
    child_wait(both.far, "done");
    child_kill(both.near);
    child_join(both.far);
    setting_assert_baseline();
}
END_TEST

static void writes_with_immediate(struct peer *p)
{
    meet(p);
    struct doca_buf *dst = peer_remote_buf(p, 4096, 5000), *src = peer_buf(p, 0, 5000);
    pattern(p->memory, 5000, 6);
    for (int i = 0; i < 3; i++)
        ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE_IMM, dst, src));
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE_IMM, NULL, NULL));
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_wait(p));
    drop(dst);
    drop(src);
    ck_assert_success(peer_recv(p, 0, 8));
}

static void is_written_to(struct peer *p)
{
    meet(p);
    for (int i = 0; i < 4; i++) {
        ck_assert_success(peer_recv(p, 0, 0));
        ck_assert_int_eq(p->result.opcode, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
        ck_assert_uint_eq(p->result.immediate_data, 0xABCD);
        ck_assert_uint_eq(p->result.length, i < 3 ? 5000 : 0);
        ck_assert(is_pattern(p->memory + 4096, 5000, 6));
    }
    ck_assert_success(peer_send(p, 0, 8));
}

START_TEST(write_with_immediate)
{
    run_both(_i, writes_with_immediate, is_written_to);
}
END_TEST

// ---- permissions

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

static void permits(struct peer *p)
{
    for (int i = 0; i < 3; i++) {
        meet(p);
        child_wait(p->self, "again");
        peer_restart(p);
    }
}

static void tries(struct peer *p)
{
    struct permission_case c;
    uint64_t before;
    for (int i = 0; i < 3; i++) {
        meet(p);
        ck_assert_uint_eq(child_receive(p->self, &c, sizeof(c)), sizeof(c));
        bool allowed = i == 0 ? c.read : i == 1 ? c.write : c.atomic;
        doca_error_t r = i == 0   ? peer_read(p, 0, 0, 64)
                         : i == 1 ? peer_write(p, 0, 0, 64)
                                  : peer_add(p, 0, 1, &before);
        ck_assert_error(r, allowed ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
        ck_assert_int_eq(peer_state(p),
                         allowed ? DOCA_RDMA_STATE_CONNECTED : DOCA_RDMA_STATE_ERROR);
        struct doca_buf *b = peer_buf(p, 0, 1);
        if (!allowed)
            ck_assert_error(peer_try_send(p, b, NULL), DOCA_ERROR_BAD_STATE);
        drop(b);
        child_tell(p->self, "tried");
        peer_restart(p);
    }
}

START_TEST(permissions)
{
    struct permission_case c = permission_cases[_i];
    struct peers both = peers_plan(TWO_NODES);
    both.ours.map = c.map | DOCA_ACCESS_LOCAL_READ_WRITE;
    both.ours.instance = c.instance;
    peers_start(&both, permits, tries);
    for (int i = 0; i < 3; i++) {
        peers_join(both.near, both.far);
        child_send(both.far, &c, sizeof(c));
        child_wait(both.far, "tried");
        child_tell(both.near, "again");
    }
    peers_end(&both);
}
END_TEST

// ---- order and full queues

static void fills_its_queue(struct peer *p)
{
    uint32_t size;
    ck_assert_success(doca_rdma_get_send_queue_size(p->rdma, &size));
    ck_assert_uint_eq(size, 8);
    meet(p);
    struct doca_buf *b = peer_buf(p, 0, 8), *big = peer_buf(p, 0, 40000);
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_try_send(p, i % 2 ? big : b, NULL));
    ck_assert_error(peer_try_send(p, b, NULL), DOCA_ERROR_NO_MEMORY);
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN); // nobody receives
    ck_assert_error(peer_try_send(p, b, NULL), DOCA_ERROR_NO_MEMORY);
    child_tell(p->self, "full");
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_wait(p));
    for (int i = 0; i < 8; i++)
        ck_assert_success(peer_try_recv(p, NULL));
    ck_assert_error(peer_try_recv(p, NULL), DOCA_ERROR_NO_MEMORY);
    drop(b);
    drop(big);
}

static void empties_it(struct peer *p)
{
    meet(p);
    child_wait(p->self, "receive");
    for (int i = 0; i < 8; i++) {
        ck_assert_success(peer_recv(p, 0, 50000));
        ck_assert_uint_eq(p->result.length, i % 2 ? 40000 : 8);
    }
    // The other side closes: before this is submitted, or after.
    struct doca_buf *last = peer_buf(p, 0, 8);
    doca_error_t submitted = peer_try_recv(p, last);
    if (submitted == DOCA_SUCCESS)
        ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_RESET);
    else
        ck_assert_error(submitted, DOCA_ERROR_BAD_STATE);
    drop(last);
}

START_TEST(full_queue)
{
    struct peers both = peers_plan(_i);
    both.ours.queue = 5;
    peers_meet(&both, fills_its_queue, empties_it);
    child_wait(both.near, "full");
    child_tell(both.far, "receive");
    peers_end(&both);
}
END_TEST

// A send and what is written after it: the receiver finds what it was before.
static void sends_then_writes(struct peer *p)
{
    meet(p);
    struct doca_buf *src = peer_buf(p, 0, 64), *dst = peer_remote_buf(p, 0, 64);
    memset(p->memory, 0x55, 64);
    ck_assert_success(peer_try_send(p, src, NULL));
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE, dst, src));
    ck_assert_success(peer_try_send(p, NULL, NULL));
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
    child_tell(p->self, "sent");
    for (int i = 0; i < 3; i++)
        ck_assert_success(peer_wait(p));
    drop(src);
    drop(dst);
    child_wait(p->self, "end");
}

static void finds_them_in_order(struct peer *p)
{
    meet(p);
    child_wait(p->self, "sent");
    ck_assert_uint_eq(p->memory[0], 0); // the write waits for the receive of the send
    ck_assert_success(peer_recv(p, 4096, 64));
    ck_assert_uint_eq(p->memory[4096], 0x55);
    ck_assert_success(peer_recv(p, 0, 0));
    ck_assert_uint_eq(p->memory[0], 0x55);
    child_tell(p->self, "found");
}

START_TEST(in_order)
{
    struct peers both = peers_run(_i, sends_then_writes, finds_them_in_order);
    child_wait(both.near, "sent");
    child_tell(both.far, "sent");
    child_wait(both.far, "found");
    child_tell(both.near, "end");
    peers_end(&both);
}
END_TEST

// ---- what is submitted is on its way, whether or not somebody asks for events

static void does_something_else(struct peer *p)
{
    pattern(p->memory, 64, 8);
    meet(p);
    struct doca_buf *src = peer_buf(p, 0, 64), *dst = peer_remote_buf(p, 4096, 64);
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_WRITE, dst, src));
    ck_assert_success(peer_try_send(p, src, NULL));
    child_wait(p->self, "end");
    ck_assert_success(peer_wait(p));
    ck_assert_success(peer_wait(p));
    drop(src);
    drop(dst);
}

static void hears_of_it(struct peer *p)
{
    meet(p);
    ck_assert_success(peer_recv(p, 0, 64));
    ck_assert(is_pattern(p->memory, 64, 8));
    ck_assert(is_pattern(p->memory + 4096, 64, 8));
    child_tell(p->self, "heard");
    child_wait(p->self, "end");
}

START_TEST(no_need_to_ask)
{
    struct peers both = peers_run(_i, does_something_else, hears_of_it);
    child_wait(both.far, "heard");
    child_tell(both.near, "end");
    child_join(both.near);
    child_tell(both.far, "end");
    child_join(both.far);
    setting_assert_baseline();
}
END_TEST

static Suite *rdma_suite(void)
{
    Suite *suite = suite_create("rdma");
    TCase *shared = setting_shared_case(suite);
    tcase_add_loop_test(shared, messages, 0, SETTINGS);
    tcase_add_loop_test(shared, remote_memory, 0, 2 * SETTINGS);
    tcase_add_loop_test(shared, write_with_immediate, 0, SETTINGS);
    tcase_add_loop_test(shared, permissions, 0, ARRAY_SIZE(permission_cases));
    tcase_add_loop_test(shared, full_queue, 0, SETTINGS);
    tcase_add_loop_test(shared, in_order, 0, SETTINGS);
    tcase_add_loop_test(shared, no_need_to_ask, 0, SETTINGS);
    return suite;
}

int main(void)
{
    return run_suite(rdma_suite());
}
