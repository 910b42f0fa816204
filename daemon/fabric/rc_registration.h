// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A mapping of a part of a memory file that is registered with an ibverbs device. Its pages are
// pinned, which may take long: a thread does it, and ends it again. The registration is for local
// use only: its key is good for nothing on another machine.

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
    RC_NOT_REGISTERED, // cannot be: `err` says why
    RC_UNREGISTERING,
};

struct rc_mapping {
    uint8_t *start;
    uint64_t length;
    bool writable;     // by those who reach it
    struct user *user; // whose it is: its pages are charged to them
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
    void (*settled)(void *arg); // registered, or not; not called once it was dropped
    void *arg;
};

// Begins to register a mapping, which it takes over on success. NULL with the reason.
struct rc_registration *rc_registration_new(struct rc_device *device,
                                            const struct rc_mapping *mapping,
                                            const struct limits *limits, void (*settled)(void *arg),
                                            void *arg, struct errtext *err);

// Not to be used from now on, nor by the caller; it ends after the last hold. Takes NULL,
// returns NULL.
struct rc_registration *rc_registration_drop(struct rc_registration *registration);

// Of one that is registered.
static inline void rc_registration_hold(struct rc_registration *registration)
{
    registration->holds++;
}
void rc_registration_release(struct rc_registration *registration);

#endif
