// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command scale: many sessions, exports and names on a node, and what each request, each
// large event and each object costs then.

#include "scale.h"

#include "clock.h"
#include "scale_bus.h"
#include "scale_link.h"
#include "scale_probe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BIG_SESSIONS 11
#define BIG_PART     20   // of all exports are those of one big session
#define BIG_MAX      4096 // unless that is more than a session may have
#define EXPORTERS    1000 // that are not big: each needs a descriptor more in docad
#define SOME         1000 // imports and mapped regions
#define QUIET_US     500000
#define SETTLE_US    1000000
#define END_MS       60000

struct scale {
    const struct options *options;
    const char *socket, *importing_socket;
    struct scale_report *report;
    struct problem *problem;
    struct probe probe;
    struct link own, importer; // sessions for single requests, on either node
    pid_t daemon;
    struct link *links; // the sessions of the full node; the first ones are big
    uint64_t n_links, n_open, made, named;
    uint32_t *ticks[N_SCALE_REQUESTS], *cpu_ticks[N_SCALE_REQUESTS];
    uint64_t cpu_before; // of docad, when the event began
};

// ---- single requests --------------------------------------------------------------------------

#define TIMED(s, request, i, call)                                                                 \
    ({                                                                                             \
        uint64_t timed_cpu = usage_cpu_ns((s)->daemon), timed_before = ticks_now();                \
        bool timed_ok = (call);                                                                    \
        (s)->ticks[request][i] = (uint32_t)ticks_between(timed_before, ticks_now());               \
        (s)->cpu_ticks[request][i] = usage_cpu_ticks((s)->daemon, timed_cpu);                      \
        timed_ok;                                                                                  \
    })

// docad handles messages in order: when it has answered this, the session has ended.
static bool end_one(struct scale *s, struct link *link)
{
    uint64_t exports, names;
    link_close(link);
    return link_count(&s->own, &exports, &names, s->problem);
}

static bool once(struct scale *s, uint64_t i)
{
    struct problem *problem = s->problem;
    struct descriptor descriptor;
    uint64_t region, import;
    struct link link;

    bool ok = TIMED(s, SCALE_CONNECT, i, link_open(&link, s->socket, true, problem));
    ok = ok && TIMED(s, SCALE_CLOSE, i, end_one(s, &link)) &&
         TIMED(s, SCALE_REGISTER, i, link_register(&s->own, BACKING_BROKERED, &region, problem)) &&
         TIMED(s, SCALE_EXPORT, i, link_export(&s->own, region, &descriptor, problem)) &&
         TIMED(s, SCALE_PUBLISH, i, link_publish(&s->own, "perftest", &descriptor, problem)) &&
         TIMED(s, SCALE_LOOK_UP, i, link_look_up(&s->own, "perftest", problem)) &&
         TIMED(s, SCALE_UNPUBLISH, i, link_unpublish(&s->own, "perftest", problem)) &&
         TIMED(s, SCALE_IMPORT, i, link_import(&s->importer, &descriptor, &import, problem)) &&
         TIMED(s, SCALE_RELEASE, i, link_release(&s->importer, import, problem)) &&
         TIMED(s, SCALE_UNREGISTER, i, link_unregister(&s->own, region, problem));
    return ok;
}

static bool measure_requests(struct scale *s, struct scale_times out[N_SCALE_REQUESTS])
{
    uint64_t n = s->options->iters;
    for (uint64_t i = 0; i < n; i++)
        if (!once(s, i))
            return false;
    for (int request = 0; request < N_SCALE_REQUESTS; request++) {
        spread_of(&out[request].wall, s->ticks[request], n);
        spread_of(&out[request].cpu, s->cpu_ticks[request], n);
    }
    return true;
}

// ---- objects ----------------------------------------------------------------------------------

static void note_cost(struct scale *s, enum scale_object object, struct usage before, double n)
{
    struct usage after = usage_of(s->daemon);
    if (n == 0)
        return;
    s->report->objects[object].n = n;
    s->report->objects[object].bytes = (after.bytes - before.bytes) / n;
    s->report->objects[object].descriptors = (after.descriptors - before.descriptors) / n;
}

static bool open_sessions(struct scale *s)
{
    struct usage before = usage_of(s->daemon);
    for (; s->n_open < s->n_links; s->n_open++)
        if (!link_open(&s->links[s->n_open], s->socket, false, s->problem))
            return false;
    note_cost(s, SCALE_SESSION, before, (double)s->n_links);
    return true;
}

