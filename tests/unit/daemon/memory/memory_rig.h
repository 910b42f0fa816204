// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two sessions, `owner` and `other`, and memory of the owner's.

#ifndef TESTS_MEMORY_RIG_H
#define TESTS_MEMORY_RIG_H

#include "export.h"
#include "grant.h"
#include "import.h"
#include "importer.h"
#include "publication.h"
#include "region.h"
#include "session_rig.h"
#include "unit.h"

#include <doca_types.h>

#define RIG_LENGTH  4096u
#define RIG_ADDRESS 0x10000000u
#define RIG_ACCESS  (DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE)

extern struct rig_session owner, other;

void memory_begin(void);
void memory_end(void);

// A page of mapped memory; fails as region_new() does.
doca_error_t memory_register(struct region **out, uint32_t access, struct errtext *err);
struct region *memory_region(uint32_t access);
doca_error_t memory_export(struct export **out, struct region *region, Docad__ExportTarget target,
                           struct errtext *err);
struct export *memory_exported(struct region *region); // for RDMA

// From now on records are kept, by a service manager whose queue has room for all messages of the
// store, which it never reads. Returns its socket.
int memory_store_begin(void);
void memory_store_end(int manager);

int memory_main(const char *name, const TTest *const *tests, size_t n);

#define MEMORY_MAIN(name, ...)                                                                     \
    int main(void)                                                                                 \
    {                                                                                              \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return memory_main(name, tests, sizeof(tests) / sizeof(tests[0]));                         \
    }

#endif
