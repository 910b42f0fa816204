// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Check records each assertion that holds in a file, which it reads when the test has ended: that
// takes longer than most assertions. The last one is all that it reports, after a crash. So long
// loops record an assertion once: all tests are linked with a _mark_point() that omits, after
// many, those that were recorded shortly before.

#ifndef HARNESS_MARKS_H
#define HARNESS_MARKS_H

#include <stdbool.h>

#define MARKS_ALL    1000 // the first ones of a thread, which are recorded whatever they are
#define MARKS_RECENT 16   // those that are not recorded again

// Decides whether Check records that the test has come to this line.
bool marks_record(const char *file, int line);

// Records nothing more in this process.
void marks_stop(void);

#endif
