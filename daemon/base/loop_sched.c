// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "loop_sched.h"

#include "cleanup.h"
#include "clock.h"

#include <assert.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#define TURN_NS  25000 // of one user
#define ROUND_NS 50000 // then the loop polls for new events

// A user whose turn took LONG_NS or more is throttled for THROTTLE_TIMES as long, but at most for
// THROTTLE_MAX_NS, as the loop may only have been preempted. A group is throttled for GROUP_TIMES
// as long as any turn of one of its members. Both happen only if another user was served within
// RECENT_NS.
#define LONG_NS         100000
#define THROTTLE_TIMES  4
#define THROTTLE_MAX_NS 2000000
#define RECENT_NS       10000000
#define GROUP_TIMES     16

struct sched {
    struct list users;             // with queued items; the first one is served next
    struct event *round;           // pending or active while `users` is not empty, unless:
    bool all_throttled;            // all of them are, and `throttle_end` is pending
    struct event *throttle_end;    // by `timer`
    int timer;                     // libevent's own timers use a coarse clock of some milliseconds
    struct sched_item *running;    // its take() is being called; NULL if it was dequeued in there
    const struct sched_user *last; // served last; only compared, never dereferenced
    uint64_t last_ns, other_ns;    // when it was served, and when another user was
};

static void take(struct sched *sched, struct sched_user *user)
{
    struct sched_item *turn = list_entry(user->waiting.next, struct sched_item, in_user);

    list_remove(&turn->in_user);
    sched->running = turn;
    bool more = turn->take(turn);
    if (more && sched->running == turn && !list_linked(&turn->in_user))
        sched_queue(turn);
    sched->running = NULL;
}

static bool is_waiting(const struct sched *sched, const struct sched_user *user)
{
    return !list_empty(&sched->users) &&
           list_entry(sched->users.next, struct sched_user, in_runnable) == user;
}

static void throttle(const struct sched *sched, struct sched_user *user, uint64_t took,
                     uint64_t now)
{
    uint64_t pause_ns =
        took * THROTTLE_TIMES < THROTTLE_MAX_NS ? took * THROTTLE_TIMES : THROTTLE_MAX_NS;

    if (now - (user->is_internal ? sched->last_ns : sched->other_ns) > RECENT_NS)
        return;
    if (took >= LONG_NS)
        user->throttled_until_ns = now + pause_ns;
    if (user->group)
        user->group->throttled_until_ns = now + took * GROUP_TIMES;
}

static void note_turn(struct sched *sched, const struct sched_user *user, uint64_t now)
{
    if (sched->last != user)
        sched->other_ns = sched->last_ns;
    sched->last = user;
    sched->last_ns = now;
}

// Serves one user. It stays first in the list, so that is_waiting() finds out whether it
// was removed by a take().
static void serve(struct sched *sched, struct sched_user *user)
{
    const bool is_internal = user->is_internal;
    uint64_t begun = clock_ns(), now;

    list_remove(&user->in_runnable);
    list_append(sched->users.next, &user->in_runnable); // before the first
    do {
        take(sched, user);
        now = clock_ns();
    } while (is_waiting(sched, user) && !list_empty(&user->waiting) && now < begun + TURN_NS);
    if (!is_internal)
        note_turn(sched, user, now);
    if (!is_waiting(sched, user))
        return;
    throttle(sched, user, now - begun, now);
    list_remove(&user->in_runnable);
    if (!list_empty(&user->waiting))
        list_append(&sched->users, &user->in_runnable);
}

static uint64_t throttled_until(const struct sched_user *user)
{
    uint64_t until = user->throttled_until_ns;
    return user->group && user->group->throttled_until_ns > until ? user->group->throttled_until_ns
                                                                  : until;
}

// Returns the next user that is not throttled. If there is none, returns NULL and sets *pause_ns to
// the time until the first one may be served.
static struct sched_user *next_user(const struct sched *sched, uint64_t *pause_ns)
{
    struct sched_user *user;
    uint64_t now = clock_ns();

