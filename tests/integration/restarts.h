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

// Starts both nodes, linked. If `apart`, the link carries no descriptors.
void restarted_start(bool apart);
// Checks that no object of a client is left.
void restarted_stop(void);

// Restarts one daemon after the other, by both ways in turn. After each restart it waits until
// all of `programs` that count in `jobs` continue. It then tells them to stop.
// $DOCAD_TEST_RESTARTS says how often.
void restart_often(unsigned programs);

// For a program that only has something: waits for longer than one waits for a word.
void restarted_wait_stop(void);

#endif
