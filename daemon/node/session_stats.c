// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session_stats.h"

#include "cleanup.h"
#include "session.h"

size_t session_work_places(const struct session *session)
{
    const struct activity *shared = session->activity.shared;
    uint32_t n = shared ? WORK_STATS_READ(shared->places) : 0;
    return n < WORK_STATS_PLACES ? n : WORK_STATS_PLACES;
}

bool session_work_read(const struct session *session, size_t place, struct work_counts *out)
{
    const struct work_stats *s = &session->activity.shared->stats[place];
    uint32_t library = WORK_STATS_READ(s->library);
    if (library == WORK_LIBRARY_NONE)
        return false;
    *out = (struct work_counts){
        .library = library < WORK_LIBRARIES ? library : WORK_LIBRARY_OTHER,
        .in_use = WORK_STATS_READ(s->in_use) != 0,
        .depth = WORK_STATS_READ(s->depth),
        .in_flight = WORK_STATS_READ(s->in_flight),
        .jobs = WORK_STATS_READ(s->jobs),
        .mapped_bytes = WORK_STATS_READ(s->mapped_bytes),
        .engine_bytes = WORK_STATS_READ(s->engine_bytes),
    };
    for (size_t i = 0; i < WORK_STATS_ERRORS; i++)
        out->errors += WORK_STATS_READ(s->errors[i]);
    return true;
}

static void add(const struct session *session, bool over, struct session_work *sum)
{
    size_t n = session_work_places(session);
    for (size_t i = 0; i < n; i++) {
        struct work_counts c;
        if (!session_work_read(session, i, &c))
            continue;
        struct work_totals *of = &sum->of[c.library];
        of->jobs += c.jobs;
        of->mapped_bytes += c.mapped_bytes;
        of->engine_bytes += c.engine_bytes;
        of->in_flight += c.in_use && !over ? c.in_flight : 0;
        of->queues += c.in_use && !over;
        if (!c.errors)
            continue;
        const struct work_stats *s = &session->activity.shared->stats[i];
        for (size_t e = 0; e < WORK_STATS_ERRORS; e++)
            sum->errors[e] += WORK_STATS_READ(s->errors[e]);
    }
}

void session_work_add(const struct session *session, struct session_work *sum)
{
    add(session, false, sum);
}

void session_work_end(const struct session *session, struct session_work *sum)
{
    add(session, true, sum);
}
