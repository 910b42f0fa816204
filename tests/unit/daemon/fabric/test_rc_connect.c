// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connecting to another machine while ibverbs looks for the way there, without a device:
// connecting waits for a gate here, and what is released is counted.

#include "chores.h"
#include "cleanup.h"
#include "rc_connect.h"
#include "rc_device.h"
#include "unit.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct event_base *base;
static struct rc_device device;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; // held: connecting waits
static atomic_int tried, released;
static bool answers;

doca_error_t __wrap_verbs_rc_connect(struct verbs_rc *rc, const struct verbs_address *other,
                                     struct errtext *err);
void __wrap_verbs_rc_destroy(struct verbs_rc *rc);

doca_error_t __wrap_verbs_rc_connect(struct verbs_rc *rc, const struct verbs_address *other,
                                     struct errtext *err)
{
    (void)rc;
    ck_assert_uint_eq(other->qpn, 17);
    tried++;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return answers ? DOCA_SUCCESS
                   : errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "attempt %d", (int)tried);
}

void __wrap_verbs_rc_destroy(struct verbs_rc *rc)
{
    (void)rc;
    released++;
}

// The result of one connection.
struct outcome {
    bool over, connected;
    char why[64];
};

static void on_connected(void *arg, const char *why)
{
    struct outcome *outcome = arg;
    outcome->over = true;
    outcome->connected = !why;
    snprintf(outcome->why, sizeof(outcome->why), "%s", why ? why : "");
}

static void setup(void)
{
    base = event_base_new();
    device = (struct rc_device){.references = 1, .name = "fake"};
    device.connecting = chores_new(base, "test-connect");
    ck_assert_ptr_nonnull(device.connecting);
    tried = released = 0;
    answers = true;
}

// Whatever is under way comes to its end, and nobody has the device any more.
static void teardown(void)
{
    ck_assert(chores_free(device.connecting));
    ck_assert_uint_eq(device.references, 1);
    event_base_free(base);
}

static struct rc_parts parts_new(void)
{
    device.references++;
    return (struct rc_parts){.device = &device, .rc = {.other = {.qpn = 17}}};
}

static struct rc_connect *begin(const struct rc_parts *parts, struct outcome *outcome)
{
    struct rc_connect *connect;
    *outcome = (struct outcome){0};
    ck_assert_int_eq(rc_connect_new(&connect, parts, on_connected, outcome, NULL), DOCA_SUCCESS);
    return connect;
}

static void wait_for(const struct outcome *outcome)
{
    while (!outcome->over)
        event_base_loop(base, EVLOOP_ONCE);
}

static void wait_until_tried(void)
{
    while (tried == 0)
        sched_yield();
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

START_TEST(the_loop_goes_on_meanwhile)
{
    const struct timeval now = {0};
    struct outcome outcome;
    bool turned = false;

    setup();
    struct rc_parts parts = parts_new();
    pthread_mutex_lock(&gate);
    begin(&parts, &outcome);
    wait_until_tried();
    event_base_once(base, -1, EV_TIMEOUT, on_turn, &turned, &now);
    while (!turned)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert(!outcome.over);
    pthread_mutex_unlock(&gate);
    wait_for(&outcome);
    ck_assert(outcome.connected);
    ck_assert_int_eq(released, 0); // they are ours
    rc_parts_release(&parts);
    ck_assert_int_eq(released, 1);
    teardown();
}
END_TEST

START_TEST(those_that_wait_for_the_same_wait_once)
{
    struct rc_parts parts[3];
    struct outcome outcomes[3];

    setup();
    answers = false;
    pthread_mutex_lock(&gate);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        parts[i] = parts_new();
        begin(&parts[i], &outcomes[i]);
    }
    wait_until_tried();
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        wait_for(&outcomes[i]);
        ck_assert(!outcomes[i].connected);
        ck_assert_str_eq(outcomes[i].why, "attempt 1");
        rc_parts_release(&parts[i]);
    }
    ck_assert_int_eq(tried, 1);
    teardown();
}
END_TEST

START_TEST(a_later_one_is_tried_again)
{
    struct outcome outcome;

    setup();
    answers = false;
    struct rc_parts parts = parts_new();
    begin(&parts, &outcome);
    wait_for(&outcome);
    answers = true;
    device.unreached.found_ms--; // that was in the millisecond before
    begin(&parts, &outcome);
    wait_for(&outcome);
    ck_assert(outcome.connected);
    rc_parts_release(&parts);
    teardown();
}
END_TEST

// The queue pair is in the thread's hands, and another one has not been begun.
START_TEST(abandoned_ones_are_released_after_the_thread)
{
    struct outcome first, second, last;

    setup();
    struct rc_parts parts[3] = {parts_new(), parts_new(), parts_new()};
    pthread_mutex_lock(&gate);
    struct rc_connect *under_way = begin(&parts[0], &first);
    struct rc_connect *waiting = begin(&parts[1], &second);
    wait_until_tried();
    ck_assert_ptr_null(rc_connect_abandon(under_way));
    ck_assert_ptr_null(rc_connect_abandon(waiting));
    event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_int_eq(released, 0);
    pthread_mutex_unlock(&gate);
    begin(&parts[2], &last);
    wait_for(&last);
    ck_assert_int_eq(tried, 2);
    ck_assert_int_eq(released, 2);
    ck_assert(!first.over && !second.over);
    rc_parts_release(&parts[2]);
    teardown();
}
END_TEST

START_TEST(abandoned_ones_end_with_docad)
{
    struct outcome outcome;

    setup();
    struct rc_parts parts = parts_new();
    rc_connect_abandon(begin(&parts, &outcome));
    teardown();
    ck_assert_int_eq(released, 1);
    ck_assert(!outcome.over);
}
END_TEST

UNIT_MAIN("rc_connect", the_loop_goes_on_meanwhile, those_that_wait_for_the_same_wait_once,
          a_later_one_is_tried_again, abandoned_ones_are_released_after_the_thread,
          abandoned_ones_end_with_docad)
