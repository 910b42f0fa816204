// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of a session. A session may own thousands of objects, and others wait while they end. So
// they end in pieces, in turns of its user (loop_sched.h). From the beginning no request can use
// any of it: see `ending` of struct session, and owner_gone() of the kinds.

#include "session_end.h"

#include "activity_page.h"
#include "listener.h"
#include "node.h"
#include "object.h"
#include "session.h"
#include "grace_period.h"
#include "user.h"

#include <limits.h>

static void begin(struct session *session)
{
    session->ending = true;
    session_uncount(session);
    monitor_end(session);
    work_wait_end(&session->metrics);
    sched_dequeue(&session->waking);
    fdstore_drop(&session->stored);
}

static bool forget_answers(struct session *session, unsigned *steps)
{
    while (!list_empty(&session->grace_periods)) {
        if (!kind_step(steps))
            return false;
        grace_period_cancel(
            list_entry(session->grace_periods.next, struct grace_period, in_session));
    }
    return true;
}

static void end_all(struct session *session)
{
    forget_answers(session, &(unsigned){UINT_MAX});
    session_end_objects(session, 0);
}

static void finish(struct session *session)
{
    struct node *node = session->node;

    sched_dequeue(&session->ending_turn);
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

// ---- pieces -----------------------------------------------------------------------------------

static bool take(struct sched_item *turn)
{
    struct session *session = container_of(turn, struct session, ending_turn);
    struct node *node = session->node;
    unsigned steps = SESSION_END_STEPS;

    activity_batch_begin(node);
    bool ended = forget_answers(session, &steps) && session_end_some(session, &steps);
    activity_batch_end(node);
    if (ended) {
        finish(session);
        return false;
    }
    node->counters.end_slices++;
    return true;
}

struct session *session_free(struct session *session)
{
    if (!session)
        return NULL;
    struct node *node = session->node;

    begin(session);
    if (!node->sched) {
        end_all(session);
        finish(session);
        return NULL;
    }
    session->ending_turn =
        (struct sched_item){.sched = node->sched, .user = &session->user->sched, .take = take};
    list_init(&session->ending_turn.in_user);
    list_append(&node->ending, &session->in_ending);
    if (take(&session->ending_turn))
        sched_queue(&session->ending_turn);
    return NULL;
}

void sessions_free_all(struct node *node)
{
    while (!list_empty(&node->sessions)) {
        struct session *session = list_entry(node->sessions.next, struct session, in_node);
        if (!session->ending)
            begin(session);
        end_all(session);
        finish(session);
    }
}
