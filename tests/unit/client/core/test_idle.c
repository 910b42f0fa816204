// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Polls that find nothing: when a thread offers its CPU to others. All is counted in polls,
// and nothing in time.

#include "core/idle.h"
#include "comm_channel/comm_channel.h"
#include "sync_event/sync_event.h"
#include "unit.h"
#include "yields.h"

#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_sync_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#define POLL_NS   20u
#define MOST      1000u // of these in 20 us, the default
#define LEAST     4u    // of those in 3 us, where other threads run on this CPU
#define SHARED_NS 100000000

static _Atomic unsigned yields;
static void (*on_yield)(void);

int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    yields++;
    if (on_yield)
        on_yield();
    yields_ran();
    return __real_sched_yield();
}

// ---- counting -----------------------------------------------------------------------------

static struct idle idle;

// How many polls find nothing until there is a yield.
static unsigned polls_until_yield(void)
{
    unsigned before = yields, polls = 0;
    while (yields == before) {
        idle_poll(&idle, POLL_NS);
        polls++;
    }
    return polls;
}

START_TEST(nobody_yields_before_the_count)
{
    for (int wait = 0; wait < 100; wait++) {
        for (unsigned i = 0; i + 1 < MOST; i++)
            idle_poll(&idle, POLL_NS);
        idle_reset(&idle);
    }
    ck_assert_uint_eq(yields, 0);
}
END_TEST

START_TEST(whoever_waits_on_yields_again)
{
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(polls_until_yield(), MOST);
}
END_TEST

START_TEST(whoever_is_helped_yields_earlier)
{
    unsigned expected = MOST;
    made_up = others_run = true;
    for (int wait = 0; wait < 20; wait++) {
        ck_assert_uint_eq(polls_until_yield(), expected);
        idle_reset(&idle);
        if (wait > 0 && expected > LEAST) // the second wait learns from the first
            expected = expected / 2 > LEAST ? expected / 2 : LEAST;
    }
    ck_assert_uint_eq(expected, LEAST);
}
END_TEST

// News that come from another CPU while nothing runs here are no reason to yield earlier.
START_TEST(nobody_runs_so_no_yield_helps)
{
    made_up = true;
    for (int wait = 0; wait < 20; wait++) {
        ck_assert_uint_eq(polls_until_yield(), MOST);
        idle_reset(&idle);
    }
    ck_assert_uint_eq(asked, 0); // such a yield is short, and costs nothing more
}
END_TEST

// A yield that only took long, because a hypervisor or an interrupt did.
START_TEST(a_long_yield_alone_does_not_help)
{
    made_up = others_run = true;
    polls_until_yield();
    idle_reset(&idle);
    ran_ns += SHARED_NS;
    for (int wait = 0; wait < 20; wait++) {
        switches--; // undoes what the yield will count
        polls_until_yield();
        idle_reset(&idle);
    }
    ck_assert_uint_eq(idle.spin_limit, MOST);
}
END_TEST

START_TEST(whoever_is_not_helped_yields_later_again)
{
    made_up = others_run = true;
    for (int wait = 0; wait < 20; wait++) {
        polls_until_yield();
        idle_reset(&idle);
    }
    ck_assert_uint_le(idle.spin_limit, 2 * LEAST);
    ran_ns += SHARED_NS;
    others_run = false;
    for (int wait = 0; wait < 20; wait++) {
        polls_until_yield();
        idle_poll(&idle, POLL_NS); // in vain
        idle_reset(&idle);
    }
    ck_assert_uint_eq(idle.spin_limit, MOST);
}
END_TEST

// ---- who counts -----------------------------------------------------------------------------

static struct doca_workq *workq_new(void)
{
    struct doca_workq *workq;
    ck_assert_int_eq(doca_workq_create(1, &workq), DOCA_SUCCESS);
    return workq;
}

