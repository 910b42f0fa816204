// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How properties are passed in and out: as arrays of bytes.

#ifndef CLIENT_COMPAT13_PROPERTY_H
#define CLIENT_COMPAT13_PROPERTY_H

#include "core/refused.h"

#include <stdint.h>
#include <string.h>

static inline doca_error_t property_unknown(const char *function)
{
    return refused(function, "there is no such property");
}

static inline doca_error_t property_read_only(const char *function)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "the property is read only"), &err);
}

// Checks that `size` is the size of the property, `wanted` bytes.
static inline doca_error_t property_size(const char *function, uint32_t size, uint32_t wanted)
{
    struct errtext err;
    if (size == wanted)
        return DOCA_SUCCESS;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                              "the given size is %u, but the property has %u bytes", size, wanted),
                  &err);
}

// Returns a number.
static inline doca_error_t property_give(const char *function, const void *number, uint32_t wanted,
                                         uint8_t *value, uint32_t size)
{
    doca_error_t r = property_size(function, size, wanted);
    if (r == DOCA_SUCCESS)
        memcpy(value, number, wanted);
    return r;
}

// Returns a text and fills the rest of the room with zeros, because programs compare all of it.
// NULL returns an empty text. A text that is too long is cut.
static inline doca_error_t property_give_text(const char *function, const char *text,
                                              uint32_t wanted, uint8_t *value, uint32_t size)
{
    if (size < wanted)
        return property_size(function, size, wanted);
    memset(value, 0, size);
    if (text)
        memcpy(value, text, strnlen(text, wanted - 1));
    return DOCA_SUCCESS;
}

#endif
