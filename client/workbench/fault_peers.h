// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections that break after a number of messages or operations: the program and its peer see
// what a lost peer looks like.

#ifndef WORKBENCH_FAULT_PEERS_H
#define WORKBENCH_FAULT_PEERS_H

#include "workbench.h"

// Looks whether there are rules for connections.
void fault_peers_start(void);

// A call has returned without an error.
void fault_peers_after(const struct call *call);

// A callback of the program is about to be called. `task` has completed without an error, or is
// NULL: then it may be about a message.
void fault_peers_callback(const struct call *callback, void *task);

#endif
