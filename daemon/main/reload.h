// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A new configuration for a node that runs.

#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

struct config;
struct node;

// Takes over what can change: functions, peers, limits, policy, trust, the log level. A
// log line names what cannot, and that it stays. No client is dropped; what hangs on a
// function that is no more ends as if it had been revoked.
void reload(struct node *node, const struct config *config);

#endif
