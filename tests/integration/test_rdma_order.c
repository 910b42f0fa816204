// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA between two sides that connect one after the other, in either order. Whatever is
// submitted before the other side has connected waits for it.

#include "rdma_setting.h"

#include "kernel.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD_BEFORE 5u
#define WORD_AFTER  9u
#define LENGTH      64u
#define RECEIVE_AT  4096u
#define LOOKS       50 // at a job that is to wait

static uint8_t brokered[3 * 65536] __attribute__((aligned(8))) = {1};

static const int kinds[] = {
    DOCA_RDMA_JOB_SEND,
    DOCA_RDMA_JOB_SEND_IMM,
    DOCA_RDMA_JOB_READ,
    DOCA_RDMA_JOB_WRITE,
    DOCA_RDMA_JOB_WRITE_IMM,
    DOCA_RDMA_JOB_ATOMIC_CMP_SWP,
    DOCA_RDMA_JOB_ATOMIC_FETCH_ADD,
};

static bool completes_a_receive(int kind)
{
    return kind == DOCA_RDMA_JOB_SEND || kind == DOCA_RDMA_JOB_SEND_IMM ||
           kind == DOCA_RDMA_JOB_WRITE_IMM;
}

static bool writes(int kind)
{
    return kind == DOCA_RDMA_JOB_WRITE || kind == DOCA_RDMA_JOB_WRITE_IMM;
}

static bool is_atomic(int kind)
{
    return kind >= DOCA_RDMA_JOB_ATOMIC_CMP_SWP;
}

// ---- the two sides

static struct blob exchange(struct peer *p, struct blob *map)
{
    struct blob mine[2] = {peer_export(p), peer_export_map(p)}, theirs[2];
    child_send(p->self, mine, sizeof(mine));
    ck_assert_uint_eq(child_receive(p->self, theirs, sizeof(theirs)), sizeof(theirs));
    *map = theirs[1];
    return theirs[0];
}

static void assert_all(const uint8_t *p, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(p[i], value);
}

// Until it has connected, its memory stays as it was filled.
static void own_once(struct peer *p, int kind)
{
    struct blob map, other;
    uint64_t word = WORD_BEFORE;
    struct doca_buf *room = peer_room(p, RECEIVE_AT, LENGTH);

    memset(p->memory, 0x11, 2 * RECEIVE_AT);
    if (completes_a_receive(kind))
        ck_assert_success(peer_try_recv(p, room));
    other = exchange(p, &map);
    child_wait(p->self, "connect");
    assert_all(p->memory, 2 * RECEIVE_AT, 0x11);
    memset(p->memory, 0x22, 2 * RECEIVE_AT);
    if (is_atomic(kind))
        memcpy(p->memory, &word, sizeof(word));
    // The other side may have done its work, and left, before this returns.
    ck_assert_success(doca_rdma_connect(p->rdma, other.bytes, other.length));
    child_tell(p->self, "connected");
    if (completes_a_receive(kind))
        ck_assert_success(peer_wait(p));
    child_wait(p->self, "look");
    memcpy(&word, p->memory, sizeof(word));
    if (is_atomic(kind))
        ck_assert_uint_eq(word, WORD_AFTER);
    ck_assert_int_eq(is_pattern(p->memory, LENGTH, 9), writes(kind));
    ck_assert_int_eq(is_pattern(p->memory + RECEIVE_AT, LENGTH, 9),
                     completes_a_receive(kind) && !writes(kind));
    drop(room);
    peer_restart(p);
}

static void owns(struct peer *p)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        own_once(p, kinds[i]);
}

static bool requester_first; // to connect

// Nothing happens, and a sleeper is woken by the other side's connecting if by anything.
static void assert_waits(struct peer *p)
{
    struct pollfd handle = {.fd = p->handle, .events = POLLIN};

    for (int i = 0; i < LOOKS; i++)
        ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
    if (p->plan.event)
        ck_assert_success(doca_workq_event_handle_arm(p->workq));
    child_tell(p->self, "waiting");
    if (!p->plan.event)
        return;
    ck_assert_msg(poll(&handle, 1, HARNESS_LIMIT_MS) == 1, "nobody wakes the sleeper");
    ck_assert_success(doca_workq_event_handle_clear(p->workq, p->handle));
}

static doca_error_t submit(struct peer *p, int kind, struct doca_buf *local,
                           struct doca_buf *remote)
{
    static const uint32_t immediate = 0xABCD;

