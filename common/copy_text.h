// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef COMMON_COPY_TEXT_H
#define COMMON_COPY_TEXT_H

#include <string.h>

// Copies text into an array of characters, and truncates text that is too long: check the length
// before if that matters. A pointer in place of the array does not compile.
#define copy_text(array, text)                                                                     \
    copy_text_into(*(char(*)[sizeof(array)]){&(array)}, sizeof(array), (text))

static inline void copy_text_into(char *out, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

#endif
