// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions and variables that loaded objects (the program, its libraries) take from others.

#ifndef CLIENT_COMPRESS_TASKS_REFERENCES_H
#define CLIENT_COMPRESS_TASKS_REFERENCES_H

#include <stdbool.h>

typedef void reference_seen(const char *name, void *arg);

// Calls `seen` with each of their names, some more than once. It must not load objects. Returns
// false if this code is part of the program itself, so that the program's references are not
// visible.
bool references_each(reference_seen *seen, void *arg);

// Returns whether objects have been loaded since it was called last.
bool references_are_new(void);

#endif
