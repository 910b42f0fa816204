// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Carries out one request of a queue pair: its checks, and the bytes that it moves.

#ifndef DAEMON_ENGINE_MOVE_H
#define DAEMON_ENGINE_MOVE_H

#include "engine_grants.h"
#include "queue_pair.h"

// Checks a request against the client's permissions: DOCA_SUCCESS, or the error of the
// request. Requests come from shared memory: every field is checked here and nowhere else.
// `grant` may be NULL.
uint32_t engine_check(const struct engine_grant *grant, const struct qp_request *r);

// Executes a checked request, whose bytes are at `data` in the data area. May take long. Before an
// atomic operation its intent is recorded. If an earlier engine left an intent for this `sequence`
// (`again`), the intent is checked, so that the operation is not executed twice.
uint32_t engine_move(const struct engine_grant *grant, const struct qp_request *r, uint8_t *data,
                     struct qp_intent *intent, uint32_t sequence, bool again);

#endif
