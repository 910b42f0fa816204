// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration as a file that says the same: what is as it is by default stands in
// comments.

#ifndef DAEMON_CONFIG_PRINT_H
#define DAEMON_CONFIG_PRINT_H

#include "config.h"

void config_print(const struct config *config, FILE *out);

// ---- its parts --------------------------------------------------------------------------

// In front of a line that says what is so by default.
static inline const char *config_mark(bool is_default)
{
    return is_default ? "# " : "";
}

// A text in quotation marks, so that reading it gives the same text.
void config_print_text(const char *text, FILE *out);

void config_print_functions(const struct config *config, FILE *out);

#endif