    switch (kind) {
    case DOCA_RDMA_JOB_SEND:
    case DOCA_RDMA_JOB_SEND_IMM:
        return peer_try_send(p, local, kind == DOCA_RDMA_JOB_SEND ? NULL : &immediate);
    case DOCA_RDMA_JOB_READ:
        return peer_try_access(p, kind, local, remote);
    case DOCA_RDMA_JOB_WRITE:
    case DOCA_RDMA_JOB_WRITE_IMM:
        return peer_try_access(p, kind, remote, local);
    case DOCA_RDMA_JOB_ATOMIC_CMP_SWP:
        return peer_try_atomic(p, kind, remote, local, WORD_AFTER, WORD_BEFORE);
    default:
        return peer_try_atomic(p, kind, remote, local, WORD_AFTER - WORD_BEFORE, 0);
    }
}

static void connect_when_told(struct peer *p)
{
    struct blob map, other = exchange(p, &map);

    child_wait(p->self, "connect");
    peer_connect(p, &other);
    peer_import(p, &map);
}

static void request_once(struct peer *p, int kind)
{
    size_t length = is_atomic(kind) ? sizeof(uint64_t) : LENGTH;
    uint64_t word;

    connect_when_told(p);
    pattern(p->memory, LENGTH, 9);
    struct doca_buf *local = peer_buf(p, 0, length), *remote = peer_remote_buf(p, 0, length);
    ck_assert_success(submit(p, kind, local, remote));
    if (requester_first)
        assert_waits(p);
    ck_assert_success(peer_wait(p));
    memcpy(&word, p->memory, sizeof(word));
    if (is_atomic(kind))
        ck_assert_uint_eq(word, WORD_BEFORE);
    if (kind == DOCA_RDMA_JOB_READ)
        assert_all(p->memory, LENGTH, 0x22);
    drop(local);
    drop(remote);
    peer_restart(p); // at once
    child_tell(p->self, "ended");
}

static void requests(struct peer *p)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        request_once(p, kinds[i]);
}

// ---- either order

static void pass_details(struct child *a, struct child *b)
{
    struct blob of_a[2], of_b[2];
    ck_assert_uint_eq(child_receive(a, of_a, sizeof(of_a)), sizeof(of_a));
    ck_assert_uint_eq(child_receive(b, of_b, sizeof(of_b)), sizeof(of_b));
    child_send(a, of_b, sizeof(of_b));
    child_send(b, of_a, sizeof(of_a));
}

static void meet_in_order(struct child *owner, struct child *requester)
{
    pass_details(owner, requester);
    if (requester_first) {
        child_tell(requester, "connect");
        child_wait(requester, "waiting");
    }
    child_tell(owner, "connect");
    child_wait(owner, "connected");
    if (!requester_first)
        child_tell(requester, "connect");
    child_wait(requester, "ended");
    child_tell(owner, "look");
}

// The requester connects first in the first half; in each half, mapped memory comes before
// brokered.
START_TEST(either_order)
{
    struct peers both = peers_plan(_i % SETTINGS);
    requester_first = _i / SETTINGS / 2 == 0;
    if (_i / SETTINGS % 2) {
        both.ours.memory = brokered;
        both.ours.size = sizeof(brokered);
    }
    peers_start(&both, owns, requests);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        meet_in_order(both.near, both.far);
    peers_end(&both);
}
END_TEST

// ---- several that wait

#define SEVERAL 5

// In their order, once the other side has connected: what one leaves the next one finds.
static void requests_several(struct peer *p)
{
    uint64_t word = WORD_BEFORE;
    connect_when_told(p);
    memcpy(p->memory, &word, sizeof(word));
    struct doca_buf *set = peer_buf(p, 0, 8), *before = peer_buf(p, 8, 8),
                    *after = peer_buf(p, 16, 8), *there = peer_remote_buf(p, 0, 8);
    ck_assert_success(submit(p, DOCA_RDMA_JOB_WRITE, set, there));
    ck_assert_success(peer_try_send(p, NULL, NULL));
    ck_assert_success(submit(p, DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, before, there));
    ck_assert_success(submit(p, DOCA_RDMA_JOB_READ, after, there));
    ck_assert_success(peer_try_send(p, set, NULL));
    assert_waits(p);
    for (int i = 0; i < SEVERAL; i++)
        ck_assert_success(peer_wait(p));
    memcpy(&word, p->memory + 8, sizeof(word));
    ck_assert_uint_eq(word, WORD_BEFORE);
    memcpy(&word, p->memory + 16, sizeof(word));
    ck_assert_uint_eq(word, WORD_AFTER);
    drop(set);
    drop(before);
    drop(after);
    drop(there);
    child_tell(p->self, "ended");
}

static void owns_while_several_wait(struct peer *p)
{
    struct blob map, other;
    uint64_t word;
    memset(p->memory, 0, 8);
    struct doca_buf *room = peer_room(p, RECEIVE_AT, 8);
    ck_assert_success(peer_try_recv(p, NULL));
    ck_assert_success(peer_try_recv(p, room));
    other = exchange(p, &map);
    child_wait(p->self, "connect");
    ck_assert_success(doca_rdma_connect(p->rdma, other.bytes, other.length));
    child_tell(p->self, "connected");
    ck_assert_success(peer_wait(p));
    ck_assert_success(peer_wait(p));
    memcpy(&word, p->memory + RECEIVE_AT, sizeof(word));
    ck_assert_uint_eq(word, WORD_BEFORE);
    memcpy(&word, p->memory, sizeof(word));
    ck_assert_uint_eq(word, WORD_AFTER);
    child_wait(p->self, "look");
    drop(room);
}

