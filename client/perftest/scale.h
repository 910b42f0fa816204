// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The report of the command scale, in memory that the measuring process shares.

#ifndef PERFTEST_SCALE_H
#define PERFTEST_SCALE_H

#include "stats.h"
#include "supervisor.h"

enum scale_request {
    SCALE_CONNECT,
    SCALE_CLOSE,
    SCALE_REGISTER,
    SCALE_EXPORT,
    SCALE_PUBLISH,
    SCALE_LOOK_UP,
    SCALE_UNPUBLISH,
    SCALE_UNREGISTER,
    SCALE_IMPORT,
    SCALE_RELEASE,
    N_SCALE_REQUESTS,
};

// The same requests to dbus-broker, if it is installed: for comparison.
enum scale_bus_request {
    SCALE_BUS_CONNECT, // and Hello
    SCALE_BUS_CALL,    // that the broker itself answers
    N_SCALE_BUS,
};

enum scale_event {
    SCALE_QUIET,
    SCALE_LIST,
    SCALE_METRICS,
    SCALE_END,
    SCALE_TEN_ENDS,
    SCALE_RESTART,
    N_SCALE_EVENTS,
};

enum scale_object {
    SCALE_SESSION,
    SCALE_REGION,
    SCALE_MAPPED_REGION,
    SCALE_AN_EXPORT,
    SCALE_NAME,
    SCALE_AN_IMPORT,
    N_SCALE_OBJECTS,
};

struct scale_report {
    uint64_t sessions, exports, names, big; // `big`: exports of a session that ends
    struct scale_times {
        struct spread wall, cpu; // cpu: the daemon's
    } empty[N_SCALE_REQUESTS], full[N_SCALE_REQUESTS], bus[N_SCALE_BUS];
    bool bus_done;
    struct {
        bool done;
        double seconds, cpu;
        struct spread others;
    } events[N_SCALE_EVENTS];
    struct {
        double n, bytes, descriptors; // the latter two for one object
    } objects[N_SCALE_OBJECTS];
    double idle_bytes, full_bytes, after_bytes;
    double idle_descriptors, full_descriptors, after_descriptors;
    double metrics_bytes; // that the first metrics took
};

// Measures, in a process of its own. The report is run->arg.
bool scale_measure(struct run *run);

void scale_print(const struct scale_report *report);
struct json_object *scale_json(const struct scale_report *report);

#endif
