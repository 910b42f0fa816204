// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The encrypt task.

#define GCM_NAME(rest) doca_aes_gcm_task_encrypt_##rest
#define GCM_TASK       struct doca_aes_gcm_task_encrypt
#define GCM_TYPE       GCM_TASK_ENCRYPT
#include "gcm_functions.h"
