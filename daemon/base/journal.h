// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages to the journal, with fields: an sd_journal_sendv(3) that never waits. The protocol is
// public, and other journals speak it, too: one datagram of lines FIELD=value.

#ifndef DAEMON_JOURNAL_H
#define DAEMON_JOURNAL_H

#include "log.h"

#include <stdbool.h>

// Finds out whether standard error is the journal, and remembers it.
void journal_init(void);

bool journal_is_stderr(void);

// Returns whether messages with fields can be sent.
bool journal_is_there(void);

// Sends one message. 0, -EAGAIN if the journal does not read, or another -errno.
int journal_send(enum log_event event, enum log_level level, const struct log_about *about,
                 const char *message);

#endif
