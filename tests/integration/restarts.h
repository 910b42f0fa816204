// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs that go on while the daemons of two nodes are restarted, again and again.

#ifndef INTEGRATION_RESTARTS_H
#define INTEGRATION_RESTARTS_H

#include "daemon.h"

#include <stdatomic.h>
#include <stdbool.h>

#define RESTARTED_JOBS 4

// The state that the processes of a test share.
struct restarted {
    _Atomic unsigned jobs[RESTARTED_JOBS]; // done, of each
    _Atomic bool stop;
};
extern struct restarted *restarted;
extern struct node_pair restarted_nodes;

// A daemon that a manager restarts.
struct daemon *restartable_start(const char *role, const char *peer, const char *config);
int restart_signal(int i); // SIGTERM and SIGKILL by turns

// Both nodes, linked; apart: over a link that carries no descriptors.
void restarted_start(bool apart);
// No object of a client is left.
void restarted_stop(void);

// Restarts one daemon after the other, in either way: after each, all of `programs` that
// count in `jobs` go on. Then tells them to stop. $DOCAD_TEST_RESTARTS says how often.
void restart_often(unsigned programs);

// For a program that only has something: waits for longer than one waits for a word.
void restarted_wait_stop(void);

#endif
