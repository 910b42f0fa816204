// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Finds the end of the digits, or returns NULL.
static const char *read_digits(const char *text, int base, uint64_t *out)
{
    char *end;

    // strtoull() would accept blanks and signs.
    if (!isxdigit((unsigned char)text[0]))
        return NULL;
    errno = 0;
    *out = strtoull(text, &end, base);
    return errno || end == text ? NULL : end;
}

bool number_read(const char *text, int base, uint64_t max, uint64_t *out)
{
    uint64_t value;
    const char *end = read_digits(text, base, &value);

    if (!end || *end || value > max)
        return false;
    *out = value;
    return true;
}

bool number_read_size(const char *text, uint64_t max, uint64_t *out)
{
    static const char units[] = "KMGT";
    uint64_t value;
    const char *end = read_digits(text, 10, &value);

    if (!end)
        return false;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end[unit ? 1 : 0] || value > max >> shift)
        return false;
    *out = value << shift;
    return true;
}
