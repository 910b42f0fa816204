// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of ibverbs devices among those of the node: the place that each has, and so
// its id; and what is said when they come, change and go.

#ifndef DAEMON_VERBS_PLACE_H
#define DAEMON_VERBS_PLACE_H

#include "state_table.h"
#include "verbs_device.h"

#include <stdbool.h>

struct node;

// The port as it is now, and as the configuration has it: a function, or none. True if one
// has come or gone. `first`: of the looks since the device or the configuration was new; if
// there is no place for it, that is told then only.
bool verbs_place_port(struct node *node, struct ibv_context *context, uint8_t port, bool first);

// In the log, once of each function: GIDs that docad has no room for.
void verbs_place_tell_left_out(struct node *node);

// The device's functions go; what they have ends with `state`. True if there was one.
bool verbs_place_remove(struct node *node, const char *device, enum slot_state state);

#endif
