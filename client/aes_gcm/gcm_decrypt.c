// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The decrypt task.

#define GCM_NAME(rest) doca_aes_gcm_task_decrypt_##rest
#define GCM_TASK       struct doca_aes_gcm_task_decrypt
#define GCM_TYPE       GCM_TASK_DECRYPT
#include "gcm_functions.h"
