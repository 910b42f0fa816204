// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The page of a sync event: its counter, and a flag for threads that sleep until it changes.
//
// Every process that has the event may write all of the page. A wrong counter makes waits
// wrong, and a wrong flag costs a wake-up; nothing else depends on the page.
//
// A timer that all processes share belongs to the page: a writer that changes the counter and finds
// the flag set makes it expire, and sleepers wait for that, edge-triggered, so that each of them
// wakes although none reads the timer. All holders may set it, so there may be spurious or lost
// wake-ups; but nothing that other processes do with a timer can make setting it block. A socket
// can be full, can be locked by a reader, and can contain descriptors. Only the last close of the
// timer may wait for its watchers: see received.h.

#ifndef COMMON_SYNC_PAGE_H
#define COMMON_SYNC_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers are in the machine's byte order: only processes of one machine map the page.
#define SYNC_PAGE_MAGIC   0x31505344u // "DSP1"
#define SYNC_PAGE_VERSION 1u
#define SYNC_PAGE_SIZE    4096u
#define SYNC_VALUE_SIZE   8u // of a counter in memory that the application provides

struct sync_page {
    uint32_t magic, version;
    // One cache line: the flag comes with the counter. A sleeper reads `wakes`, sets the flag, then
    // reads the counter; a writer changes the counter, then reads the flag. At least one of them
    // sees the other's store, because both steps of each are sequentially consistent. All sleepers
    // share the flag: if a sleeper finds it set and `wakes` unchanged, the counter has the value
    // that it has read since (tests/models/event.pml).
    _Alignas(64) _Atomic uint64_t value; // unless the application provides memory for it
    _Atomic uint32_t sleeping;           // set by sleepers, cleared by the writer that wakes them
    _Atomic uint32_t wakes;              // how often the flag was cleared
};

// Returns the timer's descriptor, or -errno. Checks without blocking that a descriptor from another
// process is a timer.
int sync_timer_new(void);
bool sync_timer_is(int fd);

// Wakes all threads that wait for it.
void sync_timer_wake(int timer);

// Wakes sleepers, if there are any. Call it after every change of the counter.
void sync_page_wake(struct sync_page *page, int timer);

_Static_assert(sizeof(struct sync_page) <= SYNC_PAGE_SIZE, "one page");
_Static_assert(offsetof(struct sync_page, value) == 64 &&
                   offsetof(struct sync_page, sleeping) == 72 &&
                   offsetof(struct sync_page, wakes) == 76,
               "a cache line of their own");

#endif
