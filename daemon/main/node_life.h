// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The life of a node: what one docad is, from the configuration to the end.

#ifndef DAEMON_NODE_LIFE_H
#define DAEMON_NODE_LIFE_H

#include "errtext.h"

#include <stdbool.h>

struct config;
struct listener;
struct node;

// Makes the node of a complete configuration, which must outlive it and is changed by a
// reload.
doca_error_t node_new(struct node **out, struct config *config, struct errtext *err);

// Once what was kept has been taken up, in which functions of ibverbs devices have their ids:
// looks for the devices. What is on functions that have gone meanwhile ends.
void node_find_devices(struct node *node);

// Takes `listener` over, dials the peers and serves until node_stop(). False on failure.
bool node_run(struct node *node, struct listener *listener);
void node_stop_listening(struct node *node);

// Everything goes, and no charge may be left. Takes NULL, returns NULL.
struct node *node_free(struct node *node);

#endif
