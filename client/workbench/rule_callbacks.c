// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_callbacks.h"
#include "callback_timing.h"
#include "failed_tasks.h"
#include "rule_check.h"
#include "rule_report.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNNING 2 // DOCA_CTX_STATE_RUNNING
// Errors of tasks that end with a connection or a context.
#define SHUTDOWN           10 // DOCA_ERROR_SHUTDOWN
#define CONNECTION_RESET   11 // DOCA_ERROR_CONNECTION_RESET
#define CONNECTION_ABORTED 12 // DOCA_ERROR_CONNECTION_ABORTED

// ---- the time of callbacks

static void report_callback(const struct call *call, int64_t wall, int64_t cpu)
{
    char detail[128];
    struct finding finding = {
        .rule = RULE_CALLBACK_TOO_LONG,
        .function = call->function,
        // The address of the program's function, as if it were one to return to.
        .at = {.frames = {(char *)call->next + 1}, .count = 1},
        .detail = detail,
    };
    snprintf(detail, sizeof(detail), "it took %.1f ms, %.1f ms of them on a CPU",
             (double)wall / 1e6, (double)(cpu > 0 ? cpu : 0) / 1e6);
    registry_enter();
    report(&finding);
    registry_leave();
}

static bool start_timing(void)
{
    const char *value = getenv(CHECK_VARIABLE);
    return value && *value;
}

static int before(struct call *call)
{
    callback_timing_enter(call);
    return 0;
}

static void after(struct call *call)
{
    callback_timing_leave(call);
}

static void callback_before(struct call *call)
{
    (void)call;
    callback_timing_begin();
}

static void callback_after(struct call *call)
{
    int64_t wall, cpu;
    if (callback_timing_end(&wall, &cpu))
        report_callback(call, wall, cpu);
}

const struct hook timing_hook = {start_timing, before, after, callback_before, callback_after};

// ---- the status of tasks

static int status_of(const struct entry *task)
{
    static int (*get)(const void *task);
    const void *handle = (const void *)(uintptr_t)task->base; // NOLINT(performance-no-int-to-ptr)
    int injected = failed_tasks_error(handle);
    if (!get)
        get = (int (*)(const void *))symbol_next("doca_task_get_status", "DOCA_3.0");
    return injected || !get ? injected : get(handle);
}

static bool is_running(const struct entry *context)
{
    static int (*get)(const void *context, int *state);
    const void *handle = (const void *)(uintptr_t)context->base; // NOLINT
    int state;
    if (!get)
        get = (int (*)(const void *, int *))symbol_next("doca_ctx_get_state", "DOCA_3.0");
    return !get || !handle || get(handle, &state) != 0 || state == RUNNING;
}

static bool is_flushed(int status)
{
    return status == SHUTDOWN || status == CONNECTION_RESET || status == CONNECTION_ABORTED;
}

void task_status_note(struct entry *task)
{
    struct entry *context = task->owner;
    int status = task->base ? status_of(task) : 0;
    // Tasks that end because their context or connection does need not be queried one by one.
    task->failed = status != 0 && !is_flushed(status) && !(context && context->stopped);
    // The first one may have failed by itself, and taken the context down.
    if (status != 0 && context && !is_running(context))
        context->stopped = true;
}

void task_status_check(const struct call *call, struct entry *task)
{
    enum function_role role = call->function->role;
    if (function_has(call->function, TRAIT_READS_STATUS))
        task->failed = false;
    if (!task->failed || (role != ROLE_DESTROY && role != ROLE_SUBMIT))
        return;
    task->failed = false;
    struct finding finding = {
        .rule = RULE_STATUS_NOT_READ, .function = call->function, .object = task};
    report(&finding);
}
