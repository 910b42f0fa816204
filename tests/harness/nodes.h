// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Fixtures of tests with two linked nodes: each test has its own, which env_teardown() ends.

#ifndef HARNESS_NODES_H
#define HARNESS_NODES_H

#include "daemon.h"

extern struct node_pair nodes;

void setup_pair(void);
void setup_apart(void); // over a link without descriptors

#endif
