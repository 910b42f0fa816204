// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_callbacks.h"
#include "failed_tasks.h"
#include "rule_report.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TOO_LONG_NS 1000000
#define QUEUED_NS   10000000 // after which the time in the run queue is read again
#define NESTED_MAX  3        // callbacks in callbacks, others are not timed: static TLS is scarce

#define RUNNING 2 // DOCA_CTX_STATE_RUNNING
// Errors of tasks that end with a connection or a context.
#define SHUTDOWN           10 // DOCA_ERROR_SHUTDOWN
#define CONNECTION_RESET   11 // DOCA_ERROR_CONNECTION_RESET
#define CONNECTION_ABORTED 12 // DOCA_ERROR_CONNECTION_ABORTED

struct times {
    int64_t wall, cpu; // ns
    int64_t waits;     // times that the thread has given up its CPU
    int64_t faults;    // pages that were read in
};

// What this thread is in. Calls and callbacks alternate.
static __thread struct {
    struct times began[NESTED_MAX], in_doca[NESTED_MAX], call_began[NESTED_MAX];
    int64_t quick[NESTED_MAX]; // ns in quick calls
    unsigned callbacks, polls;
    int64_t queued, queued_at; // queued_ns(), and when it was read
} own __attribute__((tls_model("initial-exec")));

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct times times_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct times){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID),
                          usage.ru_nvcsw, usage.ru_majflt};
}

// The time for which this thread was ready to run, and other threads had the CPUs; -1: not known.
static int64_t queued_ns(void)
{
    char text[64];
    int saved = errno, state;
    long long queued;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    pthread_setcancelstate(state, NULL);
    errno = saved;
    text[n < 0 ? 0 : n] = '\0';
    return sscanf(text, "%*s %lld", &queued) == 1 ? queued : -1;
}

// Reading it takes longer than most callbacks. What it counts too much, it excuses.
static void note_queued(int64_t now)
{
    if (own.queued_at && now - own.queued_at < QUEUED_NS)
        return;
    own.queued = queued_ns();
    own.queued_at = now;
}

static struct times difference(struct times a, struct times b)
{
    return (struct times){a.wall - b.wall, a.cpu - b.cpu, a.waits - b.waits, a.faults - b.faults};
}

static bool in_timed_callback(void)
{
    return own.callbacks && own.callbacks <= NESTED_MAX;
}

// Calls that only use memory: all their time counts as a CPU's. Asking for the other times would
// take longer than the call.
static bool is_quick(const struct function *function)
{
    return function->role == ROLE_SUBMIT || function->role == ROLE_ALIAS ||
           function->role == ROLE_CHANGE || function->role == ROLE_RELEASE ||
           function->role == ROLE_HOLD;
}

static struct times times_around(const struct function *function)
{
    if (!is_quick(function))
        return times_now();
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    return (struct times){.wall = now, .cpu = now};
}

void callback_timing_enter(const struct call *call)
{
    own.polls += call->function->role == ROLE_PROGRESS;
    if (in_timed_callback())
        own.call_began[own.callbacks - 1] = times_around(call->function);
}

void callback_timing_leave(const struct call *call)
{
    own.polls -= call->function->role == ROLE_PROGRESS && own.polls;
    if (!in_timed_callback())
        return;
    struct times *sum = &own.in_doca[own.callbacks - 1];
    struct times spent =
        difference(times_around(call->function), own.call_began[own.callbacks - 1]);
    own.quick[own.callbacks - 1] += is_quick(call->function) ? spent.wall : 0;
    *sum = (struct times){sum->wall + spent.wall, sum->cpu + spent.cpu, sum->waits + spent.waits,
                          sum->faults + spent.faults};
}

void callback_timing_begin(void)
{
    if (!own.polls) // of another kind than those of an engine
        return;
    if (++own.callbacks > NESTED_MAX)
        return;
    own.in_doca[own.callbacks - 1] = (struct times){0};
    own.quick[own.callbacks - 1] = 0;
    note_queued(clock_ns(CLOCK_MONOTONIC));
    own.began[own.callbacks - 1] = times_now();
}

// The thread itself has waited: neither for a CPU, for which the load of the machine decides, nor
// for a page. The time in the queue counts from up to QUEUED_NS before the callback.
static bool has_blocked(const struct times *spent)
{
    int64_t off = spent->wall - spent->cpu, before = own.queued;
    if (spent->waits <= 0 || spent->faults > 0 || off < TOO_LONG_NS)
        return false;
    own.queued_at = 0; // the next callback has a count of its own
    return before >= 0 && off - (queued_ns() - before) >= TOO_LONG_NS;
}

void callback_timing_end(const struct call *call)
{
    if (!own.polls || !own.callbacks)
        return;
    unsigned last = --own.callbacks;
    if (last >= NESTED_MAX)
        return;
    int64_t wall = clock_ns(CLOCK_MONOTONIC) - own.began[last].wall - own.in_doca[last].wall;
    // As most do; or a quick call was interrupted, and the times outside of calls are not known.
    if (wall < TOO_LONG_NS || own.quick[last] >= TOO_LONG_NS)
        return;
    struct times spent = difference(difference(times_now(), own.began[last]), own.in_doca[last]);
    if (spent.cpu < TOO_LONG_NS && !has_blocked(&spent))
        return;
    char detail[128];
    struct finding finding = {
        .rule = RULE_CALLBACK_TOO_LONG,
        .function = call->function,
        // The address of the program's function, as if it were one to return to.
        .at = {.frames = {(char *)call->next + 1}, .count = 1},
        .detail = detail,
    };
    snprintf(detail, sizeof(detail), "it took %.1f ms, %.1f ms of them on a CPU",
             (double)spent.wall / 1e6, (double)spent.cpu / 1e6);
    registry_enter();
    report(&finding);
    registry_leave();
}

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
    // Tasks that end because their context or connection does need not be asked one by one.
    task->failed = status != 0 && !is_flushed(status) && !(context && context->stopped);
    // The first one may have failed by itself, and taken the context down.
    if (status != 0 && context && !is_running(context))
        context->stopped = true;
}

void task_status_check(const struct call *call, struct entry *task)
{
    enum function_role role = call->function->role;
    if (strcmp(call->function->name, "doca_task_get_status") == 0)
        task->failed = false;
    if (!task->failed || (role != ROLE_DESTROY && role != ROLE_SUBMIT))
        return;
    task->failed = false;
    struct finding finding = {
        .rule = RULE_STATUS_NOT_READ, .function = call->function, .object = task};
    report(&finding);
}
