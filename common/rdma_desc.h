// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The RDMA descriptor: what an application carries from an instance of RDMA to the one
// that connects to it. See RdmaDescriptor in proto/docad.proto.

#ifndef COMMON_RDMA_DESC_H
#define COMMON_RDMA_DESC_H

#include "errtext.h"
#include "verbs_address.h"

#include <docad.pb-c.h>
#include <stddef.h>
#include <stdint.h>

#define RDMA_DESC_SIZE_MAX 256
#define RDMA_TOKEN_SIZE    16
#define RDMA_NODE_SIZE     16

struct rdma_desc {
    uint8_t node[RDMA_NODE_SIZE];
    uint64_t endpoint_id;
    uint8_t token[RDMA_TOKEN_SIZE];
    char pci_address[16];
    char vuid[128];
    // For a verbs function:
    bool has_verbs;
    struct verbs_address verbs;
    uint32_t permissions; // what the other side may do with its queue pair
};

// Packs a descriptor. DOCA_ERROR_INVALID_VALUE if it would not fit, and nothing is
// written to *size.
doca_error_t rdma_desc_encode(const struct rdma_desc *desc, uint8_t buf[RDMA_DESC_SIZE_MAX],
                              size_t *size);

// Converts the verbs part to a message, and back: false if its values are not valid. The
// message points into the descriptor.
void rdma_desc_verbs_to_message(const struct rdma_desc *desc, Docad__RdmaVerbs *out);
bool rdma_desc_verbs_from_message(const Docad__RdmaVerbs *message, struct rdma_desc *out);

// Decodes untrusted bytes. DOCA_ERROR_INVALID_VALUE if they are not a descriptor, truncated or
// altered, or made by a later version. `err` has the reason.
doca_error_t rdma_desc_decode(const void *bytes, size_t size, struct rdma_desc *out,
                              struct errtext *err);

#endif
