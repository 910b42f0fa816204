// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which representors a session has open, by id, and how often each. A representor may disappear
// before the session closes it.

#ifndef DAEMON_SESSION_REPRESENTORS_H
#define DAEMON_SESSION_REPRESENTORS_H

#include "errtext.h"

#include <record.pb-c.h>
#include <stdbool.h>
#include <stddef.h>

struct session;

// `name` is for the text.
doca_error_t session_open_representor(struct session *session, uint32_t id, const char *name,
                                      struct errtext *err);
// Returns false if it is not open.
bool session_close_representor(struct session *session, uint32_t id);
void session_close_representors(struct session *session);
bool session_has_representor(const struct session *session, uint32_t id);

// Converts for the session's record, and back: a representor's name is repeated for each time
// that it is open. Returns the number.
size_t session_representors_to_names(const struct session *session, Docad__NameRecord *names,
                                     Docad__NameRecord **list, size_t max);
void session_restore_representors(struct session *session, const Docad__SessionRecord *record);

#endif
