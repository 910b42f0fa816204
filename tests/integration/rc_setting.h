// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The setting for tests of queue pairs between machines: docad, a far node that is linked to it,
// and a program of docad's own node, whose memory the far node has imported. Environment
// variable DOCAD_TEST_FUNCTION names the ibverbs device that both use; docad's log is the
// witness.

#ifndef INTEGRATION_RC_SETTING_H
#define INTEGRATION_RC_SETTING_H

#include "far_node.h"
#include "run.h"

extern struct daemon *rc_host;
extern struct far_node rc_far;
extern struct raw_session rc_owner; // the program

// Its memory, which the far node may read and write with the key.
extern uint8_t rc_memory[QP_CHUNK_SIZE];
extern uint32_t rc_key;

// Starts a far node that is linked to docad; names are "dpu" (rc_far has it) and "other".
void rc_link(struct far_node *node, const char *name, const uint8_t id[NODE_ID_SIZE]);

// Waits until docad's log has this text, and checks that it has it once.
void rc_assert_logged_once(const char *text);

// Turns this process into one that removes the device. Returns if that fails.
void rc_remove_device(void);

// Runs each of the tests in a setting of its own; for main().
int rc_run(const char *name, const TTest *const tests[], size_t n);

#endif
