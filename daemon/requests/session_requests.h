// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The requests of a session that concern no kind of object, by topic.

#ifndef DAEMON_SESSION_REQUESTS_H
#define DAEMON_SESSION_REQUESTS_H

#include "session.h"

// Returns NULL if there is none.
const struct kind_request *session_find_request(const struct node *node,
                                                Docad__Message__BodyCase body);

// session_page.c
doca_error_t on_activity_page(struct request *request);

// session_functions.c
doca_error_t on_function_list(struct request *request);
doca_error_t on_function_open(struct request *request);
doca_error_t on_function_close(struct request *request);
doca_error_t on_representor_list(struct request *request);
doca_error_t on_representor_open(struct request *request);
doca_error_t on_representor_close(struct request *request);

// session_tools.c
doca_error_t on_status(struct request *request);
doca_error_t on_export_get(struct request *request);
doca_error_t on_export_revoke(struct request *request);
doca_error_t on_session_end(struct request *request);

// session_watch.c
doca_error_t on_monitor(struct request *request);
doca_error_t on_metrics(struct request *request);
doca_error_t on_log_level(struct request *request);
doca_error_t on_reload(struct request *request);

// session_policy.c
doca_error_t on_policy_test(struct request *request);

// session_lists.c
doca_error_t on_list(struct request *request);

#endif
