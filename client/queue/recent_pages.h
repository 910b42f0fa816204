// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Between which pages a thread copied lately: a guess at what its cache holds. Copies of up to
// 64 pages in turn, as rings of buffers make them, are remembered.

#ifndef CLIENT_QUEUE_RECENT_PAGES_H
#define CLIENT_QUEUE_RECENT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define RECENT_PAGES     64
#define RECENT_PAGE_SIZE 4096

// All zeros at first.
struct recent_pages {
    uint64_t pairs[RECENT_PAGES]; // by the destination's page
};

// Remembers a copy. Says whether the last one to a page in the same place had the same pages.
static inline bool recent_pages_again(struct recent_pages *recent, const void *dst, const void *src)
{
    uint64_t to = (uintptr_t)dst / RECENT_PAGE_SIZE, from = (uintptr_t)src / RECENT_PAGE_SIZE;
    uint64_t pair = to ^ (from << 32 | from >> 32);
    uint64_t *place = &recent->pairs[to % RECENT_PAGES];
    bool again = *place == pair;

    *place = pair;
    return again;
}

#endif
