// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a client's threads wait, and for how long: a thread that polls without success spins for
// spin_us, or for spin_shared_us if other threads run on its CPU; then it yields its CPU; if the
// yield did not help and it may wait in the kernel, it blocks for block_us. docad.conf(5) sets the
// times for a node's clients, the environment for one program.

#ifndef COMMON_WAIT_TIMES_H
#define COMMON_WAIT_TIMES_H

#include <stdint.h>

#define WAIT_US_MAX 1000000

struct wait_times {
    uint32_t spin_us, spin_shared_us, block_us;
};

// An answer of another CPU takes 0.1 to 3 us, of a sleeping one up to 20. If another thread must
// run on this CPU first, spinning only delays it. A blocked thread is woken by its event; a missed
// wake-up costs at most 50 us.
#define WAIT_SPIN_US        20
#define WAIT_SPIN_SHARED_US 3
#define WAIT_BLOCK_US       50

#define WAIT_TIMES_DEFAULT                                                                         \
    {                                                                                              \
        .spin_us = WAIT_SPIN_US, .spin_shared_us = WAIT_SPIN_SHARED_US, .block_us = WAIT_BLOCK_US  \
    }

#endif
