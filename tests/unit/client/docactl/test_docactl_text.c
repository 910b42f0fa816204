// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "text.h"
#include "unit.h"

#include <locale.h>

static void assert_terminal(const char *text, const char *expected)
{
    cleanup_free char *escaped = text_for_terminal(text);
    ck_assert_str_eq(escaped, expected);
}

START_TEST(what_does_not_print_is_escaped)
{
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    assert_terminal("", "");
    assert_terminal("plain text", "plain text");
    assert_terminal("\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m");
    assert_terminal("two\nlines\ttab\r", "two\\x0alines\\x09tab\\x0d");
    assert_terminal("back\\slash", "back\\\\slash");
    assert_terminal("\x7f", "\\x7f");
    assert_terminal("gr\303\266\303\237e", "gr\303\266\303\237e"); // letters stay
    assert_terminal("\302\233[31m", "\\xc2\\x9b[31m");             // an 8-bit escape sequence
    assert_terminal("a\342\200\256b", "a\\xe2\\x80\\xaeb");        // right-to-left override
    assert_terminal("e\314\201", "e\\xcc\\x81");                   // a mark without width
    assert_terminal("\xff\xfe", "\\xff\\xfe");
    assert_terminal("cut \303", "cut \\xc3");
}
END_TEST

START_TEST(other_locales_get_ascii)
{
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C"));
    assert_terminal("gr\303\266", "gr\\xc3\\xb6");
    assert_terminal("\033c", "\\x1bc");
}
END_TEST

static void assert_json(const char *text, const char *expected)
{
    cleanup_free char *clean = text_for_json(text);
    ck_assert_str_eq(clean, expected);
}

START_TEST(json_gets_valid_utf8)
{
    assert_json("plain", "plain");
    assert_json("\303\266 \342\202\254 \360\237\230\200", "\303\266 \342\202\254 \360\237\230\200");
    assert_json("\xff", "\357\277\275");
    assert_json("a\303", "a\357\277\275");
    assert_json("\300\200", "\357\277\275\357\277\275");                 // overlong
    assert_json("\355\240\200", "\357\277\275\357\277\275\357\277\275"); // surrogate
    assert_json("\364\220\200\200", "\357\277\275\357\277\275\357\277\275\357\277\275");
    assert_json("\342\202", "\357\277\275\357\277\275");
}
END_TEST

START_TEST(width_counts_columns)
{
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    ck_assert_uint_eq(text_width(""), 0);
    ck_assert_uint_eq(text_width("abc"), 3);
    ck_assert_uint_eq(text_width("gr\303\266\303\237e"), 5);
    ck_assert_uint_eq(text_width("\344\270\255"), 2);
}
END_TEST

static void assert_bytes(uint64_t bytes, const char *expected)
{
    char out[TEXT_SHORT];
    text_bytes(out, bytes);
    ck_assert_str_eq(out, expected);
}

START_TEST(bytes_have_units)
{
    assert_bytes(0, "0 B");
    assert_bytes(1, "1 B");
    assert_bytes(1023, "1023 B");
    assert_bytes(1024, "1 KiB");
    assert_bytes(1536, "1.5 KiB");
    assert_bytes(UINT64_C(256) << 20, "256 MiB");
    assert_bytes(UINT64_MAX, "16.0 EiB");
}
END_TEST

static void assert_duration(uint64_t ms, const char *expected)
{
    char out[TEXT_SHORT];
    text_duration(out, ms);
    ck_assert_str_eq(out, expected);
}

START_TEST(durations_have_units)
{
    assert_duration(0, "0 ms");
    assert_duration(999, "999 ms");
    assert_duration(1000, "1 s");
    assert_duration(192000, "3 min 12 s");
    assert_duration(7500000, "2 h 5 min");
    assert_duration(UINT64_C(349200000), "4 d 1 h");
}
END_TEST

UNIT_MAIN("docactl_text", what_does_not_print_is_escaped, other_locales_get_ascii,
          json_gets_valid_utf8, width_counts_columns, bytes_have_units, durations_have_units)
