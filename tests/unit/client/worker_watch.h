// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// For tests of libraries whose jobs are computed by workers: a worker that is busy until the test
// says so, memory in front of which a worker waits, and memory that tells whether it is touched
// only while docad is told.

#ifndef TESTS_WORKER_WATCH_H
#define TESTS_WORKER_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Keeps one worker busy; there must be one, and no other.
void busy_worker_begin(void);
void busy_worker_end(void);

// Watched pages that are shut: whoever touches one waits in front of it until they are opened.
void gate_shut(uint8_t *pages, size_t size);
bool gate_reached(void); // whether somebody stands in front of it
void gate_wait(void);    // until somebody does
void gate_open(void);    // also in a child, for its own memory

// Whole pages that are watched: each first touch counts if no place on the activity page of the
// fake session names the import.
uint8_t *watched_pages(size_t size);
void watch_begin(uint8_t *pages, size_t size, uint64_t import_id);
unsigned watch_end(void); // unannounced touches
unsigned watch_touches(void);

#endif
