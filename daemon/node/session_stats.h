// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The work that programs report, see common/work_stats.h: read once, to be displayed.

#ifndef DAEMON_SESSION_STATS_H
#define DAEMON_SESSION_STATS_H

#include "work_stats.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

struct work_counts {
    uint32_t library; // enum work_library, below WORK_LIBRARIES
    bool in_use;
    uint32_t depth, in_flight;
    uint64_t jobs, mapped_bytes, engine_bytes, errors;
};

// The totals of a session, or of many.
struct session_work {
    struct work_totals {
        uint64_t jobs, mapped_bytes, engine_bytes, in_flight, queues;
    } of[WORK_LIBRARIES];
    uint64_t errors[WORK_STATS_ERRORS];
};

// Returns how many slots of its page were ever used.
size_t session_work_places(const struct session *session);

// Reads one of them; returns false if it was never used.
bool session_work_read(const struct session *session, size_t place, struct work_counts *out);

// Adds up all of its slots.
void session_work_add(const struct session *session, struct session_work *sum);

// Adds the final counts of a session that ends. None of its work counts as in flight any more,
// whatever a killed program had written there.
void session_work_end(const struct session *session, struct session_work *sum);

#endif
