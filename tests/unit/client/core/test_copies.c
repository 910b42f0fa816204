// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "core/copies_over.h"
#include "log_capture.h"
#include "text_names.h"

#include <string.h>

#define OFFERED 4096

static uint64_t with(const char *text, uint64_t offered)
{
    ck_assert_int_eq(setenv("DOCAD_COPIES_OVER", text, 1), 0);
    return copies_over(offered);
}

START_TEST(docads_own)
{
    unsetenv("DOCAD_COPIES_OVER");
    ck_assert_uint_eq(copies_over(OFFERED), OFFERED);
    ck_assert_uint_eq(copies_over(0), UINT64_MAX);
    ck_assert_uint_eq(with("", OFFERED), OFFERED);
    ck_assert_uint_eq(with("1M", 0), UINT64_MAX);
}
END_TEST

START_TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t value;
    } right[] = {{"1", 1},
                 {"65536", 65536},
                 {"16k", 16 << 10},
                 {"16M", 16 << 20},
                 {"2G", 2ull << 30},
                 {"3T", 3ull << 40},
                 {"0", UINT64_MAX},
                 {"0M", UINT64_MAX},
                 {"never", UINT64_MAX},
                 {"unlimited", UINT64_MAX}};
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
        ck_assert_msg(with(right[i].text, OFFERED) == right[i].value, "%s", right[i].text);
}
END_TEST

START_TEST(what_is_no_size_is_told_and_ignored)
{
    static const char *const wrong[] = {
        "x", "16MB", "1.5M", "-1", " 1", "0x10", "Never", "18446744073709551616", "16777216T"};
    struct standard s = standard_capture();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        truncate_to_nothing(s.err);
        ck_assert_msg(with(wrong[i], OFFERED) == OFFERED, "%s", wrong[i]);
        const char *text = log_text(s.err);
        assert_names(text, "DOCAD_COPIES_OVER");
    }
    truncate_to_nothing(s.err);
    with("16M", OFFERED);
    ck_assert_str_eq(log_text(s.err), "");
}
END_TEST

UNIT_MAIN("copies", docads_own, sizes, what_is_no_size_is_told_and_ignored)
