// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies between memory files that the engine has mapped, so that the client's own CPU is free. A
// window is the part of a region that the engine has mapped; a copy goes from one window to
// another, a step at a time. Between two steps other users have their turn, and each step is
// checked like the first: a dropped grant serves no further step.

#ifndef DAEMON_ENGINE_COPY_H
#define DAEMON_ENGINE_COPY_H

#include "chores.h"
#include "engine_grants.h"
#include "queue_pair.h"

struct segments;

struct engine_window {
    struct list in_windows; // the list of windows to be unmapped
    struct chore unmapping;
    uint8_t *base;
    uint64_t size;
    size_t n_parts;
    struct engine_window_part {
        uint64_t address, length, offset;
    } parts[];
};

// Maps a file. The caller has checked that it is sealed against shrinking. 0 or -errno.
int engine_window_new(struct engine_window **out, int file, const struct segments *segments,
                      bool writable);
struct engine_window *engine_window_free(struct engine_window *window); // NULL: no-op

// Makes a thread free it: it may have many pages whose last reference it is.
void engine_window_free_later(struct engine_window *window, struct chores *chores);

// A copy in progress; its description was copied out of shared memory.
struct engine_copy {
    struct qp_copy what;
    uint64_t done;
    uint32_t tag;
    bool under_way;
};

// Reads the copy that a request describes; `data` is the queue pair's whole data area. Returns
// DOCA_SUCCESS, or the error of the request.
uint32_t engine_copy_begin(struct engine_copy *copy, const struct qp_request *r,
                           const uint8_t *data);

struct engine_step {
    struct engine_grant *from, *to;
    const uint8_t *source;
    uint8_t *target;
    size_t length;
};

// Finds the next step and checks it against the client's permissions. DOCA_SUCCESS, or the
// error of the request.
uint32_t engine_copy_next(const struct engine_copy *copy, const struct engine_grants *grants,
                          struct engine_step *out);

#endif
