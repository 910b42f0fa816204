// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the examples share, beside how they fail: how they find a device, read a size and run
// a job.

#ifndef EXAMPLES_COMMON_EXAMPLE_H
#define EXAMPLES_COMMON_EXAMPLE_H

#include "fail.h"

#include <doca_ctx.h>
#include <doca_dev.h>

#include <stddef.h>

// Opens a device by its PCI address ("0b:00.0"), or by the name of its network interface
// or InfiniBand device ("pf0"). NULL: the first one that can do DMA.
struct doca_dev *open_device(const char *which);

// The DEVICE of `-p DEVICE`, the only option there may be; NULL without it. Arguments begin at
// `optind` then. Ends the program with status 2 if there are other options.
const char *device_option(int argc, char **argv);

// Reads a size such as "4096", "64K", "256M", "1G". Fails if `text` is none.
size_t read_size(const char *text);

// Submits a job and polls until it is done. Fails unless it succeeds.
void run_job(struct doca_workq *workq, const struct doca_job *job);

#endif
