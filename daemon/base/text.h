// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names that come from outside and end in logs, lists and JSON.

#ifndef DAEMON_TEXT_H
#define DAEMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// True for one or more printable characters in valid UTF-8 that take no more than `size`
// bytes, including the terminating zero.
bool text_is_name(const char *text, size_t size);

// Copies as much as fits and replaces everything that is not printable ASCII by '?'.
void text_copy_printable(char *out, size_t size, const char *text);

#endif
