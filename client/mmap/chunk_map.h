// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps of the interfaces before 2.2: devices and ranges are added while the map is started,
// the map is registered with docad when it is exported, and all accesses are allowed unless the map
// restricts them.

#ifndef CLIENT_MMAP_CHUNK_MAP_H
#define CLIENT_MMAP_CHUNK_MAP_H

#include "mmap/mmap_object.h"

// Makes a map that takes one chunk.
doca_error_t chunk_map_new(const union doca_data *user_data, struct doca_mmap **out,
                           struct errtext *err);

// Sets the number of chunks that the map takes. Like the functions below, reports a
// failure in the name of `function`: INVALID_VALUE for 0; NOT_PERMITTED if the map was
// started, or is not such a map.
doca_error_t chunk_map_set_max(const char *function, struct doca_mmap *mmap, uint32_t n);

// Returns DOCA_SUCCESS if devices and chunks may be added and removed, else
// NOT_PERMITTED.
doca_error_t chunk_map_must_be_open(const char *function, const struct doca_mmap *mmap);

// Exports an open map once, to the other side, as a text that the caller frees. No argument may be
// NULL.
doca_error_t chunk_map_export(const char *function, struct doca_mmap *mmap,
                              const struct doca_dev *dev, uint8_t **text, size_t *size);

#endif
