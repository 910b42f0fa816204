// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sessions of a node without a daemon around it: what they are answered is read from the
// client's ends of their connections.

#ifndef TESTS_SESSION_RIG_H
#define TESTS_SESSION_RIG_H

#include "config.h"
#include "node.h"
#include "session.h"

#define RIG_FUNCTION 1u // open in each session; may export to a DPU

extern struct config rig_config;
extern struct node rig_node;

// `kinds` ends with NULL.
void rig_begin(const struct object_kind *const *kinds);
// Whatever is left of the node's was lost track of.
void rig_end(void);

struct rig_session {
    struct session session;
    int client; // its process's end
};

void rig_session_begin(struct rig_session *rig);
// Makes it a session of this uid, before it has anything.
void rig_session_be(struct rig_session *rig, uid_t uid);
// With all that it has.
void rig_session_end(struct rig_session *rig);

// The next answer, which the caller frees; its descriptors are closed.
Docad__Message *rig_answer(const struct rig_session *rig);
// Is there one?
bool rig_has_answer(const struct rig_session *rig);

#endif
