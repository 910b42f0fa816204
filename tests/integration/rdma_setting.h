// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The settings for tests of RDMA: test _i of a loop is in setting _i % SETTINGS, on one node or
// on two, in polling or in event-driven mode.

#ifndef INTEGRATION_RDMA_SETTING_H
#define INTEGRATION_RDMA_SETTING_H

#include "rdma_peer.h"

#include "cleanup.h"
#include "deadline.h"
#include "run.h"

enum { ONE_NODE, TWO_NODES, ONE_NODE_EVENTS, TWO_NODES_EVENTS, SETTINGS };

extern struct daemon *near_node, *far_node; // the same one on one node

static inline bool on_two_nodes(int setting)
{
    return setting == TWO_NODES || setting == TWO_NODES_EVENTS;
}

void setting_start(int setting);
void setting_assert_baseline(void);
struct peer_plan near_plan(int setting);
struct peer_plan far_plan(int setting);

// Connects two processes, which run to their end and leave nothing behind.
void run_both(int setting, child_fn a, child_fn b);

#define ADD(suite, test, n)                                                                        \
    do {                                                                                           \
        TCase *tcase = tcase_create(#test);                                                        \
        tcase_add_checked_fixture(tcase, env_setup, env_teardown);                                 \
        tcase_set_timeout(tcase, 120);                                                             \
        tcase_add_loop_test(tcase, test, 0, (n));                                                  \
        suite_add_tcase(suite, tcase);                                                             \
    } while (0)

#endif
