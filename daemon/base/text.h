// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names that come from outside and end in logs, lists and JSON.

#ifndef DAEMON_TEXT_H
#define DAEMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// One or more printable characters in valid UTF-8, and with the terminating zero no
// more than `size` bytes.
bool text_is_name(const char *text, size_t size);

// Copies as much as fits; what is not printable ASCII becomes '?'.
void text_copy_printable(char *out, size_t size, const char *text);

#endif
