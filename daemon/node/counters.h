// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The counters of a running docad, for its metrics.

#ifndef DAEMON_COUNTERS_H
#define DAEMON_COUNTERS_H

#include "session_stats.h"

#include <stdint.h>

#define COUNTERS_CODES    WORK_STATS_ERRORS // doca_error_t; other values count as the first
#define COUNTERS_REQUESTS 256               // kinds of messages

struct counters {
    uint64_t requests[COUNTERS_REQUESTS];
    uint64_t refusals[COUNTERS_CODES];
    uint64_t sessions_begun, sessions_dropped, exports_revoked, links_lost, monitor_events_lost;
    uint64_t links_silent;     // links refused because others of that node had not sent hello
    uint64_t links_unwelcome;  // links refused because of the hello
    uint64_t dials_failed;     // attempts to reach a node
    uint64_t end_slices;       // turns of the loop that ended a part of a session or an object
    uint64_t trims;            // how often memory was returned to the system
    uint64_t list_looks;       // objects examined for lists
    struct session_work ended; // work of sessions that have ended
};

#endif
