// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Long requests go in steps while another user waits. The linker routes the engine's pread() and
// pwrite() to those here, which see the steps.

#include "engine_owned.h"
#include "unit.h"

#include <doca_error.h>

#include <sched.h>
#include <string.h>
#include <unistd.h>

#define WARM  16            // short requests before the long one: whoever posts them is awake then
#define SHIFT 3             // of the long request's first byte
#define SIZE  QP_CHUNK_SIZE // of the long request

ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __real_pwrite(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at);

// All of it is the engine's thread's while `going`.
static struct beside {
    struct qp_client many, one;
    struct qp_request few_bytes, long_request;
    unsigned short_moves, steps;
    size_t longest, moved;
    bool posted, drop;
    int dropped;
    uint32_t status;
} beside;
static _Atomic bool going;

// Whoever posts these always waits.
static void keep_waiting(void)
{
    struct qp_completion c;
    while (qp_poll(&beside.many, &c))
        ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    while (qp_post(&beside.many, &beside.few_bytes))
        ;
    qp_ring(&beside.many);
}

static void on_move(size_t n)
{
    struct qp_completion c;
    if (!atomic_load(&going))
        return;
    keep_waiting();
    beside.short_moves += n == beside.few_bytes.length;
    if (n != beside.few_bytes.length) {
        beside.steps++;
        beside.moved += n;
        beside.longest = n > beside.longest ? n : beside.longest;
        if (beside.drop)
            engine_grant_drop(importer, beside.long_request.key, DOCA_ERROR_CONNECTION_RESET,
                              count_call, &beside.dropped);
        beside.drop = false;
    }
    if (beside.short_moves == WARM && !beside.posted) {
        beside.posted = true;
        ck_assert(qp_post(&beside.one, &beside.long_request));
        qp_ring(&beside.one);
    }
    if (qp_poll(&beside.one, &c)) {
        beside.status = c.status;
        atomic_store(&going, false);
    }
}

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    on_move(n);
    return __real_pread(fd, buf, n, at);
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at)
{
    on_move(n);
    return __real_pwrite(fd, buf, n, at);
}

static uint8_t *data_of(struct qp_client *client)
{
    return &client->shared->data[0][0];
}

// One long request of the importer's, while `user` has short ones.
static void move_beside(uid_t user, enum qp_opcode opcode, bool drop)
{
    struct engine_importer *first, *other;
    struct qp_client starter;
    owned_setup();
    beside = (struct beside){.drop = drop};
    beside.long_request = (struct qp_request){.address = (uintptr_t)owned + SHIFT,
                                              .length = SIZE,
                                              .key = grant(owned, sizeof(owned), true),
                                              .opcode = opcode};
    open_queue_pair(&beside.one);
    for (size_t i = 0; i < SIZE; i++)
        data_of(&beside.one)[i] = (uint8_t)(i / 251);
    first = importer;
    importer = other = importer_new(user);
    beside.few_bytes = (struct qp_request){
        .address = (uintptr_t)owned, .length = 1, .key = grant(owned, 1, false), .opcode = QP_READ};
    open_queue_pair(&beside.many);
    open_queue_pair(&starter);
    importer = first;
    atomic_store(&going, true);
    // One is enough to set it off; from then on the engine's thread does it.
    ck_assert(qp_post(&starter, &beside.few_bytes));
    qp_ring(&starter);
    while (atomic_load(&going))
        sched_yield();
    importers_end(&other, 1);
    qp_client_fini(&starter);
    if (drop)
        run_loop_until(&beside.dropped, 1);
}

static void end_beside(void)
{
    owned_teardown();
    qp_client_fini(&beside.one);
    qp_client_fini(&beside.many);
}

static void assert_in_steps(enum qp_opcode opcode)
{
    move_beside(OTHER, opcode, false);
    ck_assert_uint_eq(beside.status, DOCA_SUCCESS);
    ck_assert_uint_le(beside.longest, SIZE / 8);
    ck_assert_uint_eq(beside.moved, SIZE);
    ck_assert_mem_eq(data_of(&beside.one), owned + SHIFT, SIZE);
    end_beside();
}

START_TEST(a_long_read_goes_in_steps)
{
    assert_in_steps(QP_READ);
}
END_TEST

START_TEST(a_long_write_goes_in_steps)
{
    assert_in_steps(QP_WRITE);
}
END_TEST

START_TEST(a_users_own_clients_wait_for_all_of_it)
{
    move_beside(USER, QP_READ, false);
    ck_assert_uint_eq(beside.status, DOCA_SUCCESS);
    ck_assert_uint_eq(beside.steps, 1);
    ck_assert_mem_eq(data_of(&beside.one), owned + SHIFT, SIZE);
    end_beside();
}
END_TEST

// The queue pair goes on with its next request.
START_TEST(no_step_follows_the_end_of_a_grant)
{
    move_beside(OTHER, QP_READ, true);
    ck_assert_uint_eq(beside.status, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_uint_eq(beside.steps, 1);
    beside.long_request.key = grant(owned, sizeof(owned), true);
    ck_assert_uint_eq(run(&beside.one, beside.long_request), DOCA_SUCCESS);
    ck_assert_mem_eq(data_of(&beside.one), owned + SHIFT, SIZE);
    end_beside();
}
END_TEST

UNIT_MAIN("engine_steps", a_long_read_goes_in_steps, a_long_write_goes_in_steps,
          a_users_own_clients_wait_for_all_of_it, no_step_follows_the_end_of_a_grant)
