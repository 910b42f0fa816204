// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Applies a new configuration to a running node.

#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include <stdbool.h>

struct config;
struct node;

// Takes over the settings that can change: functions, peers, limits, policy, trust, the log
// level. A log line names each option that differs, with its new value, and each changed setting
// that cannot change and therefore stays. No client is dropped; objects on a function that no
// longer exists end as if they had been revoked. Returns false if nothing changes, because the
// policy needs accounts (account.h) that cannot be read.
bool reload(struct node *node, const struct config *config);

// For config_check_policy(): docad warns and continues.
void config_warn(void *config, int line, const char *text);

#endif
