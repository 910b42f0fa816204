// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/idle.h"

#include "clock.h"
#include "core/wait_policy.h"

#include <sched.h>
#include <sys/resource.h>

// A yield without a context switch takes 0.3 to 0.6 us, one with two switches 1.8 us or more. After
// a yield shorter than this getrusage() is not needed.
#define SWITCH_NS 1000
#define SHARED_NS 100000000 // a CPU counts as shared for this long after another thread ran on it

static _Thread_local bool cpu_is_shared __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t shared_until __attribute__((tls_model("initial-exec")));

bool idle_cpu_is_shared(void)
{
    return cpu_is_shared;
}

// Returns the initial limit, which is also the largest.
static uint32_t most_polls(uint32_t poll_ns)
{
    const struct wait_times times = wait_policy();
    uint64_t ns = 1000ull * (cpu_is_shared ? times.spin_shared_us : times.spin_us);

    return ns > poll_ns ? (uint32_t)(ns / poll_ns) : 1;
}

// Returns the smallest limit: with fewer than 4 polls, most polls would make a system call.
static uint32_t least_polls(uint32_t most)
{
    return most > 4 * IDLE_PARTS ? most / IDLE_PARTS : 4;
}

static void adapt(struct idle *idle, uint32_t most)
{
    uint32_t least = least_polls(most);

    if (!idle->yielded)
        return;
    if (idle->helped)
        idle->spin_limit = idle->spin_limit / 2 > least ? idle->spin_limit / 2 : least;
    else
        idle->spin_limit = idle->spin_limit < most / 2 ? idle->spin_limit * 2 : most;
}

__attribute__((noinline, cold)) enum idle_step idle_step(struct idle *idle, uint32_t poll_ns)
{
    uint32_t most = most_polls(poll_ns);
    enum idle_step step = IDLE_YIELD;

    if (!idle->spin_limit) {
        idle->spin_limit = most;
        return IDLE_POLL;
    }
    uint32_t since = idle->empty - idle->spin_limit; // this wait's first yield
    if (since == 0) {
        adapt(idle, most);
        idle->yielded = idle->helped = true;
    } else {
        idle->helped = false;
        if (since < idle->spin_limit)
            return IDLE_POLL;
        step = IDLE_BLOCK;
    }
    idle->empty = idle->spin_limit;
    return step;
}

void idle_blocked(struct idle *idle, uint32_t poll_ns)
{
    uint32_t few = least_polls(most_polls(poll_ns));

    // idle_step() returns IDLE_BLOCK again after `few` polls.
    idle->empty = 2 * idle->spin_limit > few ? 2 * idle->spin_limit - few : 0;
}

static long switches_of_thread(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw + used.ru_nivcsw : 0;
}

// Returns whether another thread ran during a yield that took from `before` to `now`.
static bool others_ran(struct idle *idle, uint32_t poll_ns, uint64_t before, uint64_t now)
{
    if (now - before < SWITCH_NS)
        return false;
    if (cpu_is_shared &&
        idle->spin_limit <= least_polls(most_polls(poll_ns))) // the limit cannot become smaller
        return true;
    long then = idle->switches;
    idle->switches = switches_of_thread();
    return idle->switches != then;
}

void idle_yield_cpu(struct idle *idle, uint32_t poll_ns)
{
    uint64_t before = clock_ns();
    sched_yield();
    uint64_t now = clock_ns();

    if (others_ran(idle, poll_ns, before, now))
        shared_until = now + SHARED_NS;
    else
        idle->helped = false;
    cpu_is_shared = now < shared_until;
}

__attribute__((noinline, cold)) void idle_yield(struct idle *idle, uint32_t poll_ns)
{
    if (idle_step(idle, poll_ns) != IDLE_POLL)
        idle_yield_cpu(idle, poll_ns);
}