    *pause_ns = UINT64_MAX;
    list_for_each (user, &sched->users, in_runnable) {
        uint64_t until = throttled_until(user);
        if (until <= now)
            return user;
        if (until - now < *pause_ns)
            *pause_ns = until - now;
    }
    return NULL;
}

static void begin_pause(struct sched *sched, uint64_t ns)
{
    const struct itimerspec end = {
        .it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};

    sched->all_throttled = timerfd_settime(sched->timer, 0, &end, NULL) == 0 &&
                           event_add(sched->throttle_end, NULL) == 0;
}

static void end_pause(struct sched *sched)
{
    sched->all_throttled = false;
    event_del(sched->throttle_end);
}

static void on_round(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval at_once;
    struct sched *sched = arg;
    uint64_t until = clock_ns() + ROUND_NS, pause_ns = 0;
    struct sched_user *user;
    (void)fd;
    (void)what;

    while (!list_empty(&sched->users) && clock_ns() < until) {
        if (!(user = next_user(sched, &pause_ns)))
            break;
        pause_ns = 0;
        serve(sched, user);
    }
    if (list_empty(&sched->users))
        return;
    if (pause_ns > 0)
        begin_pause(sched, pause_ns);
    if (!sched->all_throttled)
        event_add(sched->round, &at_once); // after the loop has polled for new events
}

static void on_throttle_end(evutil_socket_t fd, short what, void *arg)
{
    struct sched *sched = arg;

    sched->all_throttled = false;
    on_round(fd, what, sched);
}

struct sched *sched_new(struct event_base *base)
{
    struct sched *sched = calloc(1, sizeof(*sched));
    if (!sched)
        return NULL;
    list_init(&sched->users);
    sched->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    sched->round = event_new(base, -1, 0, on_round, sched);
    // timerfd_settime() makes the timer unreadable again.
    sched->throttle_end = event_new(base, sched->timer, EV_READ, on_throttle_end, sched);
    if (sched->timer >= 0 && sched->round && sched->throttle_end)
        return sched;
    return sched_free(sched);
}

struct sched *sched_free(struct sched *sched)
{
    if (!sched)
        return NULL;
    assert(list_empty(&sched->users));
    if (sched->round)
        event_free(sched->round);
    if (sched->throttle_end)
        event_free(sched->throttle_end);
    close_fdp(&sched->timer);
    free(sched);
    return NULL;
}

void sched_user_init(struct sched_user *user, struct sched_group *group)
{
    user->group = group;
    list_init(&user->in_runnable);
    list_init(&user->waiting);
}

bool sched_user_waits(const struct sched_user *user)
{
    return !list_empty(&user->waiting);
}

void sched_queue(struct sched_item *turn)
{
    struct sched *sched = turn->sched;
    bool none = list_empty(&sched->users);

    if (list_linked(&turn->in_user))
        return;
    list_append(&turn->user->waiting, &turn->in_user);
    bool joins = !list_linked(&turn->user->in_runnable);
    if (joins)
        list_append(&sched->users, &turn->user->in_runnable);
    // Users that begin to wait during a pause end it: they are not throttled.
    if (sched->all_throttled && joins)
        end_pause(sched);
    else if (!none || event_pending(sched->round, EV_TIMEOUT, NULL))
        return;
    event_active(sched->round, EV_TIMEOUT, 0);
}

bool sched_is_throttled(const struct sched_item *turn)
{
    return list_linked(&turn->in_user) && turn->sched->all_throttled;
}

void sched_dequeue(struct sched_item *turn)
{
    if (!turn->sched)
        return;
    if (turn->sched->running == turn)
        turn->sched->running = NULL;
    list_remove(&turn->in_user);
    if (turn->user && list_empty(&turn->user->waiting))
        list_remove(&turn->user->in_runnable);
}

void sched_move(struct sched_item *turn, struct sched_user *user)
{
    bool waits = list_linked(&turn->in_user);
    bool running = turn->sched->running == turn;

    sched_dequeue(turn);
    turn->user = user;
    if (waits)
        sched_queue(turn);
    if (running)
        turn->sched->running = turn;
}
