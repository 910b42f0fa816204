// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The tables of the 1.5 interface. For files that are compiled with DOCA_USE_VERSION=15.

#ifndef STATES_DOCA_1_5_H
#define STATES_DOCA_1_5_H

#include "tables.h"

extern const struct group group_mmaps_1_5, group_bufs_1_5, group_inventories_1_5, group_devices_1_5,
    group_dmas_1_5, group_workqs_1_5, group_logs_1_5, group_compressions_1_5;

#endif
