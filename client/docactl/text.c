// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

// Most texts consist of printable characters of ASCII. How many bytes at the beginning are such?
static size_t plain_bytes(const char *text)
{
    size_t n = 0;
    while (text[n] >= ' ' && text[n] <= '~')
        n++;
    return n;
}

char *text_for_terminal(const char *text)
{
    size_t left = strlen(text);
    if (plain_bytes(text) == left && !memchr(text, '\\', left))
        return strdup(text);
    char *out = malloc(4 * left + 1); // each byte grows to at most "\xNN"
    if (!out)
        return NULL;
    char *to = out;
    mbstate_t state = {0};
    while (left) {
        wchar_t c;
        size_t n = mbrtowc(&c, text, left, &state);
        // Characters without a width (marks, direction overrides) can make text look
        // like something else: they are escaped too.
        if (n < 1 || n > left || !iswprint((wint_t)c) || wcwidth(c) < 1) {
            memset(&state, 0, sizeof(state));
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
            n = 1;
        } else {
            if (c == L'\\')
                *to++ = '\\';
            memcpy(to, text, n);
            to += n;
        }
        text += n;
        left -= n;
    }
    *to = '\0';
    return out;
}

// Length of the valid UTF-8 sequence at `s`, or 0.
static size_t utf8_sequence(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) // also stops at the terminating zero
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0; // overlong, surrogate, or beyond the last character
    return n;
}

char *text_for_json(const char *text)
{
    char *out = malloc(3 * strlen(text) + 1); // a bad byte grows to three
    if (!out)
        return NULL;
    char *to = out;
    while (*text) {
        size_t n = utf8_sequence((const unsigned char *)text);
        memcpy(to, n ? text : "\xef\xbf\xbd", n ? n : 3);
        to += n ? n : 3;
        text += n ? n : 1;
    }
    *to = '\0';
    return out;
}

size_t text_width(const char *text)
{
    size_t width = plain_bytes(text), left = strlen(text + width);
    mbstate_t state = {0};
    text += width;
    while (left) {
        wchar_t c;
        size_t n = mbrtowc(&c, text, left, &state);
        if (n < 1 || n > left)
            return width + left;
        int w = wcwidth(c);
        width += w > 0 ? (size_t)w : 0;
        text += n;
        left -= n;
    }
    return width;
}

// Returns the length of the longest beginning that fits into `columns` columns.
static size_t beginning(const char *text, size_t width)
{
    size_t length = strlen(text), used = 0;
    mbstate_t state = {0};

    for (size_t at = 0; at < length;) {
        wchar_t c;
        size_t n = mbrtowc(&c, text + at, length - at, &state);
        int w = n < 1 || n > length - at ? 1 : wcwidth(c);
        n = n < 1 || n > length - at ? 1 : n;
        used += w > 0 ? (size_t)w : 0;
        if (used > width)
            return at;
        at += n;
    }
    return length;
}

void text_cut(char *text, size_t width)
{
    if (width > 0 && text_width(text) > width)
        strcpy(text + beginning(text, width - 1), "+");
}

void text_wrap(char *text, size_t width)
{
    while (text_width(text) > width) {
        char *end = text + beginning(text, width), *blank = end;
        while (blank > text && *blank != ' ')
            blank--;
        if (*blank != ' ' && !(blank = strchr(end, ' ')))
            return;
        *blank = '\n';
        text = blank + 1;
    }
}

void text_bytes(char out[TEXT_SHORT], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    for (uint64_t rest = bytes; rest >= 1024; rest /= 1024)
        unit++;
    uint64_t scale = UINT64_C(1) << (10 * unit);
    if (bytes % scale == 0)
        snprintf(out, TEXT_SHORT, "%" PRIu64 " %s", bytes / scale, units[unit]);
    else
        snprintf(out, TEXT_SHORT, "%.1f %s", (double)bytes / (double)scale, units[unit]);
}

void text_duration(char out[TEXT_SHORT], uint64_t ms)
{
    uint64_t s = ms / 1000;
    if (ms < 1000)
        snprintf(out, TEXT_SHORT, "%" PRIu64 " ms", ms);
    else if (s < 60)
        snprintf(out, TEXT_SHORT, "%" PRIu64 " s", s);
    else if (s < 3600)
        snprintf(out, TEXT_SHORT, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, TEXT_SHORT, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s / 60 % 60);
    else
        snprintf(out, TEXT_SHORT, "%" PRIu64 " d %" PRIu64 " h", s / 86400, s / 3600 % 24);
}

void text_export_id(char out[TEXT_SHORT], uint64_t id)
{
    snprintf(out, TEXT_SHORT, "%016" PRIx64, id);
}
