// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose turn it is in the loop.

#include "cleanup.h"
#include "clock.h"
#include "loop_sched.h"
#include "unit.h"

#include <event2/event.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// The time that the test says, which goes on by a little whenever somebody looks; 0: the real one.
static uint64_t said_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!said_ns)
        return (int)syscall(SYS_clock_gettime, clock, time);
    said_ns += 5000;
    *time = (struct timespec){(time_t)(said_ns / 1000000000), (long)(said_ns % 1000000000)};
    return 0;
}

static long longest_rest_ns;
static bool rests_pass; // the time that the test says goes on when all rest

int __real_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    if (new->it_value.tv_nsec > longest_rest_ns)
        longest_rest_ns = new->it_value.tv_nsec;
    if (!rests_pass)
        return __real_timerfd_settime(fd, flags, new, old);
    const struct itimerspec now = {.it_value.tv_nsec = 1};
    said_ns += (uint64_t) new->it_value.tv_nsec;
    return __real_timerfd_settime(fd, flags, &now, old);
}

struct wish {
    struct sched_item turn;
    unsigned left, taken;
    void (*then)(struct wish *wish); // called in each turn
};

static struct event_base *base;
static struct sched *sched;
static struct sched_user users[6]; // the last three of a crowd
static struct sched_group crowd;
static struct wish wishes[64];
static unsigned order[256], n_order; // the users, as they were served
static bool other_rested[256];       // users 0 and 1: did the other one rest after the turn before?
static uint64_t turn_end_ns;

static bool take(struct sched_item *turn)
{
    struct wish *w = container_of(turn, struct wish, turn);
    unsigned user = (unsigned)(turn->user - users);
    if (n_order < ARRAY_SIZE(order)) {
        other_rested[n_order] = users[!user].throttled_until_ns > turn_end_ns;
        order[n_order++] = user;
    }
    w->taken++;
    w->left--;
    if (w->then)
        w->then(w);
    turn_end_ns = clock_ns();
    return w->left > 0;
}

static struct wish *wish(unsigned n, unsigned user, unsigned pieces)
{
    wishes[n] =
        (struct wish){.turn = {.sched = sched, .user = &users[user], .take = take}, .left = pieces};
    list_init(&wishes[n].turn.in_user);
    return &wishes[n];
}

static void set_up(void)
{
    base = event_base_new();
    sched = sched_new(base);
    ck_assert_ptr_nonnull(sched);
    n_order = 0;
    for (size_t i = 0; i < ARRAY_SIZE(users); i++)
        sched_user_init(&users[i], i < 3 ? NULL : &crowd);
}

static void tear_down(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(users); i++)
        ck_assert(!sched_user_waits(&users[i]));
    sched_free(sched);
    event_base_free(base);
}

static void run(void)
{
    event_base_loop(base, 0);
}

static void burn(struct wish *w)
{
    (void)w;
    for (volatile unsigned i = 0; i < 400000; i++) // longer than a turn
        ;
}

START_TEST(everything_is_taken)
{
    for (unsigned i = 0; i < 60; i++)
        sched_queue(&wish(i, i % 3, i + 1)->turn);
    run();
    for (unsigned i = 0; i < 60; i++)
        ck_assert_uint_eq(wishes[i].taken, i + 1);
}
END_TEST

START_TEST(users_take_turns)
{
    for (unsigned i = 0; i < 20; i++) {
        sched_queue(&wish(i, 0, 4)->turn);
        wishes[i].then = burn;
    }
    sched_queue(&wish(20, 1, 5)->turn);
    wishes[20].then = burn;
    run();
    // As long as both want, neither is served twice in succession, unless the other one rests.
    ck_assert_uint_eq(order[0], 0);
    unsigned found = 0;
    for (unsigned i = 1; found < 5; i++) {
        ck_assert(order[i] != order[i - 1] || other_rested[i]);
        found += order[i];
    }
}
END_TEST

