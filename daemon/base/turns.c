// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "turns.h"

#include "cleanup.h"
#include "clock.h"

#include <assert.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#define TURN_NS  25000 // of one user
#define ROUND_NS 50000 // then the loop looks whether others have come

#define LONG_NS     100000   // a turn that took longer costs a rest,
#define REST_TIMES  4        // so many times as long,
#define REST_MAX_NS 2000000  // but no longer than this: the loop may only have been interrupted,
#define ABOUT_NS    10000000 // and only if somebody else was served so recently
#define CROWD_TIMES 16       // the rest of a crowd after any turn of one of them

struct turns {
    struct list users;    // those who wait, whose turn is next first
    struct event *round;  // pending, or active, while there are any, except:
    bool resting;         // all of them rest, and `rested` is pending
    struct event *rested; // by the timer, as the loop's own times are those of the kernel's
    int timer;            // coarse clock, which goes by ticks of some milliseconds
    struct turn *taking;  // the turn that is being taken; NULL if it was dropped meanwhile
    // Who was served last, which is never looked into, and when; and when somebody else was.
    const struct turn_user *last;
    uint64_t last_ns, other_ns;
};

static void take(struct turns *turns, struct turn_user *user)
{
    struct turn *turn = list_entry(user->waiting.next, struct turn, in_user);

    list_remove(&turn->in_user);
    turns->taking = turn;
    bool more = turn->take(turn);
    if (more && turns->taking == turn && !list_linked(&turn->in_user))
        turn_want(turn);
    turns->taking = NULL;
}

static bool is_waiting(const struct turns *turns, const struct turn_user *user)
{
    return !list_empty(&turns->users) &&
           list_entry(turns->users.next, struct turn_user, in_turns) == user;
}

static void rest(const struct turns *turns, struct turn_user *user, uint64_t took, uint64_t now)
{
    uint64_t rest_ns = took * REST_TIMES < REST_MAX_NS ? took * REST_TIMES : REST_MAX_NS;

    if (now - (user->is_nobody ? turns->last_ns : turns->other_ns) > ABOUT_NS)
        return;
    if (took >= LONG_NS)
        user->rests_until_ns = now + rest_ns;
    if (user->crowd)
        user->crowd->rests_until_ns = now + took * CROWD_TIMES;
}

static void note_turn(struct turns *turns, const struct turn_user *user, uint64_t now)
{
    if (turns->last != user)
        turns->other_ns = turns->last_ns;
    turns->last = user;
    turns->last_ns = now;
}

// The user stays first in the list during its turn: if it goes, it is not there any more.
static void serve(struct turns *turns, struct turn_user *user)
{
    const bool is_nobody = user->is_nobody;
    uint64_t begun = clock_ns(), now;

    list_remove(&user->in_turns);
    list_append(turns->users.next, &user->in_turns); // before the first
    do {
        take(turns, user);
        now = clock_ns();
    } while (is_waiting(turns, user) && !list_empty(&user->waiting) && now < begun + TURN_NS);
    if (!is_nobody)
        note_turn(turns, user, now);
    if (!is_waiting(turns, user))
        return;
    rest(turns, user, now - begun, now);
    list_remove(&user->in_turns);
    if (!list_empty(&user->waiting))
        list_append(&turns->users, &user->in_turns);
}

static uint64_t rests_until(const struct turn_user *user)
{
    uint64_t until = user->rests_until_ns;
    return user->crowd && user->crowd->rests_until_ns > until ? user->crowd->rests_until_ns : until;
}

// NULL if all rest, *rest_ns longer at least.
static struct turn_user *next_user(const struct turns *turns, uint64_t *rest_ns)
{
    struct turn_user *user;
    uint64_t now = clock_ns();

    *rest_ns = UINT64_MAX;
    list_for_each (user, &turns->users, in_turns) {
        uint64_t until = rests_until(user);
        if (until <= now)
            return user;
        if (until - now < *rest_ns)
            *rest_ns = until - now;
    }
    return NULL;
}

static void begin_rest(struct turns *turns, uint64_t ns)
{
    const struct itimerspec end = {
        .it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};

    turns->resting =
        timerfd_settime(turns->timer, 0, &end, NULL) == 0 && event_add(turns->rested, NULL) == 0;
}

static void end_rest(struct turns *turns)
{
    turns->resting = false;
    event_del(turns->rested);
}

static void on_round(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval at_once;
    struct turns *turns = arg;
    uint64_t until = clock_ns() + ROUND_NS, rest_ns = 0;
    struct turn_user *user;
    (void)fd;
    (void)what;

    while (!list_empty(&turns->users) && clock_ns() < until) {
        if (!(user = next_user(turns, &rest_ns)))
            break;
        rest_ns = 0;
        serve(turns, user);
    }
    if (list_empty(&turns->users))
        return;
    if (rest_ns > 0)
        begin_rest(turns, rest_ns);
    if (!turns->resting)
        event_add(turns->round, &at_once); // after the loop has looked for new events
}

static void on_rested(evutil_socket_t fd, short what, void *arg)
{
    struct turns *turns = arg;

    turns->resting = false;
    on_round(fd, what, turns);
}

struct turns *turns_new(struct event_base *base)
{
    struct turns *turns = calloc(1, sizeof(*turns));
    if (!turns)
        return NULL;
    list_init(&turns->users);
    turns->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    turns->round = event_new(base, -1, 0, on_round, turns);
    // Setting the timer anew makes it unreadable.
    turns->rested = event_new(base, turns->timer, EV_READ, on_rested, turns);
    if (turns->timer >= 0 && turns->round && turns->rested)
        return turns;
    return turns_free(turns);
}

struct turns *turns_free(struct turns *turns)
{
    if (!turns)
        return NULL;
    assert(list_empty(&turns->users));
    if (turns->round)
        event_free(turns->round);
    if (turns->rested)
        event_free(turns->rested);
    close_fdp(&turns->timer);
    free(turns);
    return NULL;
}

void turn_user_init(struct turn_user *user, struct turn_crowd *crowd)
{
    user->crowd = crowd;
    list_init(&user->in_turns);
    list_init(&user->waiting);
}

bool turn_user_waits(const struct turn_user *user)
{
    return !list_empty(&user->waiting);
}

void turn_want(struct turn *turn)
{
    struct turns *turns = turn->turns;
    bool nobody = list_empty(&turns->users);

    if (list_linked(&turn->in_user))
        return;
    list_append(&turn->user->waiting, &turn->in_user);
    bool joins = !list_linked(&turn->user->in_turns);
    if (joins)
        list_append(&turns->users, &turn->user->in_turns);
    // The first of those who came in this round of the loop lets all of them come.
    if (turns->resting && joins)
        end_rest(turns);
    else if (!nobody || event_pending(turns->round, EV_TIMEOUT, NULL))
        return;
    event_active(turns->round, EV_TIMEOUT, 0);
}

bool turn_rests(const struct turn *turn)
{
    return list_linked(&turn->in_user) && turn->turns->resting;
}

void turn_drop(struct turn *turn)
{
    if (!turn->turns)
        return;
    if (turn->turns->taking == turn)
        turn->turns->taking = NULL;
    list_remove(&turn->in_user);
    if (turn->user && list_empty(&turn->user->waiting))
        list_remove(&turn->user->in_turns);
}

void turn_move(struct turn *turn, struct turn_user *user)
{
    bool waits = list_linked(&turn->in_user);
    bool taking = turn->turns->taking == turn;

    turn_drop(turn);
    turn->user = user;
    if (waits)
        turn_want(turn);
    if (taking)
        turn->turns->taking = turn;
}
