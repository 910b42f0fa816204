// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls of docad's loop that fail: memory, descriptors and messages that the kernel does not give.
// The linker leads the calls here (docad_fuzz(... FAILING)).

#ifndef FUZZ_FAILING_H
#define FUZZ_FAILING_H

#include "input.h"

// Chooses which call fails, and when: once, of those between failing_begin() and failing_end() in
// this thread.
void failing_choose(struct input *in);
void failing_forget(void);

// Around what may fail.
void failing_begin(void);
void failing_end(void);

#endif
