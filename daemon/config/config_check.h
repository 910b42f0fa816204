// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reports mistakes in a configuration file, one line each. Options that are valid by themselves
// may still contradict each other.

#ifndef DAEMON_CONFIG_CHECK_H
#define DAEMON_CONFIG_CHECK_H

#include "config.h"

struct complaints {
    const char *path; // path of the file
    FILE *to;
    int n;
};

// "FILE:LINE: what is wrong (what to write instead)"; line 0: the file as a whole.
void complain(struct complaints *complaints, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Checks the configuration as a whole. `pci_lines` has the line of each function's PCI address.
void config_check(const struct config *config, const int *pci_lines, struct complaints *complaints);

#endif
