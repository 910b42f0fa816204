// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a hostile user does all the time, without the library: each flood in a process of its own,
// which runs until it is killed.

#ifndef PERFTEST_FLOODS_H
#define PERFTEST_FLOODS_H

#include <stdbool.h>
#include <stddef.h>

struct flood_targets {
    const char *host, *dpu; // sockets
    unsigned short port;    // where the host listens for other machines
};

// Returns only if it cannot go on.
typedef void (*flood_fn)(const struct flood_targets *at);

struct flood {
    const char *name, *what;
    flood_fn run;
    flood_fn beside; // NULL, or for a second process
    bool apart;      // the nodes' link must carry no descriptors
};

// flood_relays.c: with the library, which has one docad in a process.
void floods_run_relays(const struct flood_targets *at);
void floods_serve_relays(const struct flood_targets *at);

// flood_comch.c
void floods_run_comch(const struct flood_targets *at);
void floods_serve_comch(const struct flood_targets *at);

extern const struct flood floods[];
extern const size_t n_floods;

#endif
