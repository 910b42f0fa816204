// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_check.h"
#include "card_limits.h"
#include "card_states.h"
#include "failures.h"
#include "last_exit.h"
#include "rule_objects.h"
#include "rule_report.h"
#include "rule_tasks.h"
#include "rule_threads.h"
#include "sources.h"
#include "waiting.h"
#include "waits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- the end

static void end(int status)
{
    // A signal handler may call exit() while this thread has the lock.
    if (registry_is_entered())
        return;
    registry_enter();
    if (status == 0) // a program that gives up need not clean up
        objects_end();
    report_end();
    registry_leave();
}

// ---- calls

static void check_first(const struct call *call, struct entry *first)
{
    tasks_before(call, first);
    card_states_before(call, first);
    if (entry_is(first, TYPE_ENGINE))
        waiting_before(call, first);
}

static int before(struct call *call)
{
    registry_enter();
    struct entry *first = objects_first(call);
    objects_before(call);
    failures_before(call);
    if (first)
        check_first(call, first);
    bool pause = threads_enter(call);
    registry_leave();
    if (pause)
        threads_pause();
    return 0;
}

static void note_first(const struct call *call, struct entry *first, bool good)
{
    tasks_after(call, first);
    if (entry_is(first, TYPE_ENGINE))
        waiting_after(call, first);
    if (good)
        card_states_after(call, first);
}

static void after(struct call *call)
{
    bool good = call->function->result.kind != VALUE_ERROR || call->result == 0;
    registry_enter();
    struct entry *first = objects_first(call);
    threads_leave(call);
    if (first)
        note_first(call, first, good);
    if (good)
        objects_after(call);
    if (good)
        card_limits_after(call);
    failures_after(call);
    registry_leave();
}

// ---- callbacks

static void callback_before(struct call *call)
{
    registry_enter();
    struct entry *first = objects_first(call);
    if (first)
        tasks_completed(first);
    for (unsigned i = 0; i < call->function->count; i++)
        if (call->function->parameters[i].kind == VALUE_OBJECT)
            objects_show(call->arguments[i]);
    registry_leave();
}

// ---- the start

static void in_child(void)
{
    objects_in_child();
    tasks_in_child();
    sources_in_child();
    threads_in_child();
    waiting_in_child();
    report_in_child();
    registry_after_fork();
}

static bool start(void)
{
    const char *value = getenv(CHECK_VARIABLE);
    if (!value || !*value)
        return false;
    report_start(strcmp(value, "fatal") == 0, getenv(CHECK_FILE_VARIABLE));
    last_exit_add(end);
    card_limits_start();
    waiting_start();
    waits_start();
    stacks_start();
    pthread_atfork(registry_before_fork, registry_after_fork, in_child);
    return true;
}

const struct hook check_hook = {start, before, after, callback_before, NULL};
