// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Requests that a client sends once more, because an earlier docad may have died before it
// answered (restart.h).

#ifndef DAEMON_SESSION_AGAIN_H
#define DAEMON_SESSION_AGAIN_H

#include "errtext.h"
#include "message.h"

#include <stdbool.h>

struct session;

// A request that may have been carried out before: undoes what it made. True if it is done
// and the answer is ok.
bool session_undo(struct session *session, const Docad__Message *request);

// It ends something that is not there any more: that is done, too.
bool session_was_done(const Docad__Message *request, doca_error_t error);

#endif