static void find_nothing(struct doca_workq *workq, unsigned times)
{
    struct doca_event event;
    for (unsigned i = 0; i < times; i++)
        ck_assert_int_eq(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
}

START_TEST(work_queues)
{
    struct doca_workq *workq = workq_new();
    find_nothing(workq, 1000);
    ck_assert_uint_eq(yields, 0);
    find_nothing(workq, 10000);
    ck_assert_uint_ge(yields, 1);
    ck_assert_uint_le(yields, 10);
    doca_workq_destroy(workq);
}
END_TEST

static struct doca_comm_channel_ep_t ep;

static void endpoint_open(void)
{
    struct errtext err;
    ep = (struct doca_comm_channel_ep_t){.max_message = 64, .role = CC_SERVICE};
    list_init(&ep.peers);
    list_init(&ep.pending);
    ep.accept_sock = eventfd(0, EFD_CLOEXEC); // as long as it is there, somebody may come
    ck_assert_int_eq(cc_events_open(&ep, &err), DOCA_SUCCESS);
}

static void endpoint_close(void)
{
    cc_events_close(&ep);
    close_fdp(&ep.accept_sock);
}

START_TEST(receiving)
{
    struct doca_comm_channel_addr_t *from;
    uint8_t message[64];
    endpoint_open();
    for (int i = 0; i < 1000; i++) {
        size_t length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&ep, message, &length, 0, &from),
                         DOCA_ERROR_AGAIN);
        if (i == 99)
            ck_assert_uint_eq(yields, 0);
    }
    ck_assert_uint_ge(yields, 1);
    ck_assert_uint_le(yields, 10);
    endpoint_close();
}
END_TEST

START_TEST(sending)
{
    static struct channel_side theirs; // has taken nothing
    int sock[2], wake[2];
    endpoint_open();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wake), 0);
    struct doca_comm_channel_addr_t full = {.ep = &ep,
                                            .open = true,
                                            .sock = sock[0],
                                            .wake = wake[0],
                                            .theirs = &theirs,
                                            .peer_max_message = 64,
                                            .window = 1,
                                            .now.send_messages = 1};
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(doca_comm_channel_ep_sendto(&ep, "x", 1, 0, &full), DOCA_ERROR_AGAIN);
        if (i == 99)
            ck_assert_uint_eq(yields, 0);
    }
    ck_assert_uint_ge(yields, 1);
    ck_assert_uint_le(yields, 10);
    for (int i = 0; i < 2; i++) {
        close_fdp(&sock[i]);
        close_fdp(&wake[i]);
    }
    endpoint_close();
}
END_TEST

static struct sync_page page;
static struct doca_sync_event event = {
    .state = SE_SYNCHRONOUS, .reach = SE_DIRECT, .page = &page, .word = &page.value};

static void set_event(void)
{
    page.value = 1;
}

START_TEST(sync_events)
{
    on_yield = set_event; // nobody else would
    ck_assert_int_eq(doca_sync_event_wait_gt(&event, 0, UINT64_MAX), DOCA_SUCCESS);
    ck_assert_uint_eq(yields, 1);
}
END_TEST

// ---- two pollers, one CPU ---------------------------------------------------------------------

#define ROUNDS 50

static _Atomic int turn;
static _Atomic unsigned polls;

static void stay_on_one_cpu(void)
{
    cpu_set_t all, one;
    int cpu = 0;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
}

// Waits for its turn, as programs do, and hands it on.
static void *take_turns(void *second)
{
    struct doca_workq *workq = workq_new();
    struct doca_event nothing;
    for (int round = 0; round < ROUNDS; round++) {
        while (turn != (second != NULL)) {
            doca_workq_progress_retrieve(workq, &nothing, 0); // an assertion would take longer
            polls++;
        }
        turn = second == NULL;
    }
    doca_workq_destroy(workq);
    return NULL;
}

START_TEST(pollers_that_share_a_cpu_let_each_other_run)
{
    pthread_t other;
    stay_on_one_cpu();
    ck_assert_int_eq(pthread_create(&other, NULL, take_turns, (void *)1), 0);
    take_turns(NULL);
    pthread_join(other, NULL);
    // A time slice is some 100000 polls.
    ck_assert_uint_le(polls, 2 * ROUNDS * 4096);
}
END_TEST

UNIT_MAIN("idle", nobody_yields_before_the_count, whoever_waits_on_yields_again,
          whoever_is_helped_yields_earlier, nobody_runs_so_no_yield_helps,
          a_long_yield_alone_does_not_help, whoever_is_not_helped_yields_later_again, work_queues,
          receiving, sending, sync_events, pollers_that_share_a_cpu_let_each_other_run)
