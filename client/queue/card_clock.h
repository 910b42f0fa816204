// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When the card that a device imitates would have done a task: its queues and engines, by the model
// of card_time.h. Nothing here waits.

#ifndef CLIENT_QUEUE_CARD_CLOCK_H
#define CLIENT_QUEUE_CARD_CLOCK_H

#include "card_time.h"

// The queue of a context, all 0 at first. Belongs to one thread.
struct card_queue {
    uint64_t free; // when it will have begun all tasks, in ns
    uint64_t due;  // when the last one is done
};

// The time in ns: CLOCK_MONOTONIC. Tests have a clock of their own.
extern uint64_t (*card_clock_now)(void);

// Returns when a task is done that is submitted to the queue now. Tasks of a queue are done in
// their order. All contexts of the process share the engines: it has one card. Thread-safe.
uint64_t card_clock_due(const struct card *card, const struct card_work *work,
                        struct card_queue *queue);

#endif
