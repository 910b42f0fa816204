// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Assigns slots among the node's functions to those of ibverbs devices, which determines their ids,
// and logs when they are added, changed and removed.

#ifndef DAEMON_VERBS_PLACE_H
#define DAEMON_VERBS_PLACE_H

#include "state_table.h"
#include "verbs_device.h"

#include <stdbool.h>

struct node;

// Updates the function of a port according to the port's state and the configuration: there is a
// function, or none. Returns true if one was added or removed. `first`: this is the first scan
// since the device or the configuration was new; only then is it logged if there is no slot for the
// function.
bool verbs_place_port(struct node *node, struct ibv_context *context, uint8_t port, bool first);

// Logs, once for each function, GIDs that docad has no room for.
void verbs_place_log_left_out(struct node *node);

// Ends the device's functions, and the objects on them with `state`. Returns true if there was one.
bool verbs_place_remove(struct node *node, const char *device, enum slot_state state);

#endif
