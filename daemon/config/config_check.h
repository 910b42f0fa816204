// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What is wrong with a configuration file is told, a line each. Parts that are good by
// themselves may still make no sense as a whole.

#ifndef DAEMON_CONFIG_CHECK_H
#define DAEMON_CONFIG_CHECK_H

#include "config.h"

struct complaints {
    const char *path; // of the file
    FILE *to;
    int n;
};

// "FILE:LINE: what is wrong (what to write instead)"; line 0: the file as a whole.
void complain(struct complaints *complaints, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Looks at what was read as a whole. The lines are those of each function's PCI address.
void config_check(const struct config *config, const int *pci_lines, struct complaints *complaints);

#endif
