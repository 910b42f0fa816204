// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Fixtures of tests with two linked nodes: each test has its own, which env_teardown() ends.

#ifndef HARNESS_NODES_H
#define HARNESS_NODES_H

#include "daemon.h"

#include <check.h>

extern struct node_pair nodes;

void setup_pair(void);
void setup_apart(void); // over a link without descriptors

// Adds a case to the suite, each test of which has such nodes.
TCase *case_near(Suite *suite);
TCase *case_apart(Suite *suite);

// The same, but all tests of the case share the nodes. None of them ends, freezes or configures a
// docad, nor asks what happened in one before. After each test, no object of a client is left.
TCase *case_near_shared(Suite *suite);
TCase *case_apart_shared(Suite *suite);

// Waits until no object of a client is left on either node, nor a channel or an RDMA endpoint.
void assert_nothing_left(void);

#endif
