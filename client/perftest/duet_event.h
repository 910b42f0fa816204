// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The sync event of a duet as programs of DOCA 3 use it: one waits until it has a value (wait_eq).

#ifndef PERFTEST_DUET_EVENT_H
#define PERFTEST_DUET_EVENT_H

#include "problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doca_dev;
struct doca_sync_event;

// Makes the host's event; *desc is its export for the DPU.
bool duet_event_make(struct doca_sync_event **event, struct doca_dev *dev, const uint8_t **desc,
                     size_t *desc_size, struct problem *problem);
// Imports it on the DPU.
bool duet_event_take(struct doca_sync_event **event, struct doca_dev *dev, const uint8_t *desc,
                     size_t desc_size, struct problem *problem);
void duet_event_end(struct doca_sync_event *event);

// The first process sets odd numbers, the second even ones, `n` times each from *turn on.
bool duet_event_turns(struct doca_sync_event *event, uint64_t *turn, uint64_t n, bool first,
                      struct problem *problem);

#endif