// A user's wishes take turns among themselves.
START_TEST(wishes_take_turns)
{
    for (unsigned i = 0; i < 4; i++)
        sched_queue(&wish(i, 0, 3)->turn);
    event_base_loop(base, EVLOOP_ONCE);
    for (unsigned i = 1; i < 4; i++)
        ck_assert_uint_ge(wishes[0].taken, wishes[i].taken);
    ck_assert_uint_le(wishes[0].taken, wishes[3].taken + 1);
    run();
}
END_TEST

static void burn_said(struct wish *w)
{
    (void)w;
    said_ns += 200000;
}

static unsigned of_the_other; // pieces of user 0 that user 1 has waited for
static struct event *again;

static void want_soon(struct wish *w)
{
    static const struct timeval now;
    of_the_other += wishes[0].taken;
    wishes[0].taken = 0;
    if (w->left > 0)
        event_add(again, &now);
    else
        said_ns += 1000000000; // nobody else is about
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    sched_queue(arg);
}

static bool take_one(struct sched_item *turn)
{
    take(turn);
    return false;
}

// Who asks for one thing after the other does not wait each time for a long piece of who asks for
// many, who rests.
START_TEST(long_pieces_cost_a_rest)
{
    enum { PIECES = 40, QUESTIONS = 200 };
    said_ns = clock_ns();
    wish(0, 0, PIECES)->then = burn_said;
    wish(1, 1, QUESTIONS)->then = want_soon;
    wishes[1].turn.take = take_one;
    again = event_new(base, -1, 0, on_again, &wishes[1].turn);
    sched_queue(&wishes[0].turn);
    sched_queue(&wishes[1].turn);
    run();
    ck_assert_uint_eq(wishes[1].taken, QUESTIONS);
    ck_assert_uint_eq(wishes[0].left, 0); // all are taken in the end
    ck_assert_uint_lt(of_the_other, PIECES);
    event_free(again);
}
END_TEST

// By a timer that knows less than a tick of the kernel's clock.
START_TEST(a_rest_is_four_times_as_long_as_the_piece)
{
    said_ns = clock_ns();
    longest_rest_ns = 0;
    sched_queue(&wish(1, 1, 1)->turn);
    sched_queue(&wish(0, 0, 3)->turn);
    wishes[0].then = burn_said;
    run();
    ck_assert_uint_eq(wishes[0].left, 0);
    ck_assert_int_ge(longest_rest_ns, 750000); // some of it is over by then
    ck_assert_int_le(longest_rest_ns, 900000);
}
END_TEST

static struct wish *resting;
static bool rested;

static void look_who_rests(struct wish *w)
{
    (void)w;
    rested = sched_is_throttled(&resting->turn);
}

// Who wants a turn while all rest is told so; not who waits for others.
START_TEST(knows_who_rests)
{
    enum { REST_NS = 5000000 };
    said_ns = clock_ns(); // however busy the machine is, that is not over before it is said
    resting = wish(0, 0, 1);
    users[0].throttled_until_ns = clock_ns() + REST_NS;
    ck_assert(!sched_is_throttled(&resting->turn));
    sched_queue(&resting->turn);
    ck_assert(!sched_is_throttled(&resting->turn)); // nobody has looked
    event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    ck_assert(sched_is_throttled(&resting->turn));
    wish(1, 1, 1)->then = look_who_rests;
    rested = true;
    sched_queue(&wishes[1].turn);
    event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    ck_assert_uint_eq(wishes[1].taken, 1);
    ck_assert(!rested);
    ck_assert(sched_is_throttled(&resting->turn));
    said_ns += REST_NS;
    run();
    ck_assert_uint_eq(resting->taken, 1);
    ck_assert(!sched_is_throttled(&resting->turn));
}
END_TEST

