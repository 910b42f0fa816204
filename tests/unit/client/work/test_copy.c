// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"
#include "work/copy.h"
#include "work/short.h"

#include <stdint.h>

static uint8_t src[4096 + 64], dst[4096 + 64], expected[4096 + 64];

START_TEST(every_routine_copies_every_size_and_alignment)
{
    struct copy_routine routines[COPY_ROUTINES_MAX];
    size_t n_routines = copy_routines(routines);
    ck_assert_uint_ge(n_routines, 1);
    for (size_t i = 0; i < sizeof(src); i++)
        src[i] = (uint8_t)(i * 31 + i / 256);
    for (size_t r = 0; r < n_routines; r++) {
        for (size_t n = 0; n < 700; n++) {
            size_t from = n % 33, to = (n * 7) % 37;
            memset(dst, 0xee, sizeof(dst));
            memset(expected, 0xee, sizeof(expected));
            memcpy(expected + to, src + from, n);
            routines[r].copy(dst + to, src + from, n);
            ck_assert_msg(memcmp(dst, expected, sizeof(dst)) == 0,
                          "%s: %zu bytes from +%zu to +%zu", routines[r].name, n, from, to);
        }
    }
}
END_TEST

START_TEST(small_jobs_are_memcpys)
{
    ck_assert_str_eq(copy_routine_name(64), "memcpy");
    ck_assert_str_eq(copy_routine_name(4095), "memcpy");
    // The choice is by the job, not by the piece.
    copy_piece(dst, src, 4096, SIZE_MAX);
    ck_assert_mem_eq(dst, src, 4096);
    copy_piece(dst, src + 1, 4096, 4096);
    ck_assert_mem_eq(dst, src + 1, 4096);
}
END_TEST

START_TEST(large_jobs_have_a_routine_of_their_own)
{
    struct copy_routine routines[COPY_ROUTINES_MAX];
    copy_routines(routines);
    copy_init();
    ck_assert_str_eq(copy_routine_name(SIZE_MAX), routines[0].name);
    ck_assert_uint_ge(copy_large_from, 65536);
}
END_TEST

static uint8_t three_pages[3 * 4096], expected_pages[3 * 4096];

// Either side of each threshold, lines that match and lines that do not, and ranges that
// overlap in either direction.
START_TEST(whole_jobs_are_as_memmove)
{
    static const size_t sizes[] = {1, 64, 4095, 4096, 4097, 6000};
    static const size_t places[] = {0, 1, 64, 65, 4096, 5000};
    struct recent_pages recent = {0};
    copy_init();
    // Twice: pages that were copied just before may be copied in another way.
    for (size_t i = 0; i < 2 * 6 * 6 * 6; i++) {
        size_t size = sizes[i / 72], from = places[i / 12 % 6], to = places[i / 2 % 6];
        for (size_t at = 0; at < sizeof(three_pages); at++)
            three_pages[at] = expected_pages[at] = (uint8_t)(at * 31 + at / 256 + i);
        memmove(expected_pages + to, expected_pages + from, size);
        copy_whole(three_pages + to, three_pages + from, size, &recent);
        ck_assert_mem_eq(three_pages, expected_pages, sizeof(three_pages));
    }
}
END_TEST

START_TEST(lines_are_copied_to_the_last_byte)
{
    for (size_t n = 0; n < sizeof(three_pages) / 2; n += n < 300 ? 1 : 97) {
        memset(three_pages, 0xee, sizeof(three_pages));
        for (size_t at = 0; at < n; at++)
            three_pages[at] = (uint8_t)(at * 31 + n);
        uint8_t *to = three_pages + sizeof(three_pages) / 2;
        copy_lines(to, three_pages, n);
        ck_assert_mem_eq(to, three_pages, n);
        ck_assert_uint_eq(to[n], 0xee);
    }
}
END_TEST

static bool again(struct recent_pages *recent, size_t to, size_t from)
{
    return recent_pages_again(recent, three_pages + to, three_pages + from);
}

START_TEST(a_ring_of_pages_is_remembered_and_a_walk_is_not)
{
    struct recent_pages recent = {0};
    const uint8_t *to = (const uint8_t *)(uintptr_t)(1u << 30), *from = to + (1u << 29);

    for (size_t round = 0; round < 2; round++)
        for (size_t page = 0; page < RECENT_PAGES; page++)
            ck_assert_int_eq(recent_pages_again(&recent, to + page * RECENT_PAGE_SIZE,
                                                from + page * RECENT_PAGE_SIZE),
                             round == 1);
    for (size_t page = RECENT_PAGES; page < 4 * RECENT_PAGES; page++)
        ck_assert(!recent_pages_again(&recent, to + page * RECENT_PAGE_SIZE,
                                      from + page * RECENT_PAGE_SIZE));
    // Another source, another direction.
    recent = (struct recent_pages){0};
    ck_assert(!again(&recent, 0, 4096));
    ck_assert(again(&recent, 0, 4096));
    ck_assert(!again(&recent, 0, 8192));
    ck_assert(!again(&recent, 4096, 0));
}
END_TEST

// Every size, at every distance in either direction at which the ranges overlap, and beyond.
START_TEST(short_moves_are_as_memmove)
{
    uint8_t bytes[256], wanted[256];

    for (size_t n = 0; n <= MOVE_SHORT_MAX; n++) {
        for (size_t to = 0; to < sizeof(bytes) - MOVE_SHORT_MAX; to++) {
            for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = wanted[i] = (uint8_t)(i * 31 + n);
            memmove(wanted + to, wanted + 80, n);
            move_short(bytes + to, bytes + 80, n);
            ck_assert_msg(memcmp(bytes, wanted, sizeof(bytes)) == 0, "%zu bytes from 80 to %zu", n,
                          to);
        }
    }
}
END_TEST

UNIT_MAIN("copy", every_routine_copies_every_size_and_alignment, small_jobs_are_memcpys,
          large_jobs_have_a_routine_of_their_own, whole_jobs_are_as_memmove,
          lines_are_copied_to_the_last_byte, a_ring_of_pages_is_remembered_and_a_walk_is_not,
          short_moves_are_as_memmove)
