// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration as a file that says the same: what is as it is by default stands in
// comments.

#ifndef DAEMON_CONFIG_PRINT_H
#define DAEMON_CONFIG_PRINT_H

#include "config.h"

void config_print(const struct config *config, FILE *out);

#endif
