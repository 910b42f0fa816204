// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sets of address ranges: whatever the order and overlap, the answer is that of looking
// at each range.

#include "mmap/chunk_set.h"
#include "repetitions.h"
#include "unit.h"

#include <stdlib.h>

#define RANGES_MAX 20000

static struct chunk_set set;
static struct chunk all[RANGES_MAX];
static size_t n_all;
static uint64_t state;

static uint64_t number(uint64_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 24) % limit;
}

static void begin(uint64_t seed)
{
    state = seed * 2 + 1;
    n_all = 0;
    set = (struct chunk_set){.hints = NULL};
}

static void add(uintptr_t start, size_t length)
{
    ck_assert(chunk_set_add(&set, start, length));
    all[n_all++] = (struct chunk){start, start + length};
}

static bool expected(uintptr_t start, size_t length)
{
    for (size_t i = 0; i < n_all; i++)
        if (start >= all[i].start && start < all[i].end && length <= all[i].end - start)
            return true;
    return false;
}

static void assert_same(uintptr_t start, size_t length)
{
    bool want = expected(start, length);
    ck_assert_msg(chunk_set_has(&set, start, length) == want, "%zu bytes at %#lx: not %d", length,
                  (unsigned long)start, want);
}

// Everything around the edges of a range.
static void assert_edges(const struct chunk *c)
{
    size_t length = c->end - c->start;
    assert_same(c->start, length);
    assert_same(c->start, 1);
    assert_same(c->end - 1, 1);
    assert_same(c->end - 1, 2);
    assert_same(c->end, 1);
    assert_same(c->start - 1, 1);
    assert_same(c->start - 1, length + 1);
    assert_same(c->start, length + 1);
    assert_same(c->start + length / 2, length - length / 2);
    assert_same(c->start, SIZE_MAX);
}

static void assert_all(size_t samples)
{
    for (size_t i = 0; i < samples && n_all; i++)
        assert_edges(&all[number(n_all)]);
    // No array holds a range that lies within another of its own.
    const struct chunk_run *const runs[] = {&set.old, &set.recent};
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 1; i < runs[r]->n; i++) {
            ck_assert(runs[r]->chunks[i - 1].start < runs[r]->chunks[i].start);
            ck_assert(runs[r]->chunks[i - 1].end < runs[r]->chunks[i].end);
        }
}

START_TEST(an_empty_set_has_nothing)
{
    begin(1);
    ck_assert(!chunk_set_has(&set, 0, 0));
    ck_assert(!chunk_set_has(&set, 0, 1));
    ck_assert(!chunk_set_has(&set, 4096, 1));
    ck_assert(!chunk_set_has(&set, UINTPTR_MAX, 1));
    chunk_set_fini(&set);
}
END_TEST

START_TEST(neighbours_are_not_one_range)
{
    begin(2);
    add(0x10000, 100);
    add(0x10000 + 100, 100);
    ck_assert(chunk_set_has(&set, 0x10000, 100));
    ck_assert(chunk_set_has(&set, 0x10000 + 199, 1));
    ck_assert(!chunk_set_has(&set, 0x10000 + 50, 100));
    chunk_set_fini(&set);
}
END_TEST

// Next to each other, in and against the order, mixed; with gaps and without.
START_TEST(ranges_of_one_size)
{
    static const size_t sizes[] = {1, 64, 4096, 5000, 2 << 20};
    const size_t n = repetitions(1200, 3000); // the recent run becomes longer twice
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        begin(s + 3);
        size_t stride = sizes[s] + (_i & 1 ? 0 : sizes[s] / 2 + 1);
        for (size_t i = 0; i < n; i++) {
            size_t at = _i & 2 ? n - i : _i & 4 ? number(n) : i;
            add(0x7f0000000123u + at * stride, sizes[s]);
        }
        assert_all(60);
        chunk_set_fini(&set);
    }
}
END_TEST

// Ranges of all sizes, overlapping and within each other, in a small space.
START_TEST(ranges_of_all_sizes)
{
    begin((uint64_t)_i);
    for (size_t i = 0; i < 4000; i++) {
        add(0x100000 + number(1 << 20), 1 + number((uint64_t)1 << number(19)));
        if (i % 100 == 0)
            assert_all(5);
    }
    assert_all(100);
    for (size_t i = 0; i < 200; i++)
        assert_same(0x100000 + number(1 << 20), 1 + number(1 << number(16)));
    chunk_set_fini(&set);
}
END_TEST

// Two heaps far from each other, and windows that slide by a byte.
START_TEST(ranges_far_apart_and_close_together)
{
    begin(5);
    for (size_t i = 0; i < 2000; i++) {
        add(0x555500000000u + number(1 << 24), 1 + number(5000));
        add(0x7f1200000000u + number(1 << 24), 1 + number(5000));
        add(0x600000000000u + i, 4096);
    }
    assert_all(100);
    chunk_set_fini(&set);
}
END_TEST

// A range that is there already takes no more room, however often it comes.
START_TEST(the_same_again_takes_no_room)
{
    const size_t repeated = repetitions(10000, 100000);
    begin(6);
    for (size_t i = 0; i < 100; i++)
        ck_assert(chunk_set_add(&set, 0x10000 + i * 4096, 4096));
    for (size_t i = 0; i < repeated; i++)
        ck_assert(chunk_set_add(&set, 0x10000 + number(100) * 4096 + 10, 1000));
    ck_assert_uint_eq(set.old.n + set.recent.n, 100);
    // One that holds all of them takes their place.
    ck_assert(chunk_set_add(&set, 0x10000, 100 * 4096));
    ck_assert(chunk_set_has(&set, 0x10000 + 1000, 99 * 4096));
    ck_assert_uint_le(set.recent.n, 65);
    chunk_set_fini(&set);
}
END_TEST

START_TEST(very_many_ranges)
{
    const size_t n = repetitions(20000, 200000);
    begin(7);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = (i * 2654435761u) % 1000003;
        ck_assert(chunk_set_add(&set, 0x7f0000000000u + at * 4096, 4000));
    }
    ck_assert_uint_eq(set.old.n + set.recent.n, n);
    for (size_t i = 0; i < n / 4; i++) {
        uint64_t at = (number(n) * 2654435761u) % 1000003;
        ck_assert(chunk_set_has(&set, 0x7f0000000000u + at * 4096 + 100, 3900));
        ck_assert(!chunk_set_has(&set, 0x7f0000000000u + at * 4096 + 100, 3901));
    }
    chunk_set_fini(&set);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("chunk_set");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, an_empty_set_has_nothing);
    tcase_add_test(tcase, neighbours_are_not_one_range);
    tcase_add_loop_test(tcase, ranges_of_one_size, 0, 8);
    tcase_add_loop_test(tcase, ranges_of_all_sizes, 0, 8);
    tcase_add_test(tcase, ranges_far_apart_and_close_together);
    tcase_add_test(tcase, the_same_again_takes_no_room);
    tcase_add_test(tcase, very_many_ranges);
    return unit_run_case("chunk_set", tcase);
}
