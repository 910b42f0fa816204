// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The requests of a session that are about no kind of object, by theme.

#ifndef DAEMON_SESSION_REQUESTS_H
#define DAEMON_SESSION_REQUESTS_H

#include "session.h"

// NULL if there is none.
const struct kind_request *session_find_request(const struct node *node,
                                                Docad__Message__BodyCase body);

// session_functions.c
SESSION_REQUEST(on_function_list);
SESSION_REQUEST(on_function_open);
SESSION_REQUEST(on_function_close);
SESSION_REQUEST(on_representor_list);
SESSION_REQUEST(on_representor_open);
SESSION_REQUEST(on_representor_close);

// session_tools.c
SESSION_REQUEST(on_status);
SESSION_REQUEST(on_export_get);
SESSION_REQUEST(on_export_revoke);

// session_watch.c
SESSION_REQUEST(on_monitor);
SESSION_REQUEST(on_metrics);
SESSION_REQUEST(on_log_level);
SESSION_REQUEST(on_reload);

// session_lists.c
SESSION_REQUEST(on_list);

#endif
