// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command scale: its processes, and how its report is printed.

#include "commands.h"
#include "result.h"
#include "scale.h"

#include <string.h>
#include <sys/mman.h>

#define NS_PER_US 1e3
#define KIB       1024.0

static const struct {
    const char *key, *title;
} requests[N_SCALE_REQUESTS] = {
    [SCALE_CONNECT] = {"connect", "connect and hello"},
    [SCALE_CLOSE] = {"close", "end of that session"},
    [SCALE_REGISTER] = {"register", "register a region"},
    [SCALE_EXPORT] = {"export", "export it"},
    [SCALE_PUBLISH] = {"publish", "publish a name"},
    [SCALE_LOOK_UP] = {"look_up", "look it up"},
    [SCALE_UNPUBLISH] = {"unpublish", "unpublish it"},
    [SCALE_UNREGISTER] = {"unregister", "end region and export"},
    [SCALE_IMPORT] = {"import", "import (other node)"},
    [SCALE_RELEASE] = {"release", "release it"},
};

static const struct {
    const char *key, *title;
} bus_requests[N_SCALE_BUS] = {
    [SCALE_BUS_CONNECT] = {"connect", "dbus-broker: connect"},
    [SCALE_BUS_CALL] = {"call", "dbus-broker: a call"},
};

static const struct {
    const char *key, *title;
} events[N_SCALE_EVENTS] = {
    [SCALE_QUIET] = {"quiet", "nothing"},
    [SCALE_LIST] = {"list", "list of all exports"},
    [SCALE_METRICS] = {"metrics", "metrics"},
    [SCALE_END] = {"end", "end of a big session"},
    [SCALE_TEN_ENDS] = {"ten_ends", "ten such ends"},
    [SCALE_RESTART] = {"restart", "restart"},
};

static const struct {
    const char *key, *title;
} objects[N_SCALE_OBJECTS] = {
    [SCALE_SESSION] = {"session", "session"},
    [SCALE_REGION] = {"region", "region, brokered"},
    [SCALE_MAPPED_REGION] = {"mapped_region", "region, mapped, read-only"},
    [SCALE_AN_EXPORT] = {"export", "export"},
    [SCALE_NAME] = {"name", "name"},
    [SCALE_AN_IMPORT] = {"import", "import, brokered (exporter's docad)"},
};

static void print_times(const struct scale_times *times)
{
    printf(" %8.1f %8.1f %8.1f", times->wall.p50 / NS_PER_US, times->wall.p99 / NS_PER_US,
           times->cpu.p50 / NS_PER_US);
}

static void print_requests(const struct scale_report *r)
{
    printf("%-26s %26s %26s\n%-26s", "request [usec]", "empty node", "full node", "");
    for (int i = 0; i < 2; i++)
        printf(" %8s %8s %8s", "p50", "p99", "daemon");
    printf("\n");
    for (int i = 0; i < N_SCALE_REQUESTS; i++) {
        printf("%-26s", requests[i].title);
        print_times(&r->empty[i]);
        print_times(&r->full[i]);
        printf("\n");
    }
    for (int i = 0; r->bus_done && i < N_SCALE_BUS; i++) {
        printf("%-26s", bus_requests[i].title);
        print_times(&r->bus[i]);
        printf("\n");
    }
}

void scale_print(const struct scale_report *r)
{
    printf("%llu sessions, %llu exports, %llu names; a big session has %llu exports\n\n",
           (unsigned long long)r->sessions, (unsigned long long)r->exports,
           (unsigned long long)r->names, (unsigned long long)r->big);
    print_requests(r);
    printf("\n%-26s %10s %10s %32s\n%-26s %10s %10s %10s %10s %10s\n", "what happens", "takes",
           "docad", "others' request [msec]", "", "[msec]", "[msec]", "p50", "p99", "max");
    for (int i = 0; i < N_SCALE_EVENTS; i++)
        if (r->events[i].done)
            printf("%-26s %10.1f %10.1f %10.2f %10.2f %10.2f\n", events[i].title,
                   r->events[i].seconds * 1e3, r->events[i].cpu * 1e3,
                   r->events[i].others.p50 / 1e6, r->events[i].others.p99 / 1e6,
                   r->events[i].others.max / 1e6);
    printf("\n%-36s %10s %12s\n", "each", "KiB", "descriptors");
    for (int i = 0; i < N_SCALE_OBJECTS; i++)
        printf("%-36s %10.2f %12.2f\n", objects[i].title, r->objects[i].bytes / KIB,
               r->objects[i].descriptors);
    printf("\ndocad: %.1f MiB and %.0f descriptors when empty, %.1f and %.0f when full, %.1f and "
           "%.0f when empty again; metrics took %.1f MiB\n",
           r->idle_bytes / KIB / KIB, r->idle_descriptors, r->full_bytes / KIB / KIB,
           r->full_descriptors, r->after_bytes / KIB / KIB, r->after_descriptors,
           r->metrics_bytes / KIB / KIB);
}

