// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A service manager, as far as docad talks to one: it takes messages, and what it is given to keep.

#ifndef FUZZ_MANAGER_H
#define FUZZ_MANAGER_H

// From now on docad finds it.
void manager_start(void);

// Reads what docad has said, and forgets it.
void manager_drain(void);

#endif
