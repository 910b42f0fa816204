// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Counts how many objects a call reads or writes, each of which has a page to itself.

#ifndef TESTS_TOUCHED_H
#define TESTS_TOUCHED_H

#include <stddef.h>

// Memory of zeros for one object, for free().
void *touched_new(void);
// The same for one that is larger than a page: its first page counts.
void *touched_new_of(size_t size);

// From here on the objects count, ...
void touched_begin(void);
// ... up to here, if they are touched. The number of those that were. May be called only after
// none of them was freed meanwhile.
size_t touched_end(void);

#endif