// The big sessions have their exports; some others share the rest.
static uint64_t share_of(const struct scale *s, uint64_t link)
{
    if (link < BIG_SESSIONS)
        return s->report->big;
    uint64_t rest = s->report->exports - BIG_SESSIONS * s->report->big;
    uint64_t n = s->n_links - BIG_SESSIONS, i = link - BIG_SESSIONS;
    if (n > EXPORTERS)
        n = EXPORTERS;
    return i < n ? rest / n + (i < rest % n) : 0;
}

static bool fill(struct scale *s, uint64_t *regions)
{
    struct usage before = usage_of(s->daemon);
    struct descriptor descriptor;
    uint64_t n = 0;
    char name[32];

    for (uint64_t i = 0; i < s->n_links; i++)
        for (uint64_t k = 0; k < share_of(s, i); k++)
            if (!link_register(&s->links[i], BACKING_BROKERED, &regions[n++], s->problem))
                return false;
    note_cost(s, SCALE_REGION, before, (double)n);
    before = usage_of(s->daemon);
    n = 0;
    for (uint64_t i = 0; i < s->n_links; i++)
        for (uint64_t k = 0; k < share_of(s, i); k++)
            if (!link_export(&s->links[i], regions[n++], &descriptor, s->problem))
                return false;
    note_cost(s, SCALE_AN_EXPORT, before, (double)n);
    before = usage_of(s->daemon);
    // A session of its own exports the memory of the names, so that they stay until the end.
    if (!link_register(&s->own, BACKING_BROKERED, regions, s->problem) ||
        !link_export(&s->own, regions[0], &descriptor, s->problem))
        return false;
    for (; s->named < s->report->names; s->named++) {
        snprintf(name, sizeof(name), "perftest-%llu", (unsigned long long)s->named);
        if (!link_publish(&s->own, name, &descriptor, s->problem))
            return false;
    }
    note_cost(s, SCALE_NAME, before, (double)s->named);
    return true;
}

static bool measure_some(struct scale *s)
{
    uint64_t n = s->options->exports < SOME ? s->options->exports : SOME, id;
    struct descriptor descriptor;
    struct link link = {.line.sock = -1};

    struct usage before = usage_of(s->daemon);
    bool ok = link_open(&link, s->socket, false, s->problem);
    for (uint64_t i = 0; ok && i < n; i++)
        ok = link_register(&link, BACKING_MAPPED, &id, s->problem);
    if (ok)
        note_cost(s, SCALE_MAPPED_REGION, before, (double)n);
    ok = ok && link_register(&link, BACKING_BROKERED, &id, s->problem) &&
         link_export(&link, id, &descriptor, s->problem);
    before = usage_of(s->daemon);
    for (uint64_t i = 0; ok && i < n; i++)
        ok = link_import(&s->importer, &descriptor, &id, s->problem);
    if (ok)
        note_cost(s, SCALE_AN_IMPORT, before, (double)n);
    link_close(&link);
    return ok;
}

// ---- events -----------------------------------------------------------------------------------

static uint64_t event_begin(struct scale *s)
{
    probe_begin(&s->probe);
    s->cpu_before = usage_cpu_ns(s->daemon);
    return clock_ns();
}

static bool event_end(struct scale *s, enum scale_event event, uint64_t since)
{
    s->report->events[event].done = true;
    s->report->events[event].cpu = (double)(usage_cpu_ns(s->daemon) - s->cpu_before) / 1e9;
    s->report->events[event].seconds = (double)(clock_ns() - since) / 1e9;
    return probe_end(&s->probe, &s->report->events[event].others, s->problem);
}

// Waits until docad has no more exports than this.
static bool wait_for_exports(struct scale *s, uint64_t most)
{
    uint64_t exports, names, until = clock_ns() + END_MS * 1000000ull;
    do {
        if (!link_count(&s->own, &exports, &names, s->problem))
            return false;
        sleep_us(1000);
    } while (exports > most && clock_ns() < until);
    return exports <= most ||
           problem_set(s->problem, "docad still has %llu exports", (unsigned long long)exports);
}

static bool end_sessions(struct scale *s, enum scale_event event, uint64_t from, uint64_t to)
{
    uint64_t exports, names;
    if (!link_count(&s->own, &exports, &names, s->problem))
        return false;
    uint64_t since = event_begin(s);
    for (uint64_t i = from; i < to; i++)
        link_close(&s->links[i]);
    return wait_for_exports(s, exports - (to - from) * s->report->big) &&
           event_end(s, event, since);
}

static bool restart(struct scale *s)
{
    if (!s->options->restart)
        return true;
    uint64_t exports, names, since = event_begin(s);
    if (system(s->options->restart) != 0)
        return problem_set(s->problem, "'%s' has failed", s->options->restart);
    return link_count(&s->own, &exports, &names, s->problem) && event_end(s, SCALE_RESTART, since);
}

