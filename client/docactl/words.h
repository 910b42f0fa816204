// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which command the words of a command line name. Words may be cut short as long as they are
// unambiguous.

#ifndef DOCACTL_WORDS_H
#define DOCACTL_WORDS_H

#include "docactl.h"

// Returns how many of the words name the command, the longest that fits; 0 if there is none, with
// the reason.
int words_find(const struct command **command, int argc, char **argv, char *why, size_t size);

// Returns whether commands begin with this word and have a second one.
bool words_begin_commands(const char *word);

// Writes the reason why there is no such second word.
void words_no_second(const char *first, const char *second, char *why, size_t size);

#endif
