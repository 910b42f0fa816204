// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads the command line, and the configuration that results from it.

#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "config.h"

enum options_action {
    OPTIONS_RUN,
    OPTIONS_CHECK_CONFIG,
    OPTIONS_CHECK_WRONG, // the same, and the file has mistakes, which were reported
    OPTIONS_PRINT_CONFIG,
    OPTIONS_EXIT_OK, // help or version was shown
    OPTIONS_USAGE,   // wrong, and the mistakes were reported
};

// Reads the command line and the configuration file; the command line overrides the file. Unless
// the result is one of the last two, *config has a name, a socket and functions.
enum options_action options_read(int argc, char **argv, struct config *config);

// The same for a reload, in docad's loop: reads the file once, up to the first statement that
// cannot be parsed.
enum options_action options_read_again(int argc, char **argv, struct config *config);

#endif
