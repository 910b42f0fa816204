// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of a session. A session may own thousands of objects, and other users wait while they
// end. So after a first slice the rest ends in slices, one in each round of the loop. From the
// beginning no request can use any of it: see `ending` of struct session, and owner_gone() of the
// kinds.

#include "session_end.h"

#include "activity_page.h"
#include "clock.h"
#include "listener.h"
#include "node.h"
#include "object.h"
#include "session.h"
#include "grace_period.h"
#include "user.h"

#include <event2/event.h>

#define SLICE_US    500
#define SLICE_STEPS 4 // objects that end, or pieces of them, before the clock is read again

// Returns false if some of its objects are left.
static bool end_until(struct session *session, uint64_t until)
{
    bool ended;
    do {
        unsigned steps = SLICE_STEPS;
        activity_batch_begin(session->node);
        ended = session_end_some(session, &steps);
        activity_batch_end(session->node);
    } while (!ended && clock_ns() < until);
    return ended;
}

static void begin(struct session *session)
{
    session->ending = true;
    session_uncount(session);
    monitor_end(session);
    work_wait_end(&session->metrics);
    fdstore_drop(&session->stored);
    while (!list_empty(&session->grace_periods))
        grace_period_cancel(
            list_entry(session->grace_periods.next, struct grace_period, in_session));
    KINDS_CALL(session->node, owner_gone, session);
}

static void finish(struct session *session)
{
    struct node *node = session->node;

    list_remove(&session->in_ending);
    if (session->charged && !session->tool)
        MONITOR(node, .event = "session-end", .id = session->id, .owner = session);
    session_work_end(session, &node->counters.ended);
    work_walk_session_ended(session);
    if (session->ended_for)
        grace_period_release(session->ended_for);
    limit_give(&session->user->connections, 1);
    session_fini(session);
    node_changed(node);
    free(session);
    listener_resume(node->listener);
}

// ---- slices -----------------------------------------------------------------------------------

static void next_turn(struct node *node)
{
    event_add(node->ending_turn, &(struct timeval){0}); // after the events that are pending now
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
    struct node *node = arg;
    uint64_t begun = clock_ns(), until = begun + SLICE_US * UINT64_C(1000);
    (void)fd;
    (void)what;

    node->ending_ns = 0;
    while (!list_empty(&node->ending) && clock_ns() < until) {
        struct session *session = list_entry(node->ending.next, struct session, in_ending);
        if (!end_until(session, until))
            break;
        finish(session);
    }
    if (list_empty(&node->ending))
        return;
    node->counters.end_slices++;
    next_turn(node);
}

static bool has_sched(struct node *node)
{
    if (!node->ending_turn)
        node->ending_turn = event_new(node->base, -1, 0, on_turn, node);
    return node->ending_turn != NULL;
}

// In each round of the loop, sessions end immediately until that has taken as long as a slice.
struct session *session_free(struct session *session)
{
    if (!session)
        return NULL;
    struct node *node = session->node;
    uint64_t begun = clock_ns(), left = SLICE_US * UINT64_C(1000);
    bool in_pieces = has_sched(node);

    begin(session);
    left = node->ending_ns < left ? left - node->ending_ns : 0;
    if (!in_pieces) {
        session_end_objects(session, 0);
        finish(session);
        return NULL;
    }
    if (left && end_until(session, begun + left)) {
        finish(session);
    } else {
        list_append(&node->ending, &session->in_ending);
    }
    node->ending_ns += clock_ns() - begun;
    next_turn(node);
    return NULL;
}

void sessions_free_all(struct node *node)
{
    while (!list_empty(&node->sessions)) {
        struct session *session = list_entry(node->sessions.next, struct session, in_node);
        if (!session->ending)
            begin(session);
        session_end_objects(session, 0);
        finish(session);
    }
    if (node->ending_turn)
        event_free(node->ending_turn);
    node->ending_turn = NULL;
}
