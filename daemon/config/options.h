// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command line, and the configuration that it leads to.

#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "config.h"

enum options_action {
    OPTIONS_RUN,
    OPTIONS_CHECK_CONFIG,
    OPTIONS_PRINT_CONFIG,
    OPTIONS_EXIT_OK, // help or version was shown
    OPTIONS_USAGE,   // wrong, and said so
};

// Reads the command line and the configuration file; what the command line says wins.
// Unless it is one of the last two *config is complete: with a name, a socket and
// functions.
enum options_action options_read(int argc, char **argv, struct config *config);

#endif
