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

// A case whose tests share the nodes of all settings: none of them ends or configures a docad.
TCase *setting_shared_case(Suite *suite);

// Starts the nodes of the setting, or takes those that the case shares.
void setting_start(int setting);
void setting_assert_baseline(void);
struct peer_plan near_plan(int setting);
struct peer_plan far_plan(int setting);

// What a process does with its instance, which is closed afterwards.
typedef void (*peer_fn)(struct peer *p);
// Connects it with the other side's, as peers_run() and peers_join() expect it.
static inline void meet(struct peer *p)
{
    peer_meet(p, p->self);
}

// Two processes.
struct peers {
    struct peer_plan ours, theirs; // of the near one, and of the far one
    struct child *near, *far;
};

// Starts the nodes of a setting, and returns the plans for its processes, which the test may
// change.
struct peers peers_plan(int setting);
// Starts the processes; or starts them and lets them meet; or does all of that.
void peers_start(struct peers *peers, peer_fn near, peer_fn far);
void peers_meet(struct peers *peers, peer_fn near, peer_fn far);
struct peers peers_run(int setting, peer_fn near, peer_fn far);
// Both processes end, and leave nothing behind.
void peers_end(const struct peers *peers);

// Connects two processes, which run to their end and leave nothing behind.
void run_both(int setting, peer_fn near, peer_fn far);

// What a process does with two instances; it may close the first one itself.
typedef void (*both_fn)(struct peer *p, struct peer *q);
// One process on the near node, which leaves nothing behind; run_in_one() starts a setting before.
void run_here(int setting, both_fn fn);
void run_in_one(int setting, both_fn fn);
void connect_both(struct peer *p, struct peer *q);

#define ADD(suite, test, n)                                                                        \
    do {                                                                                           \
        TCase *tcase = tcase_create(#test);                                                        \
        tcase_add_checked_fixture(tcase, env_setup, env_teardown);                                 \
        tcase_set_timeout(tcase, 120);                                                             \
        tcase_add_loop_test(tcase, test, 0, (n));                                                  \
        suite_add_tcase(suite, tcase);                                                             \
    } while (0)

#endif
