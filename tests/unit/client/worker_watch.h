// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// For tests of libraries whose jobs are computed by workers: a worker that is busy until the test
// says so, and memory that tells whether it is touched only while docad is told.

#ifndef TESTS_WORKER_WATCH_H
#define TESTS_WORKER_WATCH_H

#include <stddef.h>
#include <stdint.h>

// Keeps one worker busy; there must be one, and no other.
void busy_worker_begin(void);
void busy_worker_end(void);

// Whole pages that are watched: each first touch counts if no place on the activity page of the
// fake session names the import.
uint8_t *watched_pages(size_t size);
void watch_begin(uint8_t *pages, size_t size, uint64_t import_id);
unsigned watch_end(void); // unannounced touches
unsigned watch_touches(void);

#endif
