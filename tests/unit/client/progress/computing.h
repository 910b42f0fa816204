// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of the computing libraries behind one face: each reads a source of some size and writes a
// destination.

#ifndef TESTS_COMPUTING_H
#define TESTS_COMPUTING_H

#include "../dma/dma_rig.h"

#include <doca_pe.h>

#define COMPUTING_TASKS 4

struct computing {
    const char *name;
    // Opens the library, not started, and makes its context ready to run COMPUTING_TASKS tasks.
    struct doca_ctx *(*open)(void);
    struct doca_task *(*task)(const struct doca_buf *src, struct doca_buf *dst);
    doca_error_t (*close)(void);
    // Once after the start and before the stop: what tasks need besides. May be NULL.
    void (*begin)(void);
    void (*end)(void);
    const struct computing *input; // whose result is the source; NULL: any bytes are
};

extern const struct computing computing[];
extern const int n_computing;
extern const struct computing copying; // DMA, which computes nothing

// Called for each task that has ended.
extern void (*computing_over)(struct doca_task *task);

#endif