static struct json_object *spread_json(const struct spread *spread)
{
    struct json_object *object = json_object_new_object();
    json_add_number(object, "p50_usec", spread->p50 / NS_PER_US);
    json_add_number(object, "p99_usec", spread->p99 / NS_PER_US);
    json_add_number(object, "max_usec", spread->max / NS_PER_US);
    return object;
}

static struct json_object *times_json(const struct scale_times *times, const char *cpu)
{
    struct json_object *object = spread_json(&times->wall);
    json_add_number(object, cpu, times->cpu.p50 / NS_PER_US);
    return object;
}

static struct json_object *requests_json(const struct scale_report *r)
{
    struct json_object *all = json_object_new_object();
    for (int i = 0; i < N_SCALE_REQUESTS; i++) {
        struct json_object *one = json_object_new_object();
        json_object_object_add(one, "empty", times_json(&r->empty[i], "docad_cpu_usec"));
        json_object_object_add(one, "full", times_json(&r->full[i], "docad_cpu_usec"));
        json_object_object_add(all, requests[i].key, one);
    }
    return all;
}

// Returns NULL if it was not measured.
static struct json_object *bus_json(const struct scale_report *r)
{
    struct json_object *all = r->bus_done ? json_object_new_object() : NULL;
    for (int i = 0; all && i < N_SCALE_BUS; i++)
        json_object_object_add(all, bus_requests[i].key, times_json(&r->bus[i], "broker_cpu_usec"));
    return all;
}

static struct json_object *events_json(const struct scale_report *r)
{
    struct json_object *all = json_object_new_object();
    for (int i = 0; i < N_SCALE_EVENTS; i++) {
        if (!r->events[i].done)
            continue;
        struct json_object *one = json_object_new_object();
        json_add_number(one, "msec", r->events[i].seconds * 1e3);
        json_add_number(one, "docad_cpu_msec", r->events[i].cpu * 1e3);
        json_object_object_add(one, "others", spread_json(&r->events[i].others));
        json_object_object_add(all, events[i].key, one);
    }
    return all;
}

static struct json_object *objects_json(const struct scale_report *r)
{
    struct json_object *all = json_object_new_object();
    for (int i = 0; i < N_SCALE_OBJECTS; i++) {
        struct json_object *one = json_object_new_object();
        json_add_number(one, "n", r->objects[i].n);
        json_add_number(one, "bytes", r->objects[i].bytes);
        json_add_number(one, "descriptors", r->objects[i].descriptors);
        json_object_object_add(all, objects[i].key, one);
    }
    return all;
}

static struct json_object *daemon_json(double bytes, double descriptors)
{
    struct json_object *object = json_object_new_object();
    json_add_number(object, "bytes", bytes);
    json_add_number(object, "descriptors", descriptors);
    return object;
}

struct json_object *scale_json(const struct scale_report *r)
{
    struct json_object *object = json_object_new_object();
    json_add_head(object, "scale");
    json_add_number(object, "sessions", (double)r->sessions);
    json_add_number(object, "exports", (double)r->exports);
    json_add_number(object, "names", (double)r->names);
    json_add_number(object, "big_session_exports", (double)r->big);
    json_object_object_add(object, "requests", requests_json(r));
    json_object_object_add(object, "dbus_broker", bus_json(r));
    json_object_object_add(object, "events", events_json(r));
    json_object_object_add(object, "objects", objects_json(r));
    json_object_object_add(object, "empty", daemon_json(r->idle_bytes, r->idle_descriptors));
    json_object_object_add(object, "full", daemon_json(r->full_bytes, r->full_descriptors));
    json_object_object_add(object, "empty_again",
                           daemon_json(r->after_bytes, r->after_descriptors));
    json_add_number(object, "metrics_bytes", r->metrics_bytes);
    return object;
}

// ---- the command ----------------------------------------------------------------------------

bool check_scale(struct options *options, struct problem *problem)
{
    if (options->names > options->exports)
        return problem_set(problem, "--names: at most as many as --exports");
    if (options->exports < 40)
        return problem_set(problem, "--exports: at least 40");
    return true;
}

static bool measure(struct supervisor *sup, const struct options *options,
                    struct scale_report *report, struct problem *problem)
{
    struct result *result = result_share();
    if (!result)
        return problem_set(problem, "out of memory");
    struct run run = {.options = options, .result = result, .arg = report};
    bool ok = supervisor_run(sup, NODE_DPU, false, scale_measure, &run);
    if (!ok)
        *problem = result->problem;
    result_unshare(result);
    return ok;
}

bool supervise_scale(struct supervisor *sup, const struct options *options, struct problem *problem)
{
    sup->unlimited = true;
    if (!supervisor_need(sup, 1u << NODE_HOST | 1u << NODE_DPU, problem))
        return false;
    struct scale_report *report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return problem_set(problem, "out of memory");
    bool ok = measure(sup, options, report, problem);
    if (ok && options->json)
        ok = json_print(scale_json(report)) || problem_set(problem, "cannot write the result");
    else if (ok)
        scale_print(report);
    munmap(report, sizeof(*report));
    return ok;
}
