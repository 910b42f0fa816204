// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the examples share, besides fail.h: they find a device, read a size and run a job.

#ifndef EXAMPLES_COMMON_EXAMPLE_H
#define EXAMPLES_COMMON_EXAMPLE_H

#include "fail.h"

#include <doca_ctx.h>
#include <doca_dev.h>

#include <stddef.h>

// Opens a device by its PCI address ("0b:00.0"), or by the name of its network interface
// or InfiniBand device ("pf0"). NULL: the first one that can do DMA.
struct doca_dev *open_device(const char *which);

// Returns the DEVICE of `-p DEVICE`, the only option that is allowed, or NULL without it. The
// arguments begin at `optind` then. Ends the program with status 2 if there are other options.
const char *device_option(int argc, char **argv);

// Reads a size such as "4096", "64K", "256M", "1G". Fails if `text` is not a size.
size_t read_size(const char *text);

// Submits a job and polls until it is done. Fails unless it succeeds.
void run_job(struct doca_workq *workq, const struct doca_job *job);

#endif
