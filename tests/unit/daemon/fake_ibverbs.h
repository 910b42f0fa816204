// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// ibverbs devices that a test makes up: what libibverbs says of them, and nothing that moves
// data.

#ifndef TESTS_UNIT_FAKE_IBVERBS_H
#define TESTS_UNIT_FAKE_IBVERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define FAKE_DEVICES 4
#define FAKE_PORTS   2
#define FAKE_GIDS    400

struct fake_device {
    const char *name; // NULL: it is not there
    unsigned ports;
    bool refuses; // to be opened
    bool iwarp;
    unsigned opened; // how often it is open
    struct fake_port {
        bool down;
        unsigned n_gids;       // 10.0.0.1, 10.0.0.2, ... at the indexes 0, 1, ...
        unsigned first;        // of the addresses; 0: 1
        int table;             // entries there may be; 0: FAKE_GIDS
    } port[FAKE_PORTS];        // number 1 first
    enum ibv_event_type event; // that waits, if has_event
    bool has_event;
    int events[2]; // readable: there is one
};

// All gone at the beginning of each test.
extern struct fake_device fake_devices[FAKE_DEVICES];

// The device says that something has happened.
void fake_device_event(struct fake_device *device, enum ibv_event_type type);

#endif
