// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Waking a thread, and the command event.

#include "ping.h"

#include "clock.h"
#include "commands.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SETTLE_NS 50000 // for the sleeper to be really asleep
#define SILENT_MS 20000

// ---- the sleeper ------------------------------------------------------------------------------

// Spins if there are enough processors, so that the figure has only one wake-up.
static void await(_Atomic uint64_t *word, uint64_t turn)
{
    for (unsigned i = 1; atomic_load_explicit(word, memory_order_acquire) != turn; i++)
        if (i % 1024 == 0)
            sched_yield();
}

static bool sleep_on(struct ping *ping, int epoll, uint64_t turn)
{
    struct epoll_event event;
    int n;
    atomic_store_explicit(&ping->armed, turn, memory_order_release);
    do {
        n = epoll_wait(epoll, &event, 1, SILENT_MS);
    } while (n < 0 && errno == EINTR);
    ping->woken_at = ticks_now();
    return n == 1 || problem_set(&ping->problem, "nothing woke the thread");
}

static bool await_job(struct ping *ping, uint64_t turn)
{
    struct rig *rig = ping->rig;
    if (!rig_arm(rig, &ping->problem) || !sleep_on(ping, rig->epoll, turn))
        return false;
    await(&ping->woken, turn);
    return rig_clear(rig, &ping->problem) && rig_retrieve(rig, &ping->problem);
}

static bool await_eventfd(struct ping *ping, uint64_t turn)
{
    uint64_t count;
    return sleep_on(ping, ping->epoll, turn) &&
           (read(ping->eventfd, &count, sizeof(count)) == sizeof(count) ||
            problem_set(&ping->problem, "reading the eventfd: %s", strerror(errno)));
}

static void *sleeper(void *arg)
{
    struct ping *ping = arg;
    cpu_pin(ping->cpu);
    for (uint64_t turn = 1;; turn++) {
        while (atomic_load_explicit(&ping->asked, memory_order_acquire) != turn)
            sched_yield();
        if (ping->kind == PING_END)
            return NULL;
        bool ok = ping->kind == PING_JOB ? await_job(ping, turn) : await_eventfd(ping, turn);
        if (!ok)
            atomic_store(&ping->failed, true);
        atomic_store_explicit(&ping->awake, turn, memory_order_release);
    }
}

// ---- the waker ----------------------------------------------------------------------------------

bool ping_open(struct ping *ping, struct rig *rig, int cpu, struct problem *problem)
{
    struct epoll_event event = {.events = EPOLLIN};
    *ping = (struct ping){.rig = rig, .cpu = cpu, .epoll = -1};
    ping->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ping->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (ping->eventfd < 0 || ping->epoll < 0 ||
        epoll_ctl(ping->epoll, EPOLL_CTL_ADD, ping->eventfd, &event) < 0)
        return problem_set(problem, "eventfd: %s", strerror(errno));
    int r = pthread_create(&ping->thread, NULL, sleeper, ping);
    if (r != 0)
        return problem_set(problem, "cannot start a thread: %s", strerror(r));
    return ping->running = true;
}

static uint64_t ask(struct ping *ping, enum ping_kind kind)
{
    uint64_t turn = atomic_load(&ping->asked) + 1;
    ping->kind = kind;
    atomic_store_explicit(&ping->asked, turn, memory_order_release);
    return turn;
}

void ping_close(struct ping *ping)
{
    if (ping->running) {
        ask(ping, PING_END);
        pthread_join(ping->thread, NULL);
    }
    if (ping->eventfd >= 0)
        close(ping->eventfd);
    if (ping->epoll >= 0)
        close(ping->epoll);
    *ping = (struct ping){.eventfd = -1, .epoll = -1};
}

static bool wake(struct ping *ping, enum ping_kind kind, struct rig_job *job,
                 struct problem *problem)
{
    uint64_t one = 1;
    if (kind == PING_JOB)
        return rig_submit(ping->rig, job, problem);
    return write(ping->eventfd, &one, sizeof(one)) == sizeof(one) ||
           problem_set(problem, "writing the eventfd: %s", strerror(errno));
}

