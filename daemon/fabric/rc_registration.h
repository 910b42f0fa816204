// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A mapping of a part of a memory file that is registered with an ibverbs device. Its pages are
// pinned, which may take long, so a thread registers and deregisters it. The registration is for
// local use only: its key is useless on another machine.

#ifndef DAEMON_RC_REGISTRATION_H
#define DAEMON_RC_REGISTRATION_H

#include "chores.h"
#include "errtext.h"

#include <infiniband/verbs.h>
#include <stdint.h>

struct limits;
struct rc_device;
struct user;

enum rc_registration_state {
    RC_REGISTERING,
    RC_REGISTERED,
    RC_NOT_REGISTERED, // failed: `err` has the reason
    RC_UNREGISTERING,
};

struct rc_mapping {
    uint8_t *start;
    uint64_t length;
    bool writable;     // by importers
    struct user *user; // its owner, to whom its pages are charged
};

struct rc_registration {
    struct chore chore;
    struct rc_device *device; // a reference
    enum rc_registration_state state;
    bool dropped;
    unsigned holds;
    struct rc_mapping mapping; // with a reference to the user
    struct ibv_mr *mr;
    struct errtext err;
    void (*settled)(void *arg); // registered, or failed; not called after it was dropped
    void *arg;
};

// Begins to register a mapping, which it takes over on success. NULL on failure, with the
// reason.
struct rc_registration *rc_registration_new(struct rc_device *device,
                                            const struct rc_mapping *mapping,
                                            const struct limits *limits, void (*settled)(void *arg),
                                            void *arg, struct errtext *err);

// Nobody may use it from now on, including the caller; it ends after the last hold. Takes NULL,
// returns NULL.
struct rc_registration *rc_registration_drop(struct rc_registration *registration);

// Holds a registration; it must be registered.
static inline void rc_registration_hold(struct rc_registration *registration)
{
    registration->holds++;
}
void rc_registration_release(struct rc_registration *registration);

#endif
