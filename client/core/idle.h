// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How threads that poll wait: they spin, yield, and block. This is the only such policy. Its three
// times are in core/wait_policy.h.
//
// A program that polls never sleeps. If more threads poll than there are CPUs, the thread that
// should answer waits until the time slice of the polling thread is over: milliseconds, for an
// answer that takes a microsecond. So a thread that has polled for a while without an event yields
// its CPU by sched_yield().
//
// That while is a time in the settings, and a number of polls here, `spin_limit`: the caller knows
// the duration of an empty poll, and reading the clock would take as long as some of them.
//
// If another thread ran on this CPU during the yield and the first poll after it finds an event,
// the yield helped: this thread waits for a thread that needs this CPU, and should yield sooner the
// next time. The limit is halved, down to a part of IDLE_PARTS. If the yield did not help, the
// thread has its CPU to itself, and the limit is doubled again. Events that arrive during a yield
// in which no other thread ran here come from another CPU and do not count: otherwise each yield
// would cause the next one.
//
// A yield does not help if the answering thread runs on another CPU. If a yield had no effect and
// other threads run on this CPU, too, a caller that can wait for its event in the kernel blocks for
// a moment.

#ifndef CLIENT_CORE_IDLE_H
#define CLIENT_CORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#define IDLE_PARTS 32

// All 0 at first. Belongs to one thread at a time.
struct idle {
    uint32_t empty;      // polls since the last event
    uint32_t spin_limit; // polls until a yield
    bool yielded;        // the thread has yielded at least once
    bool helped;         // the last wait with a yield ended with the first poll after it
    long switches;       // context switches of this thread when it has yielded
};

enum idle_step {
    IDLE_POLL,  // poll on
    IDLE_YIELD, // yield now
    IDLE_BLOCK, // block if the caller can, else yield: the last yield did not help
};

// Returns what to do after `spin_limit` or more empty polls. An empty poll takes poll_ns.
enum idle_step idle_step(struct idle *idle, uint32_t poll_ns);
void idle_yield(struct idle *idle, uint32_t poll_ns);
// Yields. Call it after IDLE_YIELD.
void idle_yield_cpu(struct idle *idle, uint32_t poll_ns);
// Call it after the thread has blocked: in the same wait it blocks again after a few polls.
void idle_blocked(struct idle *idle, uint32_t poll_ns);

// Returns whether another thread ran during one of the calling thread's yields in the 100 ms before
// its last yield. It uses the kernel's count of context switches, so it is right in any cpuset,
// cgroup or container.
bool idle_cpu_is_shared(void);

// Called when a poll found nothing.
static inline void idle_poll(struct idle *idle, uint32_t poll_ns)
{
    if (__builtin_expect(++idle->empty >= idle->spin_limit, 0))
        idle_yield(idle, poll_ns);
}

// Called when a poll found something.
static inline void idle_reset(struct idle *idle)
{
    idle->empty = 0;
}

#endif
