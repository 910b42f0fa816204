// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A dbus-broker of our own, as a yardstick for docad's requests: another daemon that programs
// connect to over a Unix socket, and that identifies them.

#ifndef PERFTEST_SCALE_BUS_H
#define PERFTEST_SCALE_BUS_H

#include "scale.h"

// Starts a dbus-broker and measures `n` connections, each with its Hello, and `n` calls. True
// without a measurement (*done is false) if dbus-broker or our libsystemd is not installed.
bool scale_bus_measure(uint64_t n, struct scale_times out[N_SCALE_BUS], bool *done,
                       struct problem *problem);

#endif
