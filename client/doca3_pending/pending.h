// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions of DOCA 3 that the library does not do yet. They stand here by the names that the
// linker knows, so they need no headers, and take whatever they are given.

#ifndef CLIENT_DOCA3_PENDING_PENDING_H
#define CLIENT_DOCA3_PENDING_PENDING_H

#include <doca_compat.h>
#include <doca_error.h>

#include <stdint.h>

// Logs that there is no such function yet, and returns DOCA_ERROR_NOT_SUPPORTED.
doca_error_t pending(const char *symbol);

// A function that returns an error.
#define PENDING(symbol)                                                                            \
    DOCA_STABLE doca_error_t pending_##symbol(void) __asm__(#symbol);                              \
    doca_error_t pending_##symbol(void)                                                            \
    {                                                                                              \
        return pending(#symbol);                                                                   \
    }

// A function that returns nothing, or something else: a pointer, a number, data. It is NULL, or 0.
#define PENDING_VALUE(symbol)                                                                      \
    DOCA_STABLE uint64_t pending_##symbol(void) __asm__(#symbol);                                  \
    uint64_t pending_##symbol(void)                                                                \
    {                                                                                              \
        (void)pending(#symbol);                                                                    \
        return 0;                                                                                  \
    }

#endif
