// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a job of a work queue does with its buffers, which its type determines. For tasks
// make-workbench reads that from the headers.

#ifndef WORKBENCH_JOBS_H
#define WORKBENCH_JOBS_H

#include "registry.h"

#include <stddef.h>

#define JOB_BYTES_MAX 48 // that job_read() looks at

struct job {
    const char *type; // "dma_job_memcpy", or NULL: not known
    uint64_t context, user_data;
    int number;
    uint64_t buffers[BUFFERS_MAX]; // addresses, by enum buffer_use without USE_NONE
    uint64_t matrix;
    uint64_t length; // of the source, as jobs of 1.3 have it; UINT64_MAX: all of it
};

// Reads a job that the program submits.
void job_read(uint64_t address, struct job *job);
// Returns how many bytes of it that takes, JOB_BYTES_MAX at most.
size_t job_bytes(uint64_t address);

#endif
