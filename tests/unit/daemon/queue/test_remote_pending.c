// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests on their way to another machine, when docad dies between any two steps.

#include "remote_pending.h"

#include "cleanup.h"
#include "unit.h"

#include <fcntl.h>
#include <string.h>

static struct qp_client client;
static struct qp_server ring;
static struct remote_pending *pending;
static int file, memfd, doorbell;

static void setup(void)
{
    int fds[3];
    ck_assert_int_eq(qp_server_init(&ring, fds), 0);
    memfd = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
    doorbell = fcntl(fds[1], F_DUPFD_CLOEXEC, 0);
    ck_assert_int_eq(qp_client_init(&client, fds[0], fds[1], fds[2]), 0);
    ck_assert_int_eq(remote_pending_new(&pending, &file), 0);
}

static void teardown(void)
{
    qp_client_fini(&client);
    qp_server_fini(&ring);
    remote_pending_close(pending);
    close_fdp(&file);
    close_fdp(&memfd);
    close_fdp(&doorbell);
}

// docad dies, and another one follows.
static void reopen(void)
{
    int fds[3] = {fcntl(memfd, F_DUPFD_CLOEXEC, 0), fcntl(doorbell, F_DUPFD_CLOEXEC, 0),
                  fcntl(ring.channel, F_DUPFD_CLOEXEC, 0)};
    qp_server_fini(&ring);
    remote_pending_close(pending);
    ck_assert_int_eq(qp_server_restore(&ring, fds), 0);
    ck_assert_int_eq(remote_pending_open(&pending, file, &ring), 0);
}

static void ask(uint32_t tag)
{
    ck_assert(qp_post(&client, &(struct qp_request){.tag = tag, .length = 1, .opcode = QP_READ}));
    qp_ring(&client);
}

static uint32_t take(void)
{
    uint32_t number = remote_pending_free_number(pending);
    ck_assert_int_eq(remote_pending_take(pending, &ring, number), 1);
    return number;
}

static void expect_pending(unsigned n, const uint32_t *tags)
{
    uint32_t numbers[QP_ENTRIES];
    ck_assert_uint_eq(remote_pending_list(pending, numbers), n);
    for (unsigned i = 0; i < n; i++)
        ck_assert_uint_eq(remote_pending_get(pending, numbers[i])->tag, tags[i]);
}

static void expect_completed(uint32_t tag)
{
    struct qp_completion done;
    ck_assert(qp_poll(&client, &done));
    ck_assert_uint_eq(done.tag, tag);
    ck_assert(!qp_poll(&client, &done));
}

// Answers come in another order than requests; numbers are used again; orders wrap.
START_TEST(requests_are_kept_in_order)
{
    setup();
    pending->taken = pending->completed = UINT32_MAX - 1; // as after many
    client.head = client.completion_tail = ring.tail = ring.completion_head = UINT32_MAX - 1;
    client.shared->request_head = client.shared->request_tail = UINT32_MAX - 1;
    client.shared->completion_head = client.shared->completion_tail = UINT32_MAX - 1;
    for (uint32_t tag = 1; tag <= 4; tag++)
        ask(tag);
    uint32_t first = take(), second = take();
    take();
    ck_assert_int_eq(remote_pending_complete(pending, &ring, first, 0), 0);
    expect_completed(1);
    ck_assert_ptr_null(remote_pending_get(pending, first));
    ck_assert_uint_eq(take(), first);
    reopen();
    expect_pending(3, (const uint32_t[]){2, 3, 4});
    ck_assert_int_eq(remote_pending_complete(pending, &ring, first, 0), 0);
    expect_completed(4);
    ck_assert_int_eq(remote_pending_complete(pending, &ring, second, 0), 0);
    expect_completed(2);
    expect_pending(1, (const uint32_t[]){3});
    struct qp_request none;
    ck_assert_int_eq(qp_server_next(&ring, &none), 0);
    teardown();
}
END_TEST

// Out of the ring, and not noted as taken: it is in the ring still.
START_TEST(dies_while_it_takes)
{
    struct qp_request r;
    setup();
    ask(7);
    ask(8);
    take();
    pending->entries[1].order = pending->taken;
    pending->used |= 2;
    ck_assert_int_eq(qp_server_next(&ring, &r), 1);
    reopen();
    expect_pending(1, (const uint32_t[]){7});
    take();
    expect_pending(2, (const uint32_t[]){7, 8});
    teardown();
}
END_TEST

// Before, in the midst of, and after each step of a completion: it comes once.
START_TEST(dies_while_it_completes)
{
    for (int steps = 0; steps < 5; steps++) {
        setup();
        ask(7);
        ask(8);
        uint32_t number = take();
        take();
        if (steps > 0)
            pending->completing = number;
        if (steps > 1)
            ck_assert_int_eq(qp_server_complete(&ring, 7, 0), 0);
        if (steps > 2)
            pending->used &= ~(UINT64_C(1) << number);
        if (steps > 3)
            pending->completed++;
        reopen();
        if (steps > 1) {
            expect_pending(1, (const uint32_t[]){8});
        } else {
            expect_pending(2, (const uint32_t[]){7, 8});
            ck_assert_int_eq(remote_pending_complete(pending, &ring, number, 0), 0);
        }
        expect_completed(7);
        ck_assert_uint_eq(pending->completed, 1);
        teardown();
    }
}
END_TEST

START_TEST(all_numbers_are_used)
{
    setup();
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        ask(i);
        take();
    }
    ck_assert_uint_eq(remote_pending_free_number(pending), REMOTE_NONE);
    ck_assert_ptr_null(remote_pending_get(pending, QP_ENTRIES));
    reopen();
    ck_assert_uint_eq(remote_pending_free_number(pending), REMOTE_NONE);
    teardown();
}
END_TEST

UNIT_MAIN("rc pending", requests_are_kept_in_order, dies_while_it_takes, dies_while_it_completes,
          all_numbers_are_used)
