// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The identity of a node: the same after a restart, different for every daemon.

#ifndef DAEMON_NODE_ID_H
#define DAEMON_NODE_ID_H

#include "message.h"

#include <stdbool.h>

#define NODE_ID_TEXT_SIZE (NODE_ID_SIZE * 2 + 1)
#define NODE_NAME_SIZE    64
#define NODE_RUN_SIZE     16 // the same for all runs of a docad that restarts with its objects

// Makes the id from the machine, the role, the name and the absolute path of the socket.
// Returns false if memory runs out or SHA-256 is not available.
bool node_id_make(const char *role, const char *name, const char *socket, uint8_t id[NODE_ID_SIZE]);

// 32 hex digits.
void node_id_format(const uint8_t id[NODE_ID_SIZE], char text[NODE_ID_TEXT_SIZE]);

#endif
