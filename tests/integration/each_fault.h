// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A life of objects, from create to destroy, while calls of the C library fail: the first, the
// second and so on, until none does. Whatever fails, the life ends in an orderly way, nothing is
// lost, and the next one succeeds.
//
// Under a sanitizer only memory fails, see faults_wrapped.c.

#ifndef INTEGRATION_EACH_FAULT_H
#define INTEGRATION_EACH_FAULT_H

#include <stdbool.h>

// True: nothing was in the way. It releases what it has made in any case.
typedef bool (*life_fn)(void *arg);

// The calling process must not follow faults already.
void with_each_fault(life_fn live, void *arg);

#endif
