// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of DOCA 3 that compute, several in flight, waited for through the notification handle: the
// program's thread sleeps until then.

#ifndef PERFTEST_COMPUTE_RIG_H
#define PERFTEST_COMPUTE_RIG_H

#include "problem.h"

#include <stddef.h>
#include <stdint.h>

#define COMPUTE_IN_FLIGHT_MAX 4

// For erasure coding.
#define COMPUTE_DATA 8
#define COMPUTE_RDNC 4

enum compute_kind {
    COMPUTE_DEFLATE,
    COMPUTE_INFLATE,
    COMPUTE_LZ4,
    COMPUTE_EC_CREATE,
    COMPUTE_EC_RECOVER, // of the first COMPUTE_RDNC blocks
    COMPUTE_GCM,        // encrypts, with a tag of 16 bytes
    COMPUTE_SHA,
};

struct doca_dev;
struct compute_rig;

// The key and initialisation vector of COMPUTE_GCM.
extern const uint8_t compute_key[32], compute_iv[12];

// Each task reads `in`, which stays the caller's, and writes up to `room` bytes of its own. *absent
// is the library that this was built without, or NULL. Call compute_rig_close() even after a
// failure.
bool compute_open(struct compute_rig **out, struct doca_dev *dev, enum compute_kind kind,
                  uint8_t *in, size_t size, size_t room, const char **absent,
                  struct problem *problem);
void compute_close(struct compute_rig *rig); // takes NULL

// Computes `n` times, with `depth` in flight.
bool compute_run(struct compute_rig *rig, unsigned n, unsigned in_flight, struct problem *problem);

// Submits one. The caller measures; compute_wait() follows.
bool compute_submit(struct compute_rig *rig, struct problem *problem);
bool compute_wait(struct compute_rig *rig, struct problem *problem);

// The output of the first task.
const uint8_t *compute_result(const struct compute_rig *rig, size_t *size);

#endif
