// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/idle.h"

#include "clock.h"

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

static void learn(struct idle *idle, uint32_t most)
{
    uint32_t least = most / IDLE_PARTS;

    if (!idle->yielded)
        return;
    if (idle->helped)
        idle->patience = idle->patience / 2 > least ? idle->patience / 2 : least;
    else
        idle->patience = idle->patience < most / 2 ? idle->patience * 2 : most;
}

__attribute__((noinline, cold)) enum idle_step idle_step(struct idle *idle, uint32_t most)
{
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
        step = IDLE_REST;
    }
    idle->empty = idle->patience;
    return step;
}

void idle_rested(struct idle *idle, uint32_t most)
{
    idle->empty = 2 * idle->patience - most / IDLE_PARTS; // then it is time again
}

static long switches_of_thread(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw + used.ru_nivcsw : 0;
}

// Says whether another thread ran during a yield that took from `before` to `now`.
static bool others_ran(struct idle *idle, uint32_t most, uint64_t before, uint64_t now)
{
    if (now - before < SWITCH_NS)
        return false;
    if (cpu_is_shared && idle->patience <= most / IDLE_PARTS) // nothing more can be learnt
        return true;
    long then = idle->switches;
    idle->switches = switches_of_thread();
    return idle->switches != then;
}

void idle_let_others(struct idle *idle, uint32_t most)
{
    uint64_t before = clock_ns();
    sched_yield();
    uint64_t now = clock_ns();

    if (others_ran(idle, most, before, now))
        shared_until = now + SHARED_NS;
    else
        idle->helped = false;
    cpu_is_shared = now < shared_until;
}

__attribute__((noinline, cold)) void idle_yield(struct idle *idle, uint32_t most)
{
    if (idle_step(idle, most) != IDLE_POLL)
        idle_let_others(idle, most);
}
