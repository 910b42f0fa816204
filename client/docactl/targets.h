// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The objects that a command ends: one, which its argument names, or all of an option.

#ifndef DOCACTL_TARGETS_H
#define DOCACTL_TARGETS_H

#include "docactl.h"

struct targets {
    uint64_t *ids;
    size_t n;
    bool no_memory; // some are missing
    bool listed;    // they come from a list: some may end before their turn
};

void targets_add(struct targets *targets, uint64_t id);

// The option --pid, if it was given; otherwise *pid stays as it is.
enum outcome targets_take_pid(struct ctl *ctl, uint64_t *pid);

// Ends one after the other, and releases `targets`. Prints their ids, as hexadecimal digits or as
// numbers, as the member "ids"; the text of a failure has the number of those that were ended
// before it.
enum outcome targets_end(struct ctl *ctl, struct targets *targets,
                         enum outcome (*end)(struct ctl *ctl, uint64_t id), bool hexadecimal,
                         const struct column *columns);

#endif
