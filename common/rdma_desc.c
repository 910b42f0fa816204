// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_desc.h"

#include "cleanup.h"
#include "copy_text.h"
#include "descriptor.h"

#include <docad.pb-c.h>
#include <string.h>

static const struct descriptor_kind kind = {.magic = 0x52434144u,
                                            .version = 1,
                                            .what = "RDMA connection details",
                                            .source = "doca_rdma_export() returned",
                                            .reader = "the connecting side",
                                            .unknown_version = DOCA_ERROR_INVALID_VALUE,
                                            .body = &docad__rdma_descriptor_body__descriptor};

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
    return descriptor_seal(&kind, &body.base, buf, size);
}

doca_error_t rdma_desc_decode(const void *bytes, size_t size, struct rdma_desc *out,
                              struct errtext *err)
{
    cleanup(descriptor_body_freep) ProtobufCMessage *body = NULL;

    doca_error_t r = descriptor_open(&kind, bytes, size, &body, err);
    if (r != DOCA_SUCCESS)
        return r;
    const Docad__RdmaDescriptorBody *b = (const Docad__RdmaDescriptorBody *)body;
    if (b->node.len != RDMA_NODE_SIZE || b->token.len != RDMA_TOKEN_SIZE ||
        strlen(b->pci_address) >= sizeof(out->pci_address) || strlen(b->vuid) >= sizeof(out->vuid))
        return descriptor_malformed(&kind, size, "its contents are not valid", err);
    memset(out, 0, sizeof(*out));
    memcpy(out->node, b->node.data, RDMA_NODE_SIZE);
    memcpy(out->token, b->token.data, RDMA_TOKEN_SIZE);
    out->endpoint_id = b->endpoint_id;
    copy_text(out->pci_address, b->pci_address);
    copy_text(out->vuid, b->vuid);
    if (b->verbs && !rdma_desc_verbs_from_message(b->verbs, out))
        return descriptor_malformed(&kind, size, "its contents are not valid", err);
    return DOCA_SUCCESS;
}
