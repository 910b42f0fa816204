// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a job reaches the bytes of a buffer, wherever they are.

#ifndef CLIENT_WORK_BYTES_H
#define CLIENT_WORK_BYTES_H

#include "buf/buf.h"
#include "queue/executor.h"

// A stretch that is either mapped here, or brokered, from end to end.
struct bytes {
    const struct memory *memory;
    uint64_t address; // in the owner's address space
    uint8_t *local;   // or NULL: brokered
    size_t length;
};

// Finds the stretch at an address of a sound buffer, and how far, up to `length`, it
// extends.
void bytes_find(const struct doca_buf *buf, const uint8_t *address, size_t length,
                struct bytes *out);

// Returns whether a job of this context may read, or write, the buffer. `side` names it in
// the text. NOT_PERMITTED, or why the memory is gone.
doca_error_t bytes_check(const struct work_link *link, const struct doca_buf *buf, bool write,
                         const char *side, struct errtext *err);

// The reason why a job failed while its bytes were being moved.
const char *bytes_error_text(doca_error_t error);

#endif
