// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the configuration says of ibverbs devices.

#ifndef DAEMON_VERBS_SETTINGS_H
#define DAEMON_VERBS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define VERBS_PATTERNS_SIZE 256

struct verbs_settings {
    // Patterns of names as the shell has them, separated by commas.
    char include[VERBS_PATTERNS_SIZE], exclude[VERBS_PATTERNS_SIZE];
    // How reliable connections wait; numbers as ibverbs has them.
    uint8_t timeout, retries, rnr_retries, rnr_timer;
};

// 67 ms for an answer, 6 times more; 0.01 ms between tries for a receive, for ever. Not 7
// times: to Soft-RoCE that is for ever, and who waits for one that has gone would not know.
#define VERBS_SETTINGS_DEFAULT                                                                     \
    {                                                                                              \
        .include = "*", .timeout = 14, .retries = 6, .rnr_retries = 7, .rnr_timer = 1              \
    }

// Is the device offered? One that a function section names always is.
bool verbs_settings_offer(const struct verbs_settings *settings, const char *name);

#endif
