// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The differences between two configurations, by the names of the options.

#ifndef DAEMON_CONFIG_CHANGES_H
#define DAEMON_CONFIG_CHANGES_H

#include "config.h"

#define CONFIG_CHANGE_SIZE 512

// Calls changed() for each option that differs, with "limits.sessions_per_uid = 8 (was 16384)" or
// "policy \"guests\": export = {\"dpu\"} (was not set)", and for each peer and rule that is new or
// has been removed. Returns how many there are.
unsigned config_changes(const struct config *was, const struct config *is,
                        void (*changed)(void *arg, const char *text), void *arg);

#endif
