// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Yields the CPU after polls that find nothing.
//
// A program that polls never sleeps. If more threads poll than there are CPUs, the thread that
// should answer waits until the time slice of the thread that asks is over: milliseconds, for
// an answer that takes a microsecond. So a thread that has polled long in vain yields its CPU
// to others, by sched_yield().
//
// Long means long enough for an answer that is on its way on another CPU: at the callers'
// counts some 20 us, while a message takes 0.1 to 3. Shorter waits enter the system no more
// often than before, and in longer ones a yield that no other thread uses costs one part in
// fifty.
//
// If another thread ran here during the yield and the first poll after it finds news, the yield
// helped: this thread waits for a thread that needs this CPU, and should not let it wait long the
// next time. The count is halved, down to a part of IDLE_PARTS. If the yield did not help, this
// thread has its CPU to itself, and the count is doubled again. News that arrive during a yield
// for which no thread ran here have come from another CPU: to count them would make each yield a
// reason for the next one.

// Yielding is of no use if who should answer runs on another CPU, and would do better with two. A
// thread that can wait for its news in the kernel may do so for a moment if a yield was in vain,
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
    bool helped;       // and the last wait with a yield was over at once
    long switches;     // context switches of this thread when it has yielded
};

enum idle_step {
    IDLE_POLL,  // go on
    IDLE_YIELD, // it is time for a yield
    IDLE_REST,  // the same, and the last one was in vain
};

// What to do after as many polls in vain as `patience`, or more.
enum idle_step idle_step(struct idle *idle, uint32_t most);
void idle_yield(struct idle *idle, uint32_t most);
// Yields after a step that says so.
void idle_let_others(struct idle *idle, uint32_t most);
// The thread has rested. In a wait that long it rests again after a few polls.
void idle_rested(struct idle *idle, uint32_t most);

// Says whether another thread ran during a yield of the calling thread within 100 ms before its
// last one. By the kernel's count of switches, so it holds in any cpuset, cgroup or container.
bool idle_cpu_is_shared(void);

// Called when a poll found nothing. `most` is the initial count.
static inline void idle_poll(struct idle *idle, uint32_t most)
{
    if (__builtin_expect(++idle->empty >= idle->patience, 0))
        idle_yield(idle, most);
}

// Called when a poll found something.
static inline void idle_news(struct idle *idle)
{
    idle->empty = 0;
}

#endif