bool ping_once(struct ping *ping, enum ping_kind kind, bool and_seen, uint64_t *ticks,
               struct problem *problem)
{
    struct rig_job *job = kind == PING_JOB ? rig_prepare(ping->rig) : NULL;
    uint64_t turn = ask(ping, kind);
    // Armed, or failed before that.
    while (atomic_load_explicit(&ping->armed, memory_order_acquire) != turn &&
           !atomic_load(&ping->failed))
        ;
    uint64_t settled = clock_ns() + SETTLE_NS;
    while (clock_ns() < settled)
        ;
    uint64_t before = ticks_now();
    // If it is not woken it returns by itself, late.
    if (!atomic_load(&ping->failed) && !wake(ping, kind, job, problem))
        return false;
    atomic_store_explicit(&ping->woken, turn, memory_order_release);
    await(&ping->awake, turn);
    uint64_t after = ticks_now();
    *ticks = ticks_between(before, and_seen ? after : ping->woken_at);
    if (atomic_load(&ping->failed))
        return problem_set(problem, "%s", ping->problem.s);
    return true;
}

// ---- the command --------------------------------------------------------------------------------

static bool measure(struct ping *ping, enum ping_kind kind, const struct options *options,
                    uint32_t *samples, struct problem *problem)
{
    uint64_t ticks;
    for (uint64_t i = 0; i < options->warmup; i++)
        if (!ping_once(ping, kind, false, &ticks, problem))
            return false;
    for (uint64_t i = 0; i < options->iters; i++) {
        if (!ping_once(ping, kind, false, &ticks, problem))
            return false;
        samples[i] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
    }
    return true;
}

static bool compare_pings(struct run *run, struct ping *ping, struct rig *rig, uint32_t *samples)
{
    const struct options *options = run->options;
    struct problem *problem = &run->result->problem;
    struct spread job, bare;

    double cpu = cpu_seconds(0);
    if (!measure(ping, PING_JOB, options, samples, problem))
        return false;
    cpu = cpu_seconds(0) - cpu;
    spread_of(&job, samples, options->iters);
    if (!measure(ping, PING_EVENTFD, options, samples, problem))
        return false;
    spread_of(&bare, samples, options->iters);
    result_add(run->result, "bytes", "#bytes", (double)options->size, 0);
    result_add(run->result, "iterations", "#iterations", (double)options->iters, 0);
    result_add_spread(run->result, &job);
    result_add(run->result, "eventfd_p50_usec", "eventfd p50[usec]", bare.p50 / 1e3, 3);
    result_add(run->result, "eventfd_p99_usec", "eventfd p99[usec]", bare.p99 / 1e3, 3);
    result_add(run->result, "job_to_eventfd", "p50 ratio", job.p50 / bare.p50, 3);
    result_add(run->result, "cpu_ns_per_job", NULL,
               cpu * 1e9 / (double)(options->iters + options->warmup), 1);
    return run->result->verified = rig_check_jobs(rig, 1, problem);
}

bool run_event(struct run *run)
{
    const struct options *options = run->options;
    struct rig_plan plan = {
        .path = options->path,
        .memory = options->memory,
        .size = options->size,
        .footprint = options->size,
        .depth = 1,
        .event = true,
    };
    struct rig rig;
    struct ping ping = {.eventfd = -1, .epoll = -1};
    uint32_t *samples = calloc(options->iters, sizeof(*samples));
    bool ok = samples || problem_set(&run->result->problem, "out of memory");
    ok = rig_open(&rig, &plan, run) && ok;
    ok = ok && ping_open(&ping, &rig, run->other_cpu, &run->result->problem) &&
         compare_pings(run, &ping, &rig, samples);
    ping_close(&ping);
    rig_close(&rig);
    free(samples);
    return ok;
}
