// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "number.h"
#include "unit.h"

START_TEST(numbers)
{
    static const struct {
        const char *text;
        int base;
        uint64_t max, value;
    } good[] = {{"0", 10, 0, 0},
                {"4096", 10, 4096, 4096},
                {"007", 10, 10, 7},
                {"18446744073709551615", 10, UINT64_MAX, UINT64_MAX},
                {"0666", 8, 0777, 0666},
                {"1f", 16, 31, 31},
                {"FfFfFfFfFfFfFfFf", 16, UINT64_MAX, UINT64_MAX},
                {"0x1F", 16, 31, 31}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t value = 42;
        ck_assert_msg(number_read(good[i].text, good[i].base, good[i].max, &value), "%s",
                      good[i].text);
        ck_assert_uint_eq(value, good[i].value);
    }
}
END_TEST

START_TEST(what_is_no_number)
{
    static const struct {
        const char *text;
        int base;
        uint64_t max;
    } bad[] = {{"", 10, UINT64_MAX},
               {"x", 10, UINT64_MAX},
               {"f", 10, UINT64_MAX},
               {"-1", 10, UINT64_MAX},
               {"+1", 10, UINT64_MAX},
               {" 1", 10, UINT64_MAX},
               {"1 ", 10, UINT64_MAX},
               {"1K", 10, UINT64_MAX},
               {"1.0", 10, UINT64_MAX},
               {"0x10", 10, UINT64_MAX},
               {"11", 10, 10},
               {"18446744073709551616", 10, UINT64_MAX},
               {"8", 8, UINT64_MAX},
               {"18", 8, UINT64_MAX},
               {"0x", 16, UINT64_MAX},
               {"x1", 16, UINT64_MAX},
               {"0x0x1", 16, UINT64_MAX},
               {"10000000000000000", 16, UINT64_MAX}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t value = 42;
        ck_assert_msg(!number_read(bad[i].text, bad[i].base, bad[i].max, &value), "'%s'",
                      bad[i].text);
        ck_assert_uint_eq(value, 42);
    }
}
END_TEST

START_TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t max, value;
    } good[] = {{"0", 0, 0},
                {"4096", 4096, 4096},
                {"64K", 65536, 65536},
                {"64k", 65536, 65536},
                {"1M", UINT64_MAX, 1 << 20},
                {"2g", UINT64_MAX, 2ull << 30},
                {"1T", 1ull << 40, 1ull << 40},
                {"16777215T", UINT64_MAX, UINT64_MAX - (1ull << 40) + 1},
                {"18446744073709551615", UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t value = 42;
        ck_assert_msg(number_read_size(good[i].text, good[i].max, &value), "%s", good[i].text);
        ck_assert_uint_eq(value, good[i].value);
    }
}
END_TEST

START_TEST(what_is_no_size)
{
    static const struct {
        const char *text;
        uint64_t max;
    } bad[] = {{"", UINT64_MAX},
               {"K", UINT64_MAX},
               {"-1", UINT64_MAX},
               {" 1", UINT64_MAX},
               {"1 ", UINT64_MAX},
               {"1KB", UINT64_MAX},
               {"1KK", UINT64_MAX},
               {"1P", UINT64_MAX},
               {"1.5M", UINT64_MAX},
               {"0x10", UINT64_MAX},
               {"4097", 4096},
               {"64K", 65535},
               {"18446744073709551616", UINT64_MAX},
               {"18014398509481984K", UINT64_MAX},
               {"16777216T", UINT64_MAX}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t value = 42;
        ck_assert_msg(!number_read_size(bad[i].text, bad[i].max, &value), "'%s'", bad[i].text);
        ck_assert_uint_eq(value, 42);
    }
}
END_TEST

UNIT_MAIN("number", numbers, what_is_no_number, sizes, what_is_no_size)