// Connections are accepted for whoever comes. A user who makes many, alone, is not made to rest by
// that.
START_TEST(nobody_makes_no_user_rest)
{
    enum { PIECES = 40 };
    said_ns = clock_ns();
    users[2].is_internal = !_i;
    wish(0, 0, PIECES)->then = burn_said;
    wish(1, 2, PIECES);
    sched_queue(&wishes[0].turn);
    sched_queue(&wishes[1].turn);
    while (wishes[0].left || wishes[1].left) {
        event_base_loop(base, EVLOOP_ONCE);
        said_ns += 50000;
    }
    ck_assert_uint_eq(wishes[0].taken, PIECES);
    ck_assert_uint_eq(users[0].throttled_until_ns == 0, !_i);
    users[2].is_internal = false;
}
END_TEST

// Three of a crowd rest together: they get less than three users who are none.
START_TEST(a_crowd_rests_together)
{
    enum { PIECES = 1000000000, ENOUGH = 10000 };
    unsigned strangers = 0, known = 0;

    said_ns = clock_ns();
    rests_pass = true;
    for (unsigned i = 0; i < ARRAY_SIZE(users); i++) {
        wish(i, i, PIECES);
        sched_queue(&wishes[i].turn);
    }
    while (known < ENOUGH) {
        event_base_loop(base, EVLOOP_ONCE);
        known = wishes[0].taken + wishes[1].taken + wishes[2].taken;
        strangers = wishes[3].taken + wishes[4].taken + wishes[5].taken;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(users); i++)
        sched_dequeue(&wishes[i].turn);
    ck_assert_uint_gt(strangers, 0);
    ck_assert_uint_lt(strangers, known / 6);
}
END_TEST

static void want_again(struct wish *w)
{
    if (w->left == 0)
        return;
    sched_queue(&w->turn);
    sched_queue(&w->turn);
}

START_TEST(wanting_twice_is_wanting_once)
{
    wish(0, 0, 1);
    sched_queue(&wishes[0].turn);
    sched_queue(&wishes[0].turn);
    run();
    ck_assert_uint_eq(wishes[0].taken, 1);
    wish(0, 0, 3)->then = want_again;
    sched_queue(&wishes[0].turn);
    event_base_loop(base, EVLOOP_ONCE);
    ck_assert_uint_ge(wishes[0].taken, 1);
    wishes[0].then = NULL;
    run();
}
END_TEST

static void drop_all(struct wish *w)
{
    (void)w;
    for (unsigned i = 0; i < 6; i++)
        sched_dequeue(&wishes[i].turn);
}

// Also the one that is being taken, and those of other users.
START_TEST(dropped_wishes_are_not_taken)
{
    for (unsigned i = 0; i < 6; i++)
        sched_queue(&wish(i, i % 3, 9)->turn);
    wishes[0].then = drop_all;
    run();
    ck_assert_uint_eq(wishes[0].taken, 1);
    for (unsigned i = 1; i < 6; i++)
        ck_assert_uint_le(wishes[i].taken, 1);
}
END_TEST

static void move(struct wish *w)
{
    sched_move(&w->turn, &users[2]);
}

START_TEST(wishes_move_to_another_user)
{
    sched_queue(&wish(0, 0, 3)->turn);
    sched_queue(&wish(1, 1, 3)->turn);
    sched_move(&wishes[1].turn, &users[2]);
    wishes[0].then = move;
    run();
    ck_assert_uint_eq(order[0], 0);
    for (unsigned i = 1; i < n_order; i++)
        ck_assert_uint_eq(order[i], 2);
    ck_assert_uint_eq(wishes[0].taken, 3);
    ck_assert_uint_eq(wishes[1].taken, 3);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        everything_is_taken,
        users_take_turns,
        wishes_take_turns,
        long_pieces_cost_a_rest,
        a_rest_is_four_times_as_long_as_the_piece,
        knows_who_rests,
        a_crowd_rests_together,
        wanting_twice_is_wanting_once,
        dropped_wishes_are_not_taken,
        wishes_move_to_another_user,
    };
    TCase *tcase = tcase_create("loop_sched");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, nobody_makes_no_user_rest, 0, 2);
    return unit_run_case("loop_sched", tcase);
}
