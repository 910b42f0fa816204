// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whoever wakes the engine wakes it for others, too: which of the queue pairs that sleep it looks
// at. Time stands still but for what the test lets pass, and no queue pair is polled while idle.

#include "engine_owned.h"
#include "unit.h"

#include <doca_error.h>

#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOKS   64      // DOZING_LOOKS of engine_threads.c
#define DOZE_NS 2000000 // that file's, too
#define MANY    (LOOKS + 6)

static _Atomic uint64_t now_ns = 1000000000;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t ns = now_ns;

    if (clock != CLOCK_MONOTONIC) // which is asked how long to wait for the threads' end
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return 0;
}

static struct qp_client one, others[MANY];
static unsigned n_others;
static struct qp_request request;

static void setup(unsigned n)
{
    struct engine_options options = ENGINE_OPTIONS_DEFAULT;
    options.spin_ns = 0;
    owned_setup_with(&options);
    request = (struct qp_request){(uintptr_t)owned, 8, grant(owned, 100, false), 0, 0, QP_READ, 0};
    n_others = n;
    open_queue_pair(&one);
    for (unsigned i = 0; i < n; i++)
        open_queue_pair(&others[i]);
}

static void teardown(void)
{
    for (unsigned i = 0; i < n_others; i++)
        qp_client_fini(&others[i]);
    qp_client_fini(&one);
    owned_teardown();
}

static void await_sleep(const struct qp_client *client)
{
    struct engine_totals totals;
    while (!atomic_load(&client->shared->engine_sleeping))
        sched_yield();
    engine_totals(engine, &totals); // its lock: the thread has put it among those that sleep
}

// It is the last one that falls asleep.
static void put_to_sleep(struct qp_client *client)
{
    ck_assert_uint_eq(run(client, request), DOCA_SUCCESS);
    await_sleep(client);
}

static void all_sleep(void)
{
    put_to_sleep(&one);
    for (unsigned i = 0; i < n_others; i++)
        put_to_sleep(&others[i]);
}

// Requests that nobody wakes the engine for.
static void all_publish(void)
{
    for (unsigned i = 0; i < n_others; i++) {
        ck_assert(qp_post(&others[i], &request));
        ck_assert(qp_publish(&others[i]));
    }
}

// Answered, without having woken the engine.
static void all_answered(unsigned from)
{
    for (unsigned i = from; i < n_others; i++) {
        ck_assert_uint_eq(wait_completion(&others[i]).status, DOCA_SUCCESS);
        await_sleep(&others[i]);
    }
}

// Not taken by an engine that has done all it was woken for: the one comes after the others.
static void none_taken(unsigned to)
{
    ck_assert_uint_eq(run(&one, request), DOCA_SUCCESS);
    for (unsigned i = 0; i < to; i++)
        ck_assert(!qp_all_taken(&others[i]));
    for (unsigned i = 0; i < to; i++) {
        qp_wake(&others[i]);
        ck_assert_uint_eq(wait_completion(&others[i]).status, DOCA_SUCCESS);
        await_sleep(&others[i]);
    }
}

START_TEST(one_rings_for_all)
{
    setup(5);
    all_sleep();
    all_publish();
    put_to_sleep(&one);
    all_answered(0);
    teardown();
}
END_TEST

START_TEST(only_so_many_are_looked_at)
{
    setup(MANY);
    all_sleep();
    all_publish();
    put_to_sleep(&one);
    all_answered(MANY - LOOKS); // those that fell asleep last
    none_taken(MANY - LOOKS);
    teardown();
}
END_TEST

START_TEST(who_has_slept_for_long_is_not_looked_at)
{
    setup(5);
    all_sleep();
    all_publish();
    now_ns += DOZE_NS;
    put_to_sleep(&one);
    all_answered(0);
    all_publish();
    now_ns += DOZE_NS + 1;
    put_to_sleep(&one);
    none_taken(5);
    teardown();
}
END_TEST

UNIT_MAIN("engine_dozing", one_rings_for_all, only_so_many_are_looked_at,
          who_has_slept_for_long_is_not_looked_at)
