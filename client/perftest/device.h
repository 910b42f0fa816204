// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices by their abilities.

#ifndef PERFTEST_DEVICE_H
#define PERFTEST_DEVICE_H

#include "problem.h"

#include <doca_dev.h>

enum device_ability {
    DEVICE_COPIES,  // DMA
    DEVICE_EXPORTS, // DMA, and exports to the DPU
    DEVICE_IMPORTS, // DMA, and imports exports of a host
};

// Opens the first device that has the ability.
bool device_open(struct doca_dev **dev, enum device_ability ability, struct problem *problem);

// Opens the device with this name of an ibverbs device.
bool device_open_ibdev(struct doca_dev **dev, const char *name, struct problem *problem);

#endif
