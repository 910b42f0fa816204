// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ending.h"

#include "activity_page.h"
#include "node.h"
#include "session.h"
#include "grace_period.h"
#include "loop_sched.h"
#include "user.h"

#include <limits.h>
#include <stdlib.h>

struct ending {
    struct list in_node;
    struct sched_item turn;
    struct node *node;
    struct user *user;       // a reference
    struct ending_root root; // its object is NULL when that was freed
    struct grace_period *grace;
    bool running;
};

// The parts that end in one piece share one barrier.
static void run(struct node *node, const struct ending_root *root, struct grace_period *grace,
                unsigned steps)
{
    activity_batch_begin(node);
    root->some(root->object, grace, &steps);
    activity_batch_end(node);
}

static void finish(struct ending *ending)
{
    sched_dequeue(&ending->turn);
    list_remove(&ending->in_node);
    if (ending->grace)
        grace_period_start(ending->grace, NULL, 0);
    user_unref(ending->user);
    free(ending);
}

static bool take(struct sched_item *turn)
{
    struct ending *ending = container_of(turn, struct ending, turn);
    const struct ending_root root = ending->root;

    ending->running = true;
    run(ending->node, &root, ending->grace, ENDING_STEPS);
    ending->running = false;
    if (ending->root.object) {
        ending->node->counters.end_slices++;
        return true;
    }
    finish(ending);
    return false;
}

static void end_all(struct node *node, const struct ending_root *root, struct grace_period *grace)
{
    run(node, root, grace, UINT_MAX);
    if (grace)
        grace_period_start(grace, NULL, 0);
}

void ending_begin(struct node *node, const struct ending_root *root, struct user *user,
                  struct grace_period *grace)
{
    struct ending *ending = node->sched ? calloc(1, sizeof(*ending)) : NULL;

    if (!ending) {
        end_all(node, root, grace);
        return;
    }
    ending->node = node;
    ending->user = user_ref(user);
    ending->root = *root;
    ending->grace = grace;
    ending->turn = (struct sched_item){.sched = node->sched, .user = &user->sched, .take = take};
    list_init(&ending->turn.in_user);
    list_append(&node->endings, &ending->in_node);
    *root->ending = ending;
    if (take(&ending->turn))
        sched_queue(&ending->turn);
}

doca_error_t ending_request(const struct request *request, const struct ending_root *root,
                            struct grace_period *grace)
{
    struct session *session = request->session;

    if (grace) {
        ending_begin(session->node, root, session->user, grace);
    } else {
        end_all(session->node, root, NULL);
        session_reply_ok(session, request->message->serial);
    }
    return DOCA_SUCCESS;
}

void ending_leave(struct ending *ending)
{
    if (!ending)
        return;
    *ending->root.ending = NULL;
    ending->root.object = NULL;
    if (!ending->running)
        finish(ending);
}

struct grace_period *ending_grace_period(const struct ending *ending)
{
    return ending ? ending->grace : NULL;
}
