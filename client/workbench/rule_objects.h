// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The life of a program's objects: what calls make, destroy and refer to them, and the rules about
// that. The caller holds registry_lock.

#ifndef WORKBENCH_RULE_OBJECTS_H
#define WORKBENCH_RULE_OBJECTS_H

#include "registry.h"
#include "workbench.h"

// Returns the object that is the first argument of a call or callback, or NULL.
struct entry *objects_first(const struct call *call);

// Reports arguments that are destroyed, or of another kind than the function takes.
void objects_before(const struct call *call);
// Notes what a call that has succeeded has made, destroyed and changed.
void objects_after(const struct call *call);
// Notes that DOCA has shown an object, which is alive then.
void objects_show(uint64_t address);

// Reports what was not destroyed.
void objects_end(void);
void objects_in_child(void);

#endif
