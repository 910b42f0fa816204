// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The one policy of waiting of threads that poll: spin, yield, block. Its three times are in
// core/wait_policy.h.
//
// A program that polls never sleeps. If more threads poll than there are CPUs, the thread that
// should answer waits until the time slice of the thread that asks is over: milliseconds, for
// an answer that takes a microsecond. So a thread that has polled long in vain yields its CPU
// to others, by sched_yield().
//
// Long is a time in the settings, and a count here: a poll in vain has a duration that its caller
// knows, and reading the clock would take as long as some of them.
//
// If another thread ran here during the yield and the first poll after it finds news, the yield
// helped: this thread waits for a thread that needs this CPU, and should not let it wait long the
// next time. The count is halved, down to a part of IDLE_PARTS. If the yield did not help, this
// thread has its CPU to itself, and the count is doubled again. News that arrive during a yield
// for which no thread ran here have come from another CPU: to count them would make each yield a
// reason for the next one.
//
// Yielding is of no use if who should answer runs on another CPU, and would do better with two. A
// thread that can wait for its news in the kernel may block for a moment if a yield was in vain,
// and other threads run on its CPU, too.

#ifndef CLIENT_CORE_IDLE_H
#define CLIENT_CORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#define IDLE_PARTS 32

// All 0 at first. Belongs to one thread at a time.
struct idle {
    uint32_t empty;    // polls since there was news
    uint32_t patience; // polls until a yield
    bool yielded;      // the thread has yielded at least once,
    bool helped;       // and the last wait with a yield was over with the first poll after it
    long switches;     // context switches of this thread when it has yielded
};

enum idle_step {
    IDLE_POLL,  // go on
    IDLE_YIELD, // it is time for a yield
    IDLE_BLOCK, // the same, and the last one was in vain
};

// What to do after as many polls in vain as `patience`, or more. A poll in vain takes poll_ns.
enum idle_step idle_step(struct idle *idle, uint32_t poll_ns);
void idle_yield(struct idle *idle, uint32_t poll_ns);
// Yields after a step that says so.
void idle_let_others(struct idle *idle, uint32_t poll_ns);
// The thread has blocked. In a wait that long it blocks again after a few polls.
void idle_blocked(struct idle *idle, uint32_t poll_ns);

// Says whether another thread ran during a yield of the calling thread within 100 ms before its
// last one. By the kernel's count of switches, so it holds in any cpuset, cgroup or container.
bool idle_cpu_is_shared(void);

// Called when a poll found nothing.
static inline void idle_poll(struct idle *idle, uint32_t poll_ns)
{
    if (__builtin_expect(++idle->empty >= idle->patience, 0))
        idle_yield(idle, poll_ns);
}

// Called when a poll found something.
static inline void idle_news(struct idle *idle)
{
    idle->empty = 0;
}

#endif
