// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"
#include "work/copy.h"
#include "work/short.h"

#include <stdint.h>

static uint8_t src[4096 + 64], dst[4096 + 64], expected[4096 + 64];

// Those of large jobs, on short ranges.
START_TEST(large_jobs_copy_every_size_and_alignment)
{
    copy_init();
    for (size_t i = 0; i < sizeof(src); i++)
        src[i] = (uint8_t)(i * 31 + i / 256);
    for (size_t n = 0; n < 700; n++) {
        size_t from = n % 33, to = (n * 7) % 37;
        memset(dst, 0xee, sizeof(dst));
        memset(expected, 0xee, sizeof(expected));
        memcpy(expected + to, src + from, n);
        copy_piece(dst + to, src + from, n, SIZE_MAX);
        ck_assert_msg(memcmp(dst, expected, sizeof(dst)) == 0, "%s: %zu bytes from +%zu to +%zu",
                      copy_routine_name(SIZE_MAX), n, from, to);
    }
}
END_TEST

START_TEST(small_jobs_are_memcpys)
{
    ck_assert_str_eq(copy_routine_name(64), "memcpy");
    ck_assert_str_eq(copy_routine_name(65535), "memcpy");
    ck_assert_uint_ge(copy_large_from, 65536);
}
END_TEST

static size_t pieces, piece_size;

static void note_piece(void *to, const void *from, size_t n)
{
    pieces++;
    piece_size = n;
    memcpy(to, from, n);
}

// The choice is by the job, not by the piece.
START_TEST(pieces_of_large_jobs_are_copied_alike)
{
    copy_init();
    copy_large = note_piece;
    copy_piece(dst, src, 4096, SIZE_MAX);
    ck_assert_uint_eq(pieces, 1);
    ck_assert_uint_eq(piece_size, 4096);
    copy_piece(dst, src, 4096, 4096);
    ck_assert_uint_eq(pieces, 1);
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

UNIT_MAIN("copy", large_jobs_copy_every_size_and_alignment, small_jobs_are_memcpys,
          pieces_of_large_jobs_are_copied_alike, short_moves_are_as_memmove)
