// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Text and numbers into a stream that one thread writes. A program makes a million calls in a
// second, and waits when their lines are not written as fast: printf() would take most of the time.

#ifndef WORKBENCH_PUT_H
#define WORKBENCH_PUT_H

#include <stdint.h>
#include <stdio.h>

static inline void put(FILE *out, char c)
{
    putc_unlocked(c, out);
}

static inline void put_text(FILE *out, const char *text)
{
    fputs_unlocked(text, out);
}

// In decimal, with zeros in front up to a number of digits.
static inline void put_digits(FILE *out, uint64_t number, unsigned least)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10));
    while (count < least)
        digits[count++] = '0';
    while (count)
        put(out, digits[--count]);
}

static inline void put_number(FILE *out, uint64_t number)
{
    put_digits(out, number, 1);
}

static inline void put_signed(FILE *out, int64_t number)
{
    if (number < 0)
        put(out, '-');
    put_number(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

// As 0x1f.
static inline void put_hex(FILE *out, uint64_t number)
{
    int shift = number ? (63 - __builtin_clzll(number)) / 4 * 4 : 0;
    put_text(out, "0x");
    for (; shift >= 0; shift -= 4)
        put(out, "0123456789abcdef"[number >> shift & 15]);
}

#endif
