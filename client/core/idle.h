// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Polls that find nothing.
//
// A program that polls never sleeps. Where more threads poll than there are CPUs, the one
// that should answer waits until the time slice of the one that asks is over: milliseconds,
// for what takes a microsecond. So a thread that has polled long in vain offers its CPU to
// others, by sched_yield().
//
// Long is long enough for an answer that is on its way on another CPU: at the callers' counts
// some 20 us, while a message takes 0.1 to 3. Waits that are shorter enter the system no
// more than before, and in longer ones a yield that nobody takes up is one part in fifty.
//
// Who was helped, since there was news at the first poll behind the yield, waits for somebody
// who needs this CPU, and should not let him wait for long the next time: the count is halved,
// down to a part of IDLE_PARTS. Who was not has his CPU to himself: the count is doubled again.

#ifndef CLIENT_CORE_IDLE_H
#define CLIENT_CORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#define IDLE_PARTS 32

// All 0 at first. One thread's at a time.
struct idle {
    uint32_t empty;    // polls since there was news
    uint32_t patience; // polls until a yield
    bool yielded;      // once at least,
    bool helped;       // and the last wait that did was over at once
};

void idle_yield(struct idle *idle, uint32_t most);

// A poll found nothing. `most` is the count to begin with.
static inline void idle_poll(struct idle *idle, uint32_t most)
{
    if (__builtin_expect(++idle->empty >= idle->patience, 0))
        idle_yield(idle, most);
}

// A poll found something.
static inline void idle_news(struct idle *idle)
{
    idle->empty = 0;
}

#endif
