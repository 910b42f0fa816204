// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The structure of a memory map, only for the files that make it.

#ifndef CLIENT_MMAP_MMAP_OBJECT_H
#define CLIENT_MMAP_MMAP_OBJECT_H

#include "core/alive.h"
#include "core/device.h"
#include "mmap/backing.h"
#include "mmap/exported.h"
#include "mmap/memory.h"

#include <doca_mmap.h>

struct export_kind {
    Docad__ExportTarget target;
    bool as_pci; // for RDMA: others may do what the map lets them do across PCI
    bool lent;   // for Comch: the export is the library's own, and the card's limits for exports do
                 // not apply
};

// One for each device and kind.
struct mmap_export {
    struct mmap_export *next;
    const struct doca_dev *dev;
    struct export_kind kind;
    struct exported made;
};

#define MMAP_BUF_COUNTS 8

struct doca_mmap {
    struct memory memory; // what the data path sees
    struct buf_count buf_counts[MMAP_BUF_COUNTS];
    _Atomic uint32_t other_bufs; // of inventories that found no free place
    _Atomic uint32_t refs;       // the program's until it destroys the map, and Comch consumers'

    bool has_range, started, ever_started;
    bool frozen;    // takes no buffers and no changes, although it is started
    bool uncounted; // keeps no count of its buffers
    bool doca_3;    // made by DOCA 3, whose defaults and errors differ
    bool relaxed;   // has DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING, which only cards notice
    union doca_data user_data;
    doca_mmap_memrange_free_cb_t *free_cb;
    void *opaque;

    struct alive alive; // until the program destroys it

    uint32_t max_devices, n_devices;
    struct doca_dev **devices;

    struct session
        *session; // the session in which the region or the import was registered; NULL: none

    // For a local map, while it is started.
    struct backing *backing;
    uint64_t region_id;
    struct mmap_export *exports;

    // For ibverbs devices: as many as memory.n_keys.
    struct memory_key *keys;
    struct ibv_mr **registrations; // NULL if imported
    unsigned generation;           // of the process that made these

    // For an imported map.
    struct memory_part *parts;

    // For a map of the 1.3 interface, else NULL. The map's range is then the first of the
    // chunks.
    struct chunks *chunks;
    char *name;
};

// mmap_object.c: makes a map with nothing in it but the defaults.
doca_error_t mmap_new(const union doca_data *user_data, struct doca_mmap **out,
                      struct errtext *err);
// Releases devices and memory of a map that is neither started nor imported any more.
void mmap_free(struct doca_mmap *mmap);
uint32_t mmap_count_bufs(const struct doca_mmap *mmap);
// The holder of a reference may query whether the map can be exported, even after the program has
// destroyed it; it is then not started. Thread-safe.
struct doca_mmap *mmap_ref(struct doca_mmap *mmap);
void mmap_unref(struct doca_mmap *mmap);
doca_error_t mmap_add_device(struct doca_mmap *mmap, struct doca_dev *dev, struct errtext *err);
// Logs that the map's range is not aligned as the card of the device needs it to be fast. Returns
// whether it did.
bool mmap_warn_of_unaligned(const struct doca_mmap *mmap, const struct doca_dev *dev);
// DOCA_ERROR_INVALID_VALUE if the map does not have it.
doca_error_t mmap_remove_device(struct doca_mmap *mmap, struct doca_dev *dev);
// Returns the session of its devices; NULL if none of them is docad's.
struct session *mmap_session(const struct doca_mmap *mmap);

// mmap_keys.c: registers the memory with each ibverbs device of the map, and undoes that; or takes
// the key of imported memory. If the first or the last fails, it changes nothing.
doca_error_t keys_make(struct doca_mmap *mmap, struct errtext *err);
void keys_drop(struct doca_mmap *mmap);
doca_error_t keys_import(struct doca_mmap *mmap, uint32_t rkey, struct errtext *err);

// region.c: admits others, as far as the map's access allows: its range gets a backing and keys,
// and is registered with docad. After a failure the map is as before. The second function undoes
// that.
doca_error_t region_start(struct doca_mmap *mmap, struct errtext *err);
void region_stop(struct doca_mmap *mmap);
// Forgets the descriptors of its exports, which have ended.
void region_free_exports(struct doca_mmap *mmap);
// Requests an export of a registered or imported map from docad; `ask` has its kind.
doca_error_t region_ask_export(const struct doca_mmap *mmap, const struct doca_dev *dev,
                               Docad__ExportCreate *ask, const int *fds, size_t n_fds,
                               struct exported *out, struct errtext *err);

// mmap.c. Devices and settings can change only while nothing depends on them. Both report the
// obstacle in the name of `function`; the first returns `code` then.
doca_error_t mmap_must_be_idle(const char *function, const struct doca_mmap *mmap,
                               doca_error_t code);
doca_error_t mmap_may_set_range(const char *function, const struct doca_mmap *mmap);

// mmap_export.c: returns the map's export for a device, and makes it if there is none.
doca_error_t mmap_export_on(struct doca_mmap *mmap, const struct doca_dev *dev,
                            Docad__ExportTarget target, struct mmap_export **out,
                            struct errtext *err);

// The same for a map that its owner lends to the process at the other end of a device's channel, to
// write to: across PCI if it has that permission, else by RDMA. `beside`: that process uses a PCI
// function of this node, to which nothing is exported across PCI.
doca_error_t mmap_lend(struct doca_mmap *mmap, const struct doca_dev *dev, bool beside,
                       struct mmap_export **out, struct errtext *err);

// delegate.c: mmap_export_on() for an imported map, for RDMA only.
doca_error_t mmap_delegate(struct doca_mmap *mmap, const struct doca_dev *dev,
                           Docad__ExportTarget target, struct mmap_export **out,
                           struct errtext *err);

// The public functions that export, each in its own name.
doca_error_t mmap_export(const char *function, struct doca_mmap *mmap, const struct doca_dev *dev,
                         Docad__ExportTarget target, const void **export_desc,
                         size_t *export_desc_len);

// import.c. The second function unmaps, and notifies docad.
doca_error_t import_create(const union doca_data *user_data, const void *desc, size_t length,
                           struct doca_dev *dev, struct doca_mmap **out, struct errtext *err);
void import_release(struct doca_mmap *mmap);

#endif
