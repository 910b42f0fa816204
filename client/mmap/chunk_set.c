// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/chunk_set.h"

#include <stdlib.h>
#include <string.h>

#define RECENT_MIN    64
#define HINTS_FROM    8  // ranges; with fewer, searching is as fast
#define HINT_BITS_MAX 21 // 32 MiB
#define HINT_LINE     64
#define HINT_GRANULES 8 // of one range, at most: the rest of a large range is searched for

void chunk_set_fini(struct chunk_set *set)
{
    free(set->hints);
    free(set->old.chunks);
    free(set->recent.chunks);
    *set = (struct chunk_set){.hints = NULL};
}

// ---- one sorted array ------------------------------------------------------------------

// Counts the ranges that begin at or before the address, without data-dependent branches.
static size_t run_rank(const struct chunk_run *run, uintptr_t start)
{
    const struct chunk *base = run->chunks;
    size_t n = run->n;

    if (n == 0)
        return 0;
    for (size_t half; n > 1; n -= half) {
        half = n / 2;
        base += base[half].start <= start ? half : 0;
    }
    return (size_t)(base - run->chunks) + (base->start <= start);
}

// Of the ranges that begin at or before the address, the last one ends last.
static bool run_has(const struct chunk_run *run, uintptr_t start, size_t length)
{
    size_t rank = run_rank(run, start);
    return rank && chunk_holds(&run->chunks[rank - 1], start, length);
}

// In the same way, the last one that begins before the end of the range reaches furthest into
// it.
static bool run_meets(const struct chunk_run *run, uintptr_t start, size_t length)
{
    size_t rank = run_rank(run, start + (length - 1));
    return rank && run->chunks[rank - 1].end > start;
}

static bool run_reserve(struct chunk_run *run)
{
    if (run->n < run->room)
        return true;
    size_t room = run->room ? run->room * 2 : 1;
    struct chunk *more = realloc(run->chunks, room * sizeof(*more));
    if (!more)
        return false;
    run->chunks = more;
    run->room = room;
    return true;
}

// Inserts a range. There is room, and no range of the array contains it. Removes those that
// lie within it, and returns how many bytes they had.
static uintptr_t run_insert(struct chunk_run *run, struct chunk chunk)
{
    size_t at = run_rank(run, chunk.start), end;
    uintptr_t gone = 0;

    if (at && run->chunks[at - 1].start == chunk.start)
        at--; // a shorter range with the same start
    for (end = at; end < run->n && run->chunks[end].end <= chunk.end; end++)
        gone += run->chunks[end].end - run->chunks[end].start;
    memmove(&run->chunks[at + 1], &run->chunks[end], (run->n - end) * sizeof(chunk));
    run->chunks[at] = chunk;
    run->n -= end - at;
    run->n++;
    return gone;
}

// ---- two arrays into one ---------------------------------------------------------------

static size_t recent_max(const struct chunk_set *set)
{
    size_t max = RECENT_MIN;

    while (max * max < set->old.n * 16)
        max *= 2;
    return max;
}

// Takes the next range in ascending order; of two with the same start, the shorter.
static struct chunk take_next(const struct chunk_run *a, size_t *i, const struct chunk_run *b,
                              size_t *j)
{
    if (*j == b->n)
        return a->chunks[(*i)++];
    if (*i == a->n)
        return b->chunks[(*j)++];
    const struct chunk *x = &a->chunks[*i], *y = &b->chunks[*j];
    if (x->start < y->start || (x->start == y->start && x->end <= y->end)) {
        ++*i;
        return *x;
    }
    ++*j;
    return *y;
}

// If there is no memory for the merged array, the short one continues to grow.
static void merge(struct chunk_set *set)
{
    size_t room = set->old.n + set->recent.n, n = 0, i = 0, j = 0;
    struct chunk *merged = malloc(room * sizeof(*merged));

    if (!merged)
        return;
    set->total = 0;
    while (i < set->old.n || j < set->recent.n) {
        struct chunk next = take_next(&set->old, &i, &set->recent, &j);
        if (n && merged[n - 1].end >= next.end)
            continue;
        if (n && merged[n - 1].start == next.start)
            set->total -= merged[n - 1].end - merged[n - 1].start, n--;
        merged[n++] = next;
        set->total += next.end - next.start;
    }
    free(set->old.chunks);
    set->old = (struct chunk_run){merged, n, room};
    set->recent.n = 0;
}

// ---- hints ------------------------------------------------------------------------------

static void hint_put(struct chunk_set *set, struct chunk chunk)
{
    uintptr_t granule = (uintptr_t)1 << set->granule, at = chunk.start;

    for (unsigned i = 0; i < HINT_GRANULES; i++) {
        struct chunk *four = (struct chunk *)chunk_set_hints(set, at);
        // Replaces the oldest hint, if there is neither a free slot nor one that lies within this
        // range.
        size_t place = 0;
        while (place < 3 && four[place].end &&
               !(chunk.start <= four[place].start && four[place].end <= chunk.end))
            place++;
        memmove(&four[1], &four[0], place * sizeof(chunk));
        four[0] = chunk;
        uintptr_t next = (at & ~(granule - 1)) + granule;
        if (next >= chunk.end || next < at)
            break;
        at = next;
    }
}

static void hint_all(struct chunk_set *set, const struct chunk_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        hint_put(set, run->chunks[i]);
}

// Makes a larger table when there are too many ranges for this one. Without memory for it, lookups
// only take longer.
static void hints_grow(struct chunk_set *set)
{
    size_t n = set->old.n + set->recent.n;
    unsigned bits = 5;

    if (n < HINTS_FROM ||
        (set->hints && (set->hint_bits == HINT_BITS_MAX || n * 2 <= (size_t)1 << set->hint_bits)))
        return;
    while (bits < HINT_BITS_MAX && (size_t)1 << bits < n * 5 / 2)
        bits++;
    size_t size = sizeof(struct chunk) << bits;
    struct chunk *hints = aligned_alloc(HINT_LINE, size);
    if (!hints)
        return;
    memset(hints, 0, size);
    free(set->hints);
    set->hints = hints;
    set->hint_bits = bits;
    for (set->granule = 0; set->granule < 40 && (set->total / n - 1) >> set->granule;)
        set->granule++;
    hint_all(set, &set->old);
    hint_all(set, &set->recent);
}

// ---- the set ------------------------------------------------------------------------------

bool chunk_set_add(struct chunk_set *set, uintptr_t start, size_t length)
{
    struct chunk chunk = {start, start + length};

    if (!chunk_set_has(set, start, length)) {
        if (!run_reserve(&set->recent))
            return false;
        set->total += length - run_insert(&set->recent, chunk);
        if (set->hints)
            hint_put(set, chunk);
        if (set->recent.n >= recent_max(set))
            merge(set);
        hints_grow(set);
    }
    set->latest = chunk;
    return true;
}

bool chunk_set_meets(const struct chunk_set *set, uintptr_t start, size_t length)
{
    return run_meets(&set->old, start, length) || run_meets(&set->recent, start, length);
}

bool chunk_set_search(const struct chunk_set *set, uintptr_t start, size_t length)
{
    return run_has(&set->old, start, length) || run_has(&set->recent, start, length);
}
