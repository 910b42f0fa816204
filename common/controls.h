// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Control characters in text that another process chose: a terminal interprets them, and a newline
// would forge a line of a log.

#ifndef COMMON_CONTROLS_H
#define COMMON_CONTROLS_H

#include <stddef.h>

// Returns how many bytes at the beginning of `text` are one control character of UTF-8; 0: none.
// `text` is not empty.
static inline size_t control_character(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];

    if (first < ' ' || first == 0x7f)
        return 1;
    return first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2 : 0;
}

// Replaces each byte of control characters but one by '?'. The rest remains as it is.
static inline void controls_replace(char *text, char but)
{
    for (char *at = text; *at; at++)
        for (size_t n = *at == but ? 0 : control_character(at); n > 0; n--)
            at[n - 1] = '?';
}

#endif
