// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export_desc.h"

#include "cleanup.h"
#include "copy_text.h"
#include "desc_checksum.h"
#include "unpack.h"

#include <docad.pb-c.h>
#include <stdlib.h>
#include <string.h>

#define DESC_MAGIC   0x44434144u
#define DESC_VERSION 1u

static void desc_freep(Docad__ExportDescriptor **d)
{
    if (*d)
        docad__export_descriptor__free_unpacked(*d, NULL);
}

static void body_freep(Docad__ExportBody **b)
{
    if (*b)
        docad__export_body__free_unpacked(*b, NULL);
}

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

    uint8_t packed[EXPORT_DESC_SIZE_MAX], sum[DESC_CHECKSUM_SIZE];
    size_t body_size = docad__export_body__get_packed_size(&body);
    if (body_size > sizeof(packed))
        return DOCA_ERROR_INVALID_VALUE;
    docad__export_body__pack(&body, packed);
    if (!desc_checksum(DESC_MAGIC, DESC_VERSION, packed, body_size, sum))
        return DOCA_ERROR_INVALID_VALUE;

    Docad__ExportDescriptor d = DOCAD__EXPORT_DESCRIPTOR__INIT;
    d.magic = DESC_MAGIC;
    d.version = DESC_VERSION;
    d.body = (ProtobufCBinaryData){body_size, packed};
    d.checksum = (ProtobufCBinaryData){DESC_CHECKSUM_SIZE, sum};
    if (docad__export_descriptor__get_packed_size(&d) > EXPORT_DESC_SIZE_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    *size = docad__export_descriptor__pack(&d, buf);
    return DOCA_SUCCESS;
}

static doca_error_t malformed(struct errtext *err, size_t size, const char *what)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "export descriptor of %zu bytes: %s; pass on exactly the bytes and the "
                       "length that the export returned",
                       size, what);
}

static doca_error_t no_memory(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
}

static doca_error_t decode_body(const Docad__ExportDescriptor *d, size_t size,
                                struct export_desc *out, struct errtext *err)
{
    struct unpack_memory memory;

    unpack_memory_init(&memory);
    cleanup(body_freep) Docad__ExportBody *b =
        docad__export_body__unpack(&memory.allocator, d->body.len, d->body.data);
    if (!b && memory.ran_out)
        return no_memory(err);
    if (!b || b->node.len != EXPORT_NODE_SIZE || b->token.len != EXPORT_TOKEN_SIZE ||
        strlen(b->pci_address) >= sizeof(out->pci_address) || strlen(b->vuid) >= sizeof(out->vuid))
        return malformed(err, size, "its contents are not valid");

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

doca_error_t export_desc_decode(const void *bytes, size_t size, struct export_desc *out,
                                struct errtext *err)
{
    struct unpack_memory memory;
    uint8_t sum[DESC_CHECKSUM_SIZE];

    if (size == 0 || size > EXPORT_DESC_SIZE_MAX)
        return malformed(err, size, "a descriptor has 1 to 256 bytes");
    unpack_memory_init(&memory);
    cleanup(desc_freep) Docad__ExportDescriptor *d =
        docad__export_descriptor__unpack(&memory.allocator, size, bytes);
    if (!d && memory.ran_out)
        return no_memory(err);
    if (!d)
        return malformed(err, size, "truncated, or not a descriptor at all");
    if (d->magic != DESC_MAGIC)
        return malformed(err, size, "not an export descriptor of docad");
    if (d->version > DESC_VERSION)
        return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "export descriptor of version %u, this library reads up to %u; "
                           "upgrade the importing side",
                           d->version, DESC_VERSION);
    if (d->body.len == 0 || d->checksum.len == 0)
        return malformed(err, size, "truncated");

    if (!desc_checksum(DESC_MAGIC, d->version, d->body.data, d->body.len, sum))
        return malformed(err, size, "its body is too long");
    if (d->checksum.len != DESC_CHECKSUM_SIZE ||
        memcmp(d->checksum.data, sum, DESC_CHECKSUM_SIZE) != 0)
        return malformed(err, size, "altered on the way: its checksum does not match");
    return decode_body(d, size, out, err);
}
