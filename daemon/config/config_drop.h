// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Removes a statement from a configuration, so that the text after a mistake is read, too.

#ifndef DAEMON_CONFIG_DROP_H
#define DAEMON_CONFIG_DROP_H

#include <stdbool.h>

// Blanks the statement that is, in part, in this line: an option with its value, or a section with
// its braces; the innermost one that begins with `word`, or, without a word, the outermost one. The
// text has been prepared (config_text.h). Lines keep their numbers. Returns false if there is none.
bool config_drop(char *text, int line, const char *word);

#endif
