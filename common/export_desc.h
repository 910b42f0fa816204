// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The export descriptor: what an application carries from the process that exports
// memory to the one that imports it. See ExportDescriptor in proto/docad.proto.

#ifndef COMMON_EXPORT_DESC_H
#define COMMON_EXPORT_DESC_H

#include <docad.pb-c.h>

#include "errtext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT_DESC_SIZE_MAX 256
#define EXPORT_TOKEN_SIZE    16
#define EXPORT_NODE_SIZE     16

struct export_desc {
    uint8_t node[EXPORT_NODE_SIZE];
    uint64_t export_id;
    uint8_t token[EXPORT_TOKEN_SIZE];
    uint64_t address;
    uint64_t length;
    uint32_t access; // enum doca_access_flags
    uint32_t target; // Docad__ExportTarget
    char pci_address[16];
    char vuid[128];
    bool has_rkey; // exported on a verbs function:
    uint32_t rkey; // its remote key there
};

// The export is a sync event, not memory.
static inline bool export_is_event(uint32_t target)
{
    return target == DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT ||
           target == DOCAD__EXPORT_TARGET__TARGET_NET_EVENT;
}

// Packs a descriptor. DOCA_ERROR_INVALID_VALUE if it would not fit (a VUID too
// long), and nothing is written to *size.
doca_error_t export_desc_encode(const struct export_desc *desc, uint8_t buf[EXPORT_DESC_SIZE_MAX],
                                size_t *size);

// Decodes untrusted bytes. DOCA_ERROR_INVALID_VALUE if they are not a descriptor, truncated or
// altered; DOCA_ERROR_UNSUPPORTED_VERSION if a later version made them. `err` has the reason.
doca_error_t export_desc_decode(const void *bytes, size_t size, struct export_desc *out,
                                struct errtext *err);

#endif
