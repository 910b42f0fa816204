// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The page of a sync event: its counter, and a flag for threads that sleep until it changes.
//
// Every process that has the event may write all of the page. A wrong counter makes waits
// wrong, and a wrong flag costs a wake-up; nothing else depends on the page.
//
// A pair of datagram sockets that all processes share goes with the page: a writer that
// changes the counter and finds the flag set writes to one socket, and sleepers wait for the
// other, edge-triggered, so that each of them wakes although nobody reads.

#ifndef COMMON_SYNC_PAGE_H
#define COMMON_SYNC_PAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SYNC_PAGE_MAGIC   0x31505344u // "DSP1"
#define SYNC_PAGE_VERSION 1u
#define SYNC_PAGE_SIZE    4096u
#define SYNC_VALUE_SIZE   8u // of a counter in memory that the application provides

struct sync_page {
    uint32_t magic, version;
    // One cache line: the flag comes with the counter. A sleeper sets the flag, then reads
    // the counter; a writer changes the counter, then reads the flag. At least one of them
    // sees the other.
    _Alignas(64) _Atomic uint64_t value; // unless the application provides memory for it
    _Atomic uint32_t sleeping;           // set by sleepers, cleared by the writer that wakes them
    _Atomic uint32_t wakes;              // how often the flag was cleared
};

// Wakes sleepers, if there are any: `wake` is written to, and they wait for its other end.
// Call it after every change of the counter.
void sync_page_wake(struct sync_page *page, const int wake[2]);

_Static_assert(sizeof(struct sync_page) <= SYNC_PAGE_SIZE, "one page");
_Static_assert(offsetof(struct sync_page, value) == 64, "on a cache line of its own");

#endif
