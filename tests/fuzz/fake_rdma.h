// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// ibverbs devices that a target makes up, in place of libibverbs. What is sent arrives at once:
// both ends of a reliable connection are in this process. Devices come and go, and fail, as an
// input says.

#ifndef FUZZ_FAKE_RDMA_H
#define FUZZ_FAKE_RDMA_H

#include "input.h"

// As at the start: all devices are there and work.
void fake_rdma_repair(void);

// Something happens to a device, or to what is sent next.
void fake_rdma_disturb(struct input *in);

#endif
