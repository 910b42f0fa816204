// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "turns.h"

#include "clock.h"

#include <assert.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>

#define TURN_NS  25000 // of one user
#define ROUND_NS 50000 // then the loop looks whether others have come

struct turns {
    struct list users;   // those who wait, whose turn is next first
    struct event *round; // pending, or active, while there are any
    struct turn *taking; // the turn that is being taken; NULL if it was dropped meanwhile
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

// The user stays first in the list during its turn: if it goes, it is not there any more.
static void serve(struct turns *turns, struct turn_user *user)
{
    uint64_t until = clock_ns() + TURN_NS;

    do
        take(turns, user);
    while (is_waiting(turns, user) && !list_empty(&user->waiting) && clock_ns() < until);
    if (!is_waiting(turns, user))
        return;
    list_remove(&user->in_turns);
    if (!list_empty(&user->waiting))
        list_append(&turns->users, &user->in_turns);
}

static void on_round(evutil_socket_t fd, short what, void *arg)
{
    struct turns *turns = arg;
    uint64_t until = clock_ns() + ROUND_NS;
    const struct timeval now = {0};
    (void)fd;
    (void)what;

    while (!list_empty(&turns->users) && clock_ns() < until)
        serve(turns, list_entry(turns->users.next, struct turn_user, in_turns));
    if (!list_empty(&turns->users))
        event_add(turns->round, &now); // after the loop has looked for new events
}

struct turns *turns_new(struct event_base *base)
{
    struct turns *turns = calloc(1, sizeof(*turns));
    if (!turns)
        return NULL;
    list_init(&turns->users);
    turns->round = event_new(base, -1, 0, on_round, turns);
    if (turns->round)
        return turns;
    free(turns);
    return NULL;
}

struct turns *turns_free(struct turns *turns)
{
    if (!turns)
        return NULL;
    assert(list_empty(&turns->users));
    event_free(turns->round);
    free(turns);
    return NULL;
}

void turn_user_init(struct turn_user *user)
{
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
    if (!list_linked(&turn->user->in_turns))
        list_append(&turns->users, &turn->user->in_turns);
    // The first of those who came in this round of the loop lets all of them come.
    if (nobody && !event_pending(turns->round, EV_TIMEOUT, NULL))
        event_active(turns->round, EV_TIMEOUT, 0);
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
