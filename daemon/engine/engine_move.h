// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What one request of a queue pair does: its checks, and the bytes that it moves.

#ifndef DAEMON_ENGINE_MOVE_H
#define DAEMON_ENGINE_MOVE_H

#include "engine_grants.h"
#include "queue_pair.h"

// What the client asks for, against what it may: DOCA_SUCCESS, or what the request fails
// with. Requests come from shared memory: every field is checked here and nowhere else.
// `grant` may be NULL.
uint32_t engine_check(const struct engine_grant *grant, const struct qp_request *r);

// Carries out a checked request; `data` is its place in the data area. May take long. The
// intent of an atomic operation is written down before it; one that an earlier engine left
// for this `sequence` (`again`) is looked at instead of doing it twice.
uint32_t engine_move(const struct engine_grant *grant, const struct qp_request *r, uint8_t *data,
                     struct qp_intent *intent, uint32_t sequence, bool again);

#endif
