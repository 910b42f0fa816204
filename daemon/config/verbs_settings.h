// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration of ibverbs devices.

#ifndef DAEMON_VERBS_SETTINGS_H
#define DAEMON_VERBS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define VERBS_PATTERNS_SIZE 256

struct verbs_settings {
    // Shell patterns of names, separated by commas.
    char include[VERBS_PATTERNS_SIZE], exclude[VERBS_PATTERNS_SIZE];
    // The timeouts and retries of reliable connections, as numbers of ibverbs.
    uint8_t timeout, retries, rnr_retries, rnr_timer;
};

// 67 ms for an acknowledgement, and 6 retries; 0.01 ms between tries for a receive, without limit.
// Not 7 retries: Soft-RoCE takes that as no limit, and would not detect a peer that has ended.
#define VERBS_SETTINGS_DEFAULT                                                                     \
    {                                                                                              \
        .include = "*", .timeout = 14, .retries = 6, .rnr_retries = 7, .rnr_timer = 1              \
    }

// Returns whether the device is offered. A device that a function section names always is.
bool verbs_settings_offer(const struct verbs_settings *settings, const char *name);

#endif
