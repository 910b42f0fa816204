// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/idle.h"

#include "clock.h"
#include "core/wait_policy.h"

#include <sched.h>
#include <sys/resource.h>

// A yield without a change of threads takes 0.3 to 0.6 us, one with two changes 1.8 and more: after
// a shorter one the kernel need not be asked.
#define SWITCH_NS 1000
#define SHARED_NS 100000000 // a CPU counts as shared so long after another thread ran on it

static _Thread_local bool cpu_is_shared __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t shared_until __attribute__((tls_model("initial-exec")));

bool idle_cpu_is_shared(void)
{
    return cpu_is_shared;
}

// Polls until a yield of a thread that has learned nothing.
static uint32_t most_polls(uint32_t poll_ns)
{
    const struct wait_times times = wait_policy();
    uint64_t ns = 1000ull * (cpu_is_shared ? times.spin_shared_us : times.spin_us);

    return ns > poll_ns ? (uint32_t)(ns / poll_ns) : 1;
}

// With fewer than 4, most polls would be a system call.
static uint32_t least_polls(uint32_t most)
{
    return most > 4 * IDLE_PARTS ? most / IDLE_PARTS : 4;
}

static void learn(struct idle *idle, uint32_t most)
{
    uint32_t least = least_polls(most);

    if (!idle->yielded)
        return;
    if (idle->helped)
        idle->patience = idle->patience / 2 > least ? idle->patience / 2 : least;
    else
        idle->patience = idle->patience < most / 2 ? idle->patience * 2 : most;
}

__attribute__((noinline, cold)) enum idle_step idle_step(struct idle *idle, uint32_t poll_ns)
{
    uint32_t most = most_polls(poll_ns);
    enum idle_step step = IDLE_YIELD;

    if (!idle->patience) {
        idle->patience = most;
        return IDLE_POLL;
    }
    uint32_t since = idle->empty - idle->patience; // this wait's first yield
    if (since == 0) {
        learn(idle, most);
        idle->yielded = idle->helped = true;
    } else {
        idle->helped = false;
        if (since < idle->patience)
            return IDLE_POLL;
        step = IDLE_BLOCK;
    }
    idle->empty = idle->patience;
    return step;
}

void idle_blocked(struct idle *idle, uint32_t poll_ns)
{
    uint32_t few = least_polls(most_polls(poll_ns));

    // Then it is time again.
    idle->empty = 2 * idle->patience > few ? 2 * idle->patience - few : 0;
}

static long switches_of_thread(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw + used.ru_nivcsw : 0;
}

// Says whether another thread ran during a yield that took from `before` to `now`.
static bool others_ran(struct idle *idle, uint32_t poll_ns, uint64_t before, uint64_t now)
{
    if (now - before < SWITCH_NS)
        return false;
    if (cpu_is_shared &&
        idle->patience <= least_polls(most_polls(poll_ns))) // nothing more can be learnt
        return true;
    long then = idle->switches;
    idle->switches = switches_of_thread();
    return idle->switches != then;
}

void idle_let_others(struct idle *idle, uint32_t poll_ns)
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
        idle_let_others(idle, poll_ns);
}
