// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The groups of the 2.2 interface.

#include "tables.h"

const struct group *const groups[] = {
    &group_devices,     &group_representors, &group_mmaps,      &group_bufs,
    &group_inventories, &group_bufpools,     &group_buf_arrays, &group_contexts,
    &group_workqs,      &group_logs,         &group_sources,    &group_argp,
    &group_rdma,        &group_sync_events,  &group_shas,       &group_compressions,
    &group_ecs,         &group_channels,     &group_graphs,
};
const size_t n_groups = sizeof(groups) / sizeof(groups[0]);
