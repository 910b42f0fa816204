// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Text for people and for JSON. What the daemon reports contains names that other
// programs chose: none of it may reach a terminal, or a JSON document, as it is.

#ifndef DOCACTL_TEXT_H
#define DOCACTL_TEXT_H

#include <stddef.h>
#include <stdint.h>

// A copy for terminals: what does not print visibly in the locale's character set
// becomes \xNN, a backslash becomes two. The caller frees it; NULL without memory.
char *text_for_terminal(const char *text);

// A copy that is valid UTF-8: bytes that are not become U+FFFD.
char *text_for_json(const char *text);

// Terminal columns that an escaped text takes.
size_t text_width(const char *text);

#define TEXT_SHORT 32

// "0 B", "17 B", "4 KiB", "1.5 MiB".
void text_bytes(char out[TEXT_SHORT], uint64_t bytes);

// "35 ms", "12 s", "3 min 12 s", "2 h 5 min", "4 d 1 h".
void text_duration(char out[TEXT_SHORT], uint64_t ms);

#endif
