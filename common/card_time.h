// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The time that a card takes for a task: the model of a profile with `timing = yes`.
//
// A task occupies the queue of its context for task_ns, and the engine, which all contexts share,
// for engine_ns or overhead_ns plus the time of its bytes at `rate`, whichever is longer. It is
// done when both are, but not before latency_ns plus the time of its bytes at latency_rate. A value
// of 0 takes no time.

#ifndef COMMON_CARD_TIME_H
#define COMMON_CARD_TIME_H

#include "card.h"

#define CARD_NS_MAX UINT64_C(1000000000000) // the longest time that a task takes, in ns

// What a task requires of the card.
struct card_work {
    enum card_key model; // CARD_..._TASK_NS of its kind; CARD_EC_MODEL; CARD_NONE: it takes no time
    uint64_t bytes;      // of erasure coding: of a block
    uint32_t n_data, n_rdnc; // of erasure coding: blocks
};

struct card_times {
    uint64_t queue_ns, engine_ns, latency_ns;
};

struct card_times card_times(const struct card *card, const struct card_work *work);

#endif
