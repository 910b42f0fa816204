// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Prepares the text of a configuration file for the parser: reads it, removes comments and
// checks braces.

#ifndef DAEMON_CONFIG_TEXT_H
#define DAEMON_CONFIG_TEXT_H

#include <stddef.h>

struct config_fault {
    int line; // 0: the file as a whole
    char text[256];
};

// Reads the file into memory that the caller frees. NULL with *fault filled on failure.
char *config_text_read(const char *path, struct config_fault *fault);

// Turns comments (#, //, /* */) into spaces, because the parser miscounts lines in them. Returns 0,
// or -1 with *fault filled if a brace, a string or a comment is not closed, which the parser would
// not notice.
int config_text_prepare(char *text, struct config_fault *fault);

#endif
