// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs of the 2.2 interface.

#ifndef CLIENT_SHA_SHA_SUBMIT_H
#define CLIENT_SHA_SHA_SUBMIT_H

#include "sha_job.h"

#include <doca_sha.h>

// The type must be that of a SHA job.
static inline bool sha_type_known(int type)
{
    return type >= DOCA_SHA_JOB_SHA1 && type <= DOCA_SHA_JOB_SHA512_PARTIAL;
}

static inline enum sha_algorithm sha_type_algorithm(int type)
{
    return (enum sha_algorithm)((type - DOCA_SHA_JOB_SHA1) % SHA_ALGORITHMS);
}

// work_ops.
doca_error_t sha_prepare(struct work_item *item, const void *submitted);

#endif
