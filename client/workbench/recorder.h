// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Composes records of calls and of what else happens, and puts them into the ring of a thread.

#ifndef WORKBENCH_RECORDER_H
#define WORKBENCH_RECORDER_H

#include "record.h"
#include "workbench.h"

// A call that has returned, a callback that begins, or one that has returned.
void recorder_call(struct slot *slot, const struct call *call, enum record_kind kind);
// A record of two words.
void recorder_words(struct slot *slot, enum record_kind kind, uint32_t depth, uint64_t first,
                    uint64_t second);
// A fault: where, what happened, and by which rule.
void recorder_fault(struct slot *slot, uint32_t depth, uint64_t number, const char *const texts[3]);
// A line of the library's log.
void recorder_message(struct slot *slot, uint32_t depth, uint32_t level, const char *text);

#endif
