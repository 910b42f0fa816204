// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Exports and imports of floods, without the library.

#ifndef PERFTEST_FLOOD_SHARE_H
#define PERFTEST_FLOOD_SHARE_H

#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flood_export {
    uint64_t region_id;
    uint8_t descriptor[256];
    size_t size; // of the descriptor
};

// Registers memory that docad's engine copies, in a session with an open function. Returns false if
// docad refuses.
bool flood_register(int sock, const void *memory, size_t size, struct flood_export *out);

// Exports a registered region.
bool flood_export_region(int sock, Docad__ExportTarget target, struct flood_export *export);

// Does both.
bool flood_export(int sock, const void *memory, size_t size, Docad__ExportTarget target,
                  struct flood_export *out);

// Imports once, in a session with an open function.
bool flood_import(int sock, const struct flood_export *export, uint32_t *key);

// Imports up to `n` times, and stores the ids. Returns how many imports docad has granted.
size_t flood_import_many(int sock, const struct flood_export *export, size_t n, uint64_t *ids);

// Returns how many imports docad has released.
size_t flood_release_many(int sock, const uint64_t *ids, size_t n);

// Publishes the export for these users. Returns false if docad refuses.
bool flood_publish(int sock, const char *name, const struct flood_export *export,
                   Docad__Audience *to);

#endif
