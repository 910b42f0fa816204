// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The workers' places on the activity page of a session: one for each worker, shared by all ports
// of the session.

#ifndef CLIENT_WORKERS_PLACES_H
#define CLIENT_WORKERS_PLACES_H

#include "workers/workers.h"

struct worker_places {
    struct worker_places *next;
    struct session *session; // held
    uint32_t ports, n;
    struct activity_slot *slots[WORKERS_MAX];
};

// Returns NULL if the session has too few places left, or there is no memory. Under the control
// lock of workers.c, as is the other one.
struct worker_places *worker_places_get(struct session *session, uint32_t n);
struct worker_places *worker_places_put(struct worker_places *places); // takes NULL, returns NULL

#endif
