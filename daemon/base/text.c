// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "text.h"

#include <stdint.h>
#include <string.h>

// The length in bytes of the UTF-8 sequence at `s`; 0 if it is invalid or a control
// character.
static size_t character_size(const uint8_t *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80             ? 1
               : (s[0] & 0xe0) == 0xc0 ? 2
               : (s[0] & 0xf0) == 0xe0 ? 3
               : (s[0] & 0xf8) == 0xf0 ? 4
                                       : 0;
    if (n == 0)
        return 0;
    uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) // also ends at the terminating zero
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    bool surrogate = c >= 0xd800 && c < 0xe000;
    return control || surrogate || c < least[n] || c > 0x10ffff ? 0 : n;
}

bool text_is_name(const char *text, size_t size)
{
    if (text[0] == '\0' || strnlen(text, size) == size)
        return false;
    for (const uint8_t *s = (const uint8_t *)text; *s;) {
        size_t n = character_size(s);
        if (n == 0)
            return false;
        s += n;
    }
    return true;
}

void text_copy_printable(char *out, size_t size, const char *text)
{
    size_t n = strnlen(text, size - 1);
    for (size_t i = 0; i < n; i++)
        out[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
    out[n] = '\0';
}
