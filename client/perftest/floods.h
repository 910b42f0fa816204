// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The actions of a hostile user, without the library: each flood in a process of its own, which
// runs until it is killed (flood_run.h).

#ifndef PERFTEST_FLOODS_H
#define PERFTEST_FLOODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOOD_UID 64010 // the attacker's; the one that is served is root

struct supervisor;

struct flood_targets {
    const char *host, *dpu;       // sockets
    unsigned short port;          // port of the host for other machines
    unsigned fill;                // percent of docad's default limits that a flood holds
    unsigned pause_us;            // before each burst, so that the measurement has begun
    int report;                   // pipe for flood_holds()
    int refilled;                 // eventfd of the flood's two processes
    uint64_t held;                // for `beside`: what flood_holds() reported
    const struct supervisor *sup; // for `beside`, if it is served
};

// Returns only if the flood cannot go on.
typedef void (*flood_fn)(const struct flood_targets *at);

struct flood {
    const char *name, *what;
    flood_fn run;
    flood_fn beside; // NULL, or for a second process
    bool apart;      // the nodes' link must carry no descriptors
    bool holds;      // `run` calls flood_holds() before the measurement, and `beside` starts then
    bool beside_is_served; // `beside` belongs to the measured user, not to the attacker
    bool bursts;           // docad is idle in between: measured for the whole four seconds
    bool second_dpu;       // a second DPU is linked to the host
};

// Returns at->fill percent of a default limit, at least 1.
size_t flood_part(const struct flood_targets *at, size_t limit);

// Reports that the flood now holds `n` objects, and that the measurement may begin.
void flood_holds(const struct flood_targets *at, uint64_t n);

// flood_relays.c: with the library, which has one docad in a process.
void floods_run_relays(const struct flood_targets *at);
void floods_serve_relays(const struct flood_targets *at);

// flood_comch.c
void floods_run_comch(const struct flood_targets *at);
void floods_serve_comch(const struct flood_targets *at);

// flood_lookups.c
void floods_run_lookups(const struct flood_targets *at);
void floods_publish_for_lookups(const struct flood_targets *at);

// flood_imports.c
void floods_run_revocations(const struct flood_targets *at);
void floods_run_status(const struct flood_targets *at);
void floods_run_metrics_socket(const struct flood_targets *at);

// flood_idle.c
void floods_run_idle_monitors(const struct flood_targets *at);
void floods_run_listeners(const struct flood_targets *at);

// flood_names.c
void floods_run_names(const struct flood_targets *at);
void floods_link_for_names(const struct flood_targets *at);

extern const struct flood floods[];
extern const size_t n_floods;

#endif
