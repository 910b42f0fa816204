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

// What the kernel counts for this thread.
struct counts {
    int64_t wall, cpu; // ns
    int64_t waits;     // times that the thread has given up its CPU
    int64_t faults;    // pages that were read in
};

// What this thread is in. Calls and callbacks alternate.
static __thread struct {
    int64_t began[NESTED_MAX], call_began[NESTED_MAX];
    int64_t in_doca[NESTED_MAX]; // ns that its calls have taken
    unsigned callbacks, polls;
    struct counts before;      // up to TOO_LONG_NS before the callback
    int64_t queued, queued_at; // queued_ns(), and when it was read
} own __attribute__((tls_model("initial-exec")));

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct counts counts_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct counts){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID),
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

static bool in_timed_callback(void)
{
    return own.callbacks && own.callbacks <= NESTED_MAX;
}

void callback_timing_enter(const struct call *call)
{
    own.polls += call->function->role == ROLE_PROGRESS;
    if (in_timed_callback())
        own.call_began[own.callbacks - 1] = clock_ns(CLOCK_MONOTONIC);
}

void callback_timing_leave(const struct call *call)
{
    own.polls -= call->function->role == ROLE_PROGRESS && own.polls;
    if (in_timed_callback())
        own.in_doca[own.callbacks - 1] +=
            clock_ns(CLOCK_MONOTONIC) - own.call_began[own.callbacks - 1];
}

// Asking the kernel takes longer than most callbacks do, so it is asked once in the time that is
// too long.
void callback_timing_begin(void)
{
    if (!own.polls) // of another kind than those of an engine
        return;
    if (++own.callbacks > NESTED_MAX)
        return;
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - own.before.wall >= TOO_LONG_NS && own.callbacks == 1) {
        note_queued(now);
        own.before = counts_now();
    }
    own.in_doca[own.callbacks - 1] = 0;
    own.began[own.callbacks - 1] = now;
}

// The thread itself has waited: neither for a CPU, for which the load of the machine decides, nor
// for a page. The time in the queue counts from up to QUEUED_NS before the callback.
static bool has_blocked(const struct counts *now, int64_t off)
{
    int64_t before = own.queued;
    if (now->waits <= own.before.waits || now->faults > own.before.faults || off < TOO_LONG_NS)
        return false;
    own.queued_at = 0; // the next callback has a count of its own
    return before >= 0 && off - (queued_ns() - before) >= TOO_LONG_NS;
}

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

// What is not known, of the time before the callback and in its calls of DOCA, excuses it.
void callback_timing_end(const struct call *call)
{
    if (!own.polls || !own.callbacks)
        return;
    unsigned last = --own.callbacks;
    if (last >= NESTED_MAX)
        return;
    int64_t wall = clock_ns(CLOCK_MONOTONIC) - own.began[last] - own.in_doca[last];
    if (wall < TOO_LONG_NS)
        return;
    struct counts now = counts_now();
    int64_t excused = own.began[last] - own.before.wall + own.in_doca[last];
    int64_t cpu = now.cpu - own.before.cpu - excused;
    int64_t off = now.wall - own.before.wall - (now.cpu - own.before.cpu) - excused;
    if (cpu >= TOO_LONG_NS || has_blocked(&now, off))
        report_callback(call, wall, cpu);
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
