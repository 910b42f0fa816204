// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export_desc.h"

#include "cleanup.h"
#include "copy_text.h"
#include "descriptor.h"

#include <docad.pb-c.h>
#include <string.h>

static const struct descriptor_kind kind = {.magic = 0x44434144u,
                                            .version = 1,
                                            .what = "export descriptor",
                                            .source = "the export returned",
                                            .reader = "the importing side",
                                            .unknown_version = DOCA_ERROR_UNSUPPORTED_VERSION,
                                            .body = &docad__export_body__descriptor};

doca_error_t export_desc_encode(const struct export_desc *desc, uint8_t buf[EXPORT_DESC_SIZE_MAX],
                                size_t *size)
{
    Docad__ExportBody body = DOCAD__EXPORT_BODY__INIT;
    body.node = (ProtobufCBinaryData){EXPORT_NODE_SIZE, (uint8_t *)desc->node};
    body.export_id = desc->export_id;
    body.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, (uint8_t *)desc->token};
    body.address = desc->address;
    body.length = desc->length;
    body.access = desc->access;
    body.target = (Docad__ExportTarget)desc->target;
    body.pci_address = (char *)desc->pci_address;
    body.vuid = (char *)desc->vuid;
    body.has_rkey = desc->has_rkey;
    body.rkey = desc->rkey;
    return descriptor_seal(&kind, &body.base, buf, size);
}

doca_error_t export_desc_decode(const void *bytes, size_t size, struct export_desc *out,
                                struct errtext *err)
{
    cleanup(descriptor_body_freep) ProtobufCMessage *body = NULL;

    doca_error_t r = descriptor_open(&kind, bytes, size, &body, err);
    if (r != DOCA_SUCCESS)
        return r;
    const Docad__ExportBody *b = (const Docad__ExportBody *)body;
    if (b->node.len != EXPORT_NODE_SIZE || b->token.len != EXPORT_TOKEN_SIZE ||
        strlen(b->pci_address) >= sizeof(out->pci_address) || strlen(b->vuid) >= sizeof(out->vuid))
        return descriptor_malformed(&kind, size, "its contents are not valid", err);
    memset(out, 0, sizeof(*out));
    memcpy(out->node, b->node.data, EXPORT_NODE_SIZE);
    memcpy(out->token, b->token.data, EXPORT_TOKEN_SIZE);
    out->export_id = b->export_id;
    out->address = b->address;
    out->length = b->length;
    out->access = b->access;
    out->target = (uint32_t)b->target;
    copy_text(out->pci_address, b->pci_address);
    copy_text(out->vuid, b->vuid);
    out->has_rkey = b->has_rkey;
    out->rkey = b->rkey;
    return DOCA_SUCCESS;
}
