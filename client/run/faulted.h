// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument of --faults.

#ifndef RUN_FAULTED_H
#define RUN_FAULTED_H

// Returns the text of the rules, which are in a file of this name or are the argument itself. Ends
// docad-run if they are wrong.
const char *faulted_read(const char *argument);

#endif
