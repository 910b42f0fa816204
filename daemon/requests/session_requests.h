// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The requests of a session, by theme. See session_request_fn.

#ifndef DAEMON_SESSION_REQUESTS_H
#define DAEMON_SESSION_REQUESTS_H

#include "session.h"

// The function for a request; NULL if there is none. `name` is for logs.
session_request_fn session_find_request(Docad__Message__BodyCase body, const char **name);

// session_functions.c
SESSION_REQUEST(on_function_list);
SESSION_REQUEST(on_function_open);
SESSION_REQUEST(on_function_close);
SESSION_REQUEST(on_representor_list);
SESSION_REQUEST(on_representor_open);
SESSION_REQUEST(on_representor_close);

// session_memory.c
SESSION_REQUEST(on_region_register);
SESSION_REQUEST(on_region_unregister);
SESSION_REQUEST(on_export_create);
SESSION_REQUEST(on_import_create);
SESSION_REQUEST(on_import_release);
SESSION_REQUEST(on_queue_pair_create);
SESSION_REQUEST(on_queue_pair_destroy);
SESSION_REQUEST(on_publish);
SESSION_REQUEST(on_unpublish);
SESSION_REQUEST(on_lookup);

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
