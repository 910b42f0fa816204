// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad counts while it runs, and all of it as OpenMetrics text.
//
// What programs count themselves (common/work_stats.h) is theirs to lie about: it is
// added up and shown, and nothing else.

#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include "session_stats.h"

#include <stdint.h>

#define METRICS_CODES    WORK_STATS_ERRORS // doca_error_t; others are the first
#define METRICS_REQUESTS 256               // kinds of messages

struct node;

struct metrics {
    uint64_t requests[METRICS_REQUESTS];
    uint64_t refusals[METRICS_CODES];
    uint64_t sessions_begun, sessions_dropped, exports_revoked, links_lost, monitor_events_lost;
    struct session_work ended; // of sessions that have ended
};

// A session ends: what it has counted stays in the sums.
void metrics_session_ends(struct node *node, const struct session *session);

void metrics_refused(struct metrics *metrics, uint32_t code);

// The text, which the caller frees; NULL without memory.
char *metrics_text(const struct node *node);

#endif
