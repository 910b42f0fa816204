// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Numbers and sizes as users write them: digits only, no blanks, no sign. A text that is
// not a number, or a number above `max`, leaves *out as it is.

#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// "4096". Base 16: "0x1f" or "1F".
bool number_read(const char *text, int base, uint64_t max, uint64_t *out);

// "4096", "64K", "256m", "1G", "2T".
bool number_read_size(const char *text, uint64_t max, uint64_t *out);

#endif