START_TEST(several_wait)
{
    struct peers both = peers_plan(_i);
    requester_first = true;
    peers_start(&both, owns_while_several_wait, requests_several);
    meet_in_order(both.near, both.far);
    peers_end(&both);
}
END_TEST

// ---- one side never connects

static void never_connects(struct peer *p)
{
    struct blob map;
    exchange(p, &map);
    child_wait(p->self, "leave");
}

static void waits_in_vain(struct peer *p)
{
    connect_when_told(p);
    struct doca_buf *local = peer_buf(p, 0, 8), *remote = peer_remote_buf(p, 0, 8);
    ck_assert_success(submit(p, DOCA_RDMA_JOB_WRITE, local, remote));
    ck_assert_success(submit(p, DOCA_RDMA_JOB_READ, local, remote));
    ck_assert_success(peer_try_send(p, local, NULL));
    assert_waits(p);
    for (int i = 0; i < 3; i++)
        ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    drop(local);
    drop(remote);
}

// It leaves, or is killed.
START_TEST(the_owner_never_connects)
{
    bool killed = _i >= SETTINGS;
    struct peers both = peers_plan(_i % SETTINGS);
    peers_start(&both, never_connects, waits_in_vain);
    pass_details(both.near, both.far);
    child_tell(both.far, "connect");
    child_wait(both.far, "waiting");
    if (killed)
        child_kill(both.near);
    else
        child_tell(both.near, "leave");
    child_join(both.far);
    if (!killed)
        child_join(both.near);
    setting_assert_baseline();
}
END_TEST

static void leaves_its_jobs(struct peer *p)
{
    connect_when_told(p);
    struct doca_buf *local = peer_buf(p, 0, 8), *remote = peer_remote_buf(p, 0, 8);
    for (int i = 0; i < 3; i++)
        ck_assert_success(submit(p, DOCA_RDMA_JOB_WRITE, local, remote));
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
    peer_restart(p); // and what waits is gone with it
    drop(local);
    drop(remote);
    child_tell(p->self, "ended");
}

static void connects_too_late(struct peer *p)
{
    struct blob map, other;
    memset(p->memory, 0x11, 8);
    other = exchange(p, &map);
    child_wait(p->self, "connect");
    ck_assert_error(doca_rdma_connect(p->rdma, other.bytes, other.length),
                    DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_INIT);
    assert_all(p->memory, 8, 0x11);
}

START_TEST(the_requester_does_not_wait)
{
    struct peers both = peers_plan(_i);
    peers_start(&both, connects_too_late, leaves_its_jobs);
    pass_details(both.near, both.far);
    child_tell(both.far, "connect");
    child_wait(both.far, "ended");
    child_join(both.far);
    child_tell(both.near, "connect");
    child_join(both.near);
    setting_assert_baseline();
}
END_TEST

// ---- barriers

#define GET_REGISTRATIONS (1 << 9) // Linux 6.3; headers may not know it

// A side that sleeps orders the other side's stores and loads by a barrier of the kernel, which
// reaches only processes that have registered.
static void hears_barriers(struct peer *p)
{

    meet(p);
    long registered = syscall(SYS_membarrier, GET_REGISTRATIONS, 0, 0);
    ck_assert_msg(registered >= 0 ? registered & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
                                  : errno == EINVAL,
                  "the barriers of others do not reach a program that shares a pair");
    child_tell(p->self, "registered");
    child_wait(p->self, "end");
}

START_TEST(barriers_without_docads)
{
    kernel_without_known_barriers();
    struct peers both = peers_run(_i, hears_barriers, hears_barriers);
    child_wait(both.near, "registered");
    child_wait(both.far, "registered");
    child_tell(both.near, "end");
    child_tell(both.far, "end");
    peers_end(&both);
}
END_TEST

static Suite *rdma_suite(void)
{
    Suite *suite = suite_create("rdma order");
    TCase *shared = setting_shared_case(suite);
    ADD(suite, barriers_without_docads, SETTINGS);
    tcase_add_loop_test(shared, either_order, 0, 4 * SETTINGS);
    tcase_add_loop_test(shared, several_wait, 0, SETTINGS);
    tcase_add_loop_test(shared, the_owner_never_connects, 0, 2 * SETTINGS);
    tcase_add_loop_test(shared, the_requester_does_not_wait, 0, SETTINGS);
    return suite;
}

int main(void)
{
    return run_suite(rdma_suite());
}