static bool measure_events(struct scale *s)
{
    uint64_t n, since = event_begin(s);
    sleep_us(QUIET_US);
    if (!event_end(s, SCALE_QUIET, since))
        return false;
    since = event_begin(s);
    if (!link_list(&s->own, &n, s->problem) || !event_end(s, SCALE_LIST, since))
        return false;
    if (n < s->report->exports)
        return problem_set(s->problem, "the list of exports has only %llu", (unsigned long long)n);
    struct usage before = usage_of(s->daemon);
    since = event_begin(s);
    if (!link_metrics(&s->own, s->problem) || !event_end(s, SCALE_METRICS, since))
        return false;
    s->report->metrics_bytes = usage_of(s->daemon).bytes - before.bytes;
    return restart(s) && end_sessions(s, SCALE_END, 0, 1) &&
           end_sessions(s, SCALE_TEN_ENDS, 1, BIG_SESSIONS);
}

// ---- the run ----------------------------------------------------------------------------------

static bool make_room(struct scale *s)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        if (files.rlim_max < s->n_links + 100)
            return problem_set(s->problem,
                               "--sessions %llu: this process may have only %llu descriptors",
                               (unsigned long long)s->n_links, (unsigned long long)files.rlim_max);
    }
    s->links = calloc(s->n_links, sizeof(*s->links));
    bool ok = s->links != NULL;
    for (uint64_t i = 0; ok && i < s->n_links; i++)
        s->links[i].line.sock = -1;
    for (int i = 0; i < N_SCALE_REQUESTS; i++) {
        s->ticks[i] = calloc(s->options->iters, sizeof(*s->ticks[i]));
        s->cpu_ticks[i] = calloc(s->options->iters, sizeof(*s->cpu_ticks[i]));
        ok = ok && s->ticks[i] && s->cpu_ticks[i];
    }
    return ok || problem_set(s->problem, "out of memory");
}

static bool run_all(struct scale *s)
{
    uint64_t *regions = calloc(s->report->exports + 1, sizeof(*regions));
    bool ok = regions || problem_set(s->problem, "out of memory");
    struct usage usage = usage_of(s->daemon);

    s->report->idle_bytes = usage.bytes;
    s->report->idle_descriptors = usage.descriptors;
    ok = ok && measure_requests(s, s->report->empty) &&
         scale_bus_measure(s->options->iters, s->report->bus, &s->report->bus_done, s->problem) &&
         open_sessions(s) && fill(s, regions);
    free(regions);
    usage = usage_of(s->daemon);
    s->report->full_bytes = usage.bytes;
    s->report->full_descriptors = usage.descriptors;
    return ok && measure_requests(s, s->report->full) && measure_some(s) && measure_events(s);
}

static bool run_after(struct scale *s)
{
    for (uint64_t i = 0; i < s->n_open; i++)
        link_close(&s->links[i]);
    link_close(&s->own);
    link_close(&s->importer);
    if (!link_open(&s->own, s->socket, true, s->problem) || !wait_for_exports(s, 0))
        return false;
    sleep_us(SETTLE_US);
    struct usage usage = usage_of(s->daemon);
    s->report->after_bytes = usage.bytes;
    s->report->after_descriptors = usage.descriptors;
    return true;
}

static void clean_up(struct scale *s)
{
    probe_close(&s->probe);
    for (uint64_t i = 0; i < s->n_open; i++)
        link_close(&s->links[i]);
    link_close(&s->own);
    link_close(&s->importer);
    free(s->links);
    for (int i = 0; i < N_SCALE_REQUESTS; i++) {
        free(s->ticks[i]);
        free(s->cpu_ticks[i]);
    }
}

bool scale_measure(struct run *run)
{
    const struct options *options = run->options;
    struct scale s = {.options = options,
                      .socket = run->host_socket,
                      .importing_socket = getenv("DOCAD_SOCKET"),
                      .report = (struct scale_report *)run->arg,
                      .problem = &run->result->problem,
                      .own.line.sock = -1,
                      .importer.line.sock = -1,
                      .probe.link.line.sock = -1,
                      .n_links = options->sessions};
    s.report->sessions = options->sessions;
    s.report->exports = options->exports;
    s.report->names = options->names;
    s.report->big = options->exports / BIG_PART;
    if (s.report->big > BIG_MAX)
        s.report->big = BIG_MAX;
    bool ok = make_room(&s) && probe_open(&s.probe, s.socket, s.problem) &&
              link_open(&s.own, s.socket, false, s.problem) &&
              link_open(&s.importer, s.importing_socket, false, s.problem);
    s.daemon = ok ? usage_daemon(&s.own) : 0;
    ok = ok && run_all(&s) && run_after(&s);
    clean_up(&s);
    return ok;
}
