// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Text for people and for JSON. What the daemon reports contains names that other
// programs chose: it must never reach a terminal, or a JSON document, unescaped.

#ifndef DOCACTL_TEXT_H
#define DOCACTL_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Makes a copy for terminals: bytes that are not visible in the locale's character set become
// \xNN, a backslash becomes two. The caller frees it; NULL if out of memory.
char *text_for_terminal(const char *text);

// Makes a copy in valid UTF-8: invalid bytes become U+FFFD.
char *text_for_json(const char *text);

// Returns the number of terminal columns that an escaped text takes.
size_t text_width(const char *text);

// Cuts an escaped text to `columns` columns; a + marks the cut.
void text_cut(char *text, size_t width);

// Breaks an escaped text at blanks into lines of at most `columns` columns. A longer word stays
// whole.
void text_wrap(char *text, size_t width);

#define TEXT_SHORT 32

// "0 B", "17 B", "4 KiB", "1.5 MiB".
void text_bytes(char out[TEXT_SHORT], uint64_t bytes);

// "35 ms", "12 s", "3 min 12 s", "2 h 5 min", "4 d 1 h".
void text_duration(char out[TEXT_SHORT], uint64_t ms);

// As --id and other arguments take it.
void text_export_id(char out[TEXT_SHORT], uint64_t id);

#endif
