// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests that a client sends again, because an earlier docad may have died before it answered
// (restart.h).

#ifndef DAEMON_SESSION_AGAIN_H
#define DAEMON_SESSION_AGAIN_H

#include "errtext.h"
#include "message.h"

#include <stdbool.h>

struct session;

// Undoes a request that may have been carried out before. Returns true if the request is complete
// and the answer is ok.
bool session_undo(struct session *session, const Docad__Message *request);

// The request ends an object that no longer exists: then it is complete, too.
bool session_was_done(const Docad__Message *request, doca_error_t error);

#endif
