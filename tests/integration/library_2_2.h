// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A library of DOCA 2.2, as a program of another generation links it: it has a device, memory, a
// DMA context with a work queue, and a sync event of its own. It contains no type that differs
// between interfaces. Whatever goes wrong fails the test, except where a function returns the
// error.

#ifndef INTEGRATION_LIBRARY_2_2_H
#define INTEGRATION_LIBRARY_2_2_H

#include <doca_error.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY_JOBS  8u
#define LIBRARY_PIECE 4096u
#define LIBRARY_SIZE  (2 * LIBRARY_JOBS * LIBRARY_PIECE) // sources, then destinations

struct library;

struct library *library_open(const char *pci_address);
void library_close(struct library *library);
uint8_t *library_memory(struct library *library);

// Submits LIBRARY_JOBS copies from the first half of the memory to the second. The other function
// takes those that are done, and returns their number.
void library_submit(struct library *library);
unsigned library_retrieve(struct library *library);

// Does all of that.
void library_work(struct library *library);

// Copies a source that has no bytes, and returns what becomes of it.
doca_error_t library_fail(struct library *library);

// Exports the memory to the DPU, for as long as the library is open.
size_t library_export(struct library *library, uint8_t *desc, size_t room);

// Imports what another program, or this one, exported, and copies its beginning into the memory.
doca_error_t library_fetch(struct library *library, const void *desc, size_t desc_len, size_t n);

// Adds to the sync event, and returns its value.
uint64_t library_count(struct library *library, uint64_t by);

#endif
