// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding jobs of the 2.2 interface.

#ifndef CLIENT_ERASURE_CODING_EC_SUBMIT_H
#define CLIENT_ERASURE_CODING_EC_SUBMIT_H

#include "ec_job.h"

#include <doca_erasure_coding.h>

static inline bool ec_type_known(int type)
{
    return type >= DOCA_EC_JOB_GALOIS_MUL && type <= DOCA_EC_JOB_RECOVER;
}

// work_ops.
doca_error_t ec_prepare(struct work_item *item, const void *submitted);

#endif
