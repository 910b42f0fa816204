// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory that this process may use: that of the machine, or less if a control group limits it.

#ifndef DAEMON_MEMORY_SIZE_H
#define DAEMON_MEMORY_SIZE_H

#include <stdint.h>

// In bytes: the least of the machine's memory and the limits of the process's memory control group
// and of those above it (cgroups(7), versions 1 and 2), as far as this mount namespace shows them.
uint64_t memory_size(void);

// Returns the limit of the control groups, by the files of `proc` ("/proc/self") and those that
// these name below `root` (""). UINT64_MAX if there is none.
uint64_t memory_size_of_groups(const char *proc, const char *root);

#endif
