// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"
#include "work/copy.h"

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
    ck_assert_str_eq(copy_routine_name(4096), "memcpy");
    // The choice is by the job, not by the piece.
    copy_piece(dst, src, 4096, SIZE_MAX);
    ck_assert_mem_eq(dst, src, 4096);
    copy_piece(dst, src + 1, 4096, 4096);
    ck_assert_mem_eq(dst, src + 1, 4096);
}
END_TEST

UNIT_MAIN("copy", every_routine_copies_every_size_and_alignment, small_jobs_are_memcpys)
