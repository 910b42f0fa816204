// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks across options: valid ones may still contradict each other, or name what does not exist.

#ifndef DAEMON_CONFIG_CHECK_H
#define DAEMON_CONFIG_CHECK_H

#include "complaints.h"
#include "config.h"

// Checks the configuration as a whole. `pci_lines` has the line of each function's PCI address. A
// missing statement may be one that could not be parsed.
void config_check(const struct config *config, const int *pci_lines, struct complaints *complaints);

// Checks the names of functions in the policy, against functions of the configuration, built-in
// ones included, and ibverbs devices that this machine has now. A name without a function allows
// nothing, until there is such a device, and docad starts nevertheless. Calls wrong() for each, and
// returns their number.
unsigned config_check_policy(const struct config *config,
                             void (*wrong)(void *arg, int line, const char *text), void *arg);

#endif
