// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The life of a node, from the configuration to the end of docad.

#ifndef DAEMON_NODE_LIFE_H
#define DAEMON_NODE_LIFE_H

#include "errtext.h"

#include <stdbool.h>

struct config;
struct listener;
struct node;

// Makes the node from a complete configuration. The configuration must outlive the node; a
// reload changes it.
doca_error_t node_new(struct node **out, struct config *config, struct errtext *err);

// Looks for ibverbs devices. Call it after the kept objects were restored, because they hold the
// ids of the devices' functions. Objects on functions that were removed end.
void node_find_devices(struct node *node);

// Takes over `listener`, dials the peers and serves until node_stop(). False on failure.
bool node_run(struct node *node, struct listener *listener);
void node_stop_listening(struct node *node);

// Frees the node and everything in it; no charge may be left. Takes NULL, returns NULL.
struct node *node_free(struct node *node);

#endif
