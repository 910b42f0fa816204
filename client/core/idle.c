// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/idle.h"

#include "clock.h"

#include <sched.h>
#include <sys/resource.h>

// A yield without a change of threads takes 0.3 to 0.6 us, one with two changes 1.8 and more: after
// a shorter one the kernel need not be asked.
#define SWITCH_NS 1000

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

void idle_let_others(struct idle *idle, uint32_t most)
{
    uint64_t before = clock_ns();
    sched_yield();
    if (clock_ns() - before < SWITCH_NS) {
        idle->helped = false;
        return;
    }
    if (idle->patience <= most / IDLE_PARTS) // it cannot become less
        return;
    long switches = switches_of_thread();
    if (switches == idle->switches)
        idle->helped = false;
    idle->switches = switches;
}

__attribute__((noinline, cold)) void idle_yield(struct idle *idle, uint32_t most)
{
    if (idle_step(idle, most) != IDLE_POLL)
        idle_let_others(idle, most);
}
