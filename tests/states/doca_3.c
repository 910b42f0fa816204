// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The groups of the DOCA 3 interface.

#include "doca_3.h"

const struct group *const groups[] = {
    &group_engines_3,       &group_contexts_3,       &group_tasks_3,     &group_devices_3,
    &group_representors_3,  &group_clocks_3,         &group_logs_3,      &group_sources_3,
    &group_loggers_3,       &group_argp_3,           &group_cmds_3,      &group_shas_3,
    &group_compressions_3,  &group_compress_tasks_3, &group_sha_tasks_3, &group_aes_gcms_3,
    &group_aes_gcm_tasks_3,
};
const size_t n_groups = sizeof(groups) / sizeof(groups[0]);
