// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The groups of the DOCA 3 interface.

#include "doca_3.h"

const struct group *const groups[] = {
    &group_engines_3,
    &group_contexts_3,
    &group_tasks_3,
    &group_devices_3,
    &group_representors_3,
    &group_clocks_3,
    &group_logs_3,
    &group_sources_3,
    &group_loggers_3,
    &group_argp_3,
    &group_cmds_3,
    &group_shas_3,
    &group_sha_tasks_3,
    &group_aes_gcms_3,
    &group_aes_gcm_tasks_3,
    &group_compressions_3,
    &group_compress_tasks_3,
    &group_bufs_3,
    &group_inventories_3,
    &group_pools_3,
    &group_buf_arrays_3,
    &group_mmaps_3,
    &group_advices_3,
    &group_advice_tasks_3,
    &group_graphs_3,
    &group_sync_events_3,
    &group_sync_event_tasks_3,
    &group_sync_event_hardware_3,
    &group_hardware_3,
    &group_ecs_3,
    &group_ec_tasks_3,
    &group_comch_servers_3,
    &group_comch_clients_3,
    &group_comch_consumers_3,
    &group_comch_producers_3,
    &group_comch_receives_3,
    &group_comch_sends_3,
    &group_rdmas_3,
    &group_rdma_connections_3,
    &group_rdma_addrs_3,
    &group_rdma_tasks_3,
    &group_rdma_bridges_3,
};
const size_t n_groups = sizeof(groups) / sizeof(groups[0]);
