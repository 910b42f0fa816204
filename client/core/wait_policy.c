// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/wait_policy.h"

#include "log/own.h"
#include "number.h"

#include <stdatomic.h>
#include <stdlib.h>

static const struct wait_times usual = WAIT_TIMES_DEFAULT;
// A process that has not connected yet uses the defaults, whatever its environment: it has nothing
// to wait for.
static _Atomic uint32_t spin_us = WAIT_SPIN_US, spin_shared_us = WAIT_SPIN_SHARED_US,
                        block_us = WAIT_BLOCK_US;

struct wait_times wait_policy(void)
{
    return (struct wait_times){
        .spin_us = atomic_load_explicit(&spin_us, memory_order_relaxed),
        .spin_shared_us = atomic_load_explicit(&spin_shared_us, memory_order_relaxed),
        .block_us = atomic_load_explicit(&block_us, memory_order_relaxed),
    };
}

static uint32_t chosen(const char *variable, uint32_t offered)
{
    const char *text = secure_getenv(variable);
    uint64_t us;

    if (offered > WAIT_US_MAX)
        offered = WAIT_US_MAX;
    if (!text || !*text)
        return offered;
    if (number_read(text, 10, WAIT_US_MAX, &us))
        return (uint32_t)us;
    log_own_warning("%s=\"%s\" is not a number of microseconds up to %d, so %u holds; write for "
                    "instance 20",
                    variable, text, WAIT_US_MAX, offered);
    return offered;
}

void wait_policy_set(const struct wait_times *offered)
{
    if (!offered)
        offered = &usual;
    atomic_store_explicit(&spin_us, chosen("DOCAD_SPIN_US", offered->spin_us),
                          memory_order_relaxed);
    atomic_store_explicit(&spin_shared_us, chosen("DOCAD_SPIN_SHARED_US", offered->spin_shared_us),
                          memory_order_relaxed);
    atomic_store_explicit(&block_us, chosen("DOCAD_BLOCK_US", offered->block_us),
                          memory_order_relaxed);
}
