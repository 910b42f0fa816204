// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_desc.h"

#include "cleanup.h"
#include "copy_text.h"
#include "desc_checksum.h"
#include "unpack.h"

#include <docad.pb-c.h>
#include <string.h>

#define DESC_MAGIC   0x52434144u
#define DESC_VERSION 1u

static void desc_freep(Docad__RdmaDescriptor **d)
{
    if (*d)
        docad__rdma_descriptor__free_unpacked(*d, NULL);
}

static void body_freep(Docad__RdmaDescriptorBody **b)
{
    if (*b)
        docad__rdma_descriptor_body__free_unpacked(*b, NULL);
}

void rdma_desc_verbs_to_message(const struct rdma_desc *desc, Docad__RdmaVerbs *out)
{
    docad__rdma_verbs__init(out);
    out->qpn = desc->verbs.qpn;
    out->psn = desc->verbs.psn;
    out->lid = desc->verbs.lid;
    out->gid = (ProtobufCBinaryData){VERBS_GID_SIZE, (uint8_t *)desc->verbs.gid};
    out->mtu = desc->verbs.mtu;
    out->ethernet = desc->verbs.ethernet;
    out->permissions = desc->permissions;
}

bool rdma_desc_verbs_from_message(const Docad__RdmaVerbs *m, struct rdma_desc *out)
{
    if (m->qpn == 0 || m->qpn > 0xffffff || m->psn > 0xffffff || m->lid > UINT16_MAX ||
        m->gid.len != VERBS_GID_SIZE || m->mtu < 1 || m->mtu > 5)
        return false;
    out->has_verbs = true;
    out->permissions = m->permissions;
    out->verbs = (struct verbs_address){.qpn = m->qpn,
                                        .psn = m->psn,
                                        .lid = (uint16_t)m->lid,
                                        .mtu = (uint8_t)m->mtu,
                                        .ethernet = m->ethernet};
    memcpy(out->verbs.gid, m->gid.data, VERBS_GID_SIZE);
    return true;
}

doca_error_t rdma_desc_encode(const struct rdma_desc *desc, uint8_t buf[RDMA_DESC_SIZE_MAX],
                              size_t *size)
{
    Docad__RdmaDescriptorBody body = DOCAD__RDMA_DESCRIPTOR_BODY__INIT;
    body.node = (ProtobufCBinaryData){RDMA_NODE_SIZE, (uint8_t *)desc->node};
    body.endpoint_id = desc->endpoint_id;
    body.token = (ProtobufCBinaryData){RDMA_TOKEN_SIZE, (uint8_t *)desc->token};
    body.pci_address = (char *)desc->pci_address;
    body.vuid = (char *)desc->vuid;
    Docad__RdmaVerbs verbs;
    if (desc->has_verbs) {
        rdma_desc_verbs_to_message(desc, &verbs);
        body.verbs = &verbs;
    }

    uint8_t packed[RDMA_DESC_SIZE_MAX], sum[DESC_CHECKSUM_SIZE];
    size_t body_size = docad__rdma_descriptor_body__get_packed_size(&body);
    if (body_size > sizeof(packed))
        return DOCA_ERROR_INVALID_VALUE;
    docad__rdma_descriptor_body__pack(&body, packed);
    if (!desc_checksum(DESC_MAGIC, DESC_VERSION, packed, body_size, sum))
        return DOCA_ERROR_INVALID_VALUE;

    Docad__RdmaDescriptor d = DOCAD__RDMA_DESCRIPTOR__INIT;
    d.magic = DESC_MAGIC;
    d.version = DESC_VERSION;
    d.body = (ProtobufCBinaryData){body_size, packed};
    d.checksum = (ProtobufCBinaryData){DESC_CHECKSUM_SIZE, sum};
    if (docad__rdma_descriptor__get_packed_size(&d) > RDMA_DESC_SIZE_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    *size = docad__rdma_descriptor__pack(&d, buf);
    return DOCA_SUCCESS;
}

static doca_error_t malformed(struct errtext *err, size_t size, const char *what)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "RDMA connection details of %zu bytes: %s; pass on exactly the bytes and "
                       "the length that doca_rdma_export() returned",
                       size, what);
}

static doca_error_t no_memory(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
}

static doca_error_t decode_body(const Docad__RdmaDescriptor *d, size_t size, struct rdma_desc *out,
                                struct errtext *err)
{
    struct unpack_memory memory;

    unpack_memory_init(&memory);
    cleanup(body_freep) Docad__RdmaDescriptorBody *b =
        docad__rdma_descriptor_body__unpack(&memory.allocator, d->body.len, d->body.data);
    if (!b && memory.ran_out)
        return no_memory(err);
    if (!b || b->node.len != RDMA_NODE_SIZE || b->token.len != RDMA_TOKEN_SIZE ||
        strlen(b->pci_address) >= sizeof(out->pci_address) || strlen(b->vuid) >= sizeof(out->vuid))
        return malformed(err, size, "their contents make no sense");
    memset(out, 0, sizeof(*out));
    memcpy(out->node, b->node.data, RDMA_NODE_SIZE);
    memcpy(out->token, b->token.data, RDMA_TOKEN_SIZE);
    out->endpoint_id = b->endpoint_id;
    copy_text(out->pci_address, b->pci_address);
    copy_text(out->vuid, b->vuid);
    if (b->verbs && !rdma_desc_verbs_from_message(b->verbs, out))
        return malformed(err, size, "their contents make no sense");
    return DOCA_SUCCESS;
}

doca_error_t rdma_desc_decode(const void *bytes, size_t size, struct rdma_desc *out,
                              struct errtext *err)
{
    struct unpack_memory memory;
    uint8_t sum[DESC_CHECKSUM_SIZE];

    if (size == 0 || size > RDMA_DESC_SIZE_MAX)
        return malformed(err, size, "they have 1 to 256 bytes");
    unpack_memory_init(&memory);
    cleanup(desc_freep) Docad__RdmaDescriptor *d =
        docad__rdma_descriptor__unpack(&memory.allocator, size, bytes);
    if (!d && memory.ran_out)
        return no_memory(err);
    if (!d)
        return malformed(err, size, "truncated, or not connection details at all");
    if (d->magic != DESC_MAGIC)
        return malformed(err, size, "not RDMA connection details of docad");
    if (d->version > DESC_VERSION)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "RDMA connection details of version %u, this library reads up to %u; "
                           "upgrade the connecting side",
                           d->version, DESC_VERSION);
    if (d->body.len == 0 || d->checksum.len == 0)
        return malformed(err, size, "truncated");
    if (!desc_checksum(DESC_MAGIC, d->version, d->body.data, d->body.len, sum))
        return malformed(err, size, "their body is too long");
    if (d->checksum.len != DESC_CHECKSUM_SIZE ||
        memcmp(d->checksum.data, sum, DESC_CHECKSUM_SIZE) != 0)
        return malformed(err, size, "altered on the way: their checksum does not match");
    return decode_body(d, size, out, err);
}
