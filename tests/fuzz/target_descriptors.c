// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors from anywhere: those of exports and of RDMA, as bytes and as the text of DOCA 1.3.
// A body is also tried in an envelope whose checksum is right. What one version reads it writes
// again without a change.

#include "export_text.h"
#include "input.h"
#include "rdma_desc.h"

#include <endian.h>
#include <openssl/sha.h>
#include <stdlib.h>

#define BODY_MAX     300
#define EXPORT_MAGIC 0x44434144u
#define RDMA_MAGIC   0x52434144u

struct envelope {
    uint8_t bytes[BODY_MAX + 64];
    size_t size;
};

static void wrap(struct envelope *out, uint32_t magic, const uint8_t *body, size_t size)
{
    Docad__ExportDescriptor desc = DOCAD__EXPORT_DESCRIPTOR__INIT;
    uint8_t summed[8 + BODY_MAX], sum[SHA256_DIGEST_LENGTH];
    const uint32_t head[2] = {htole32(magic), htole32(1)};

    memcpy(summed, head, sizeof(head));
    memcpy(summed + sizeof(head), body, size);
    SHA256(summed, sizeof(head) + size, sum);
    desc.magic = magic;
    desc.version = 1;
    desc.body = (ProtobufCBinaryData){size, (uint8_t *)body};
    desc.checksum = (ProtobufCBinaryData){8, sum};
    out->size = docad__export_descriptor__pack(&desc, out->bytes);
}

static void check_text(const uint8_t *bytes, size_t size)
{
    uint8_t back[EXPORT_DESC_SIZE_MAX];
    char text[EXPORT_TEXT_SIZE];
    size_t text_size, back_size;
    struct errtext err;

    if (export_text_encode(bytes, size, text, &text_size, &err) != DOCA_SUCCESS ||
        export_text_decode(text, text_size, back, &back_size, &err) != DOCA_SUCCESS ||
        back_size != size || memcmp(back, bytes, size) != 0)
        abort();
}

static void read_export(const void *bytes, size_t size)
{
    uint8_t again[EXPORT_DESC_SIZE_MAX];
    struct export_desc desc, second;
    struct errtext err;
    size_t again_size;

    memset(&desc, 0, sizeof(desc));
    memset(&second, 0, sizeof(second));
    if (export_desc_decode(bytes, size, &desc, &err) != DOCA_SUCCESS ||
        export_desc_encode(&desc, again, &again_size) != DOCA_SUCCESS)
        return;
    if (export_desc_decode(again, again_size, &second, &err) != DOCA_SUCCESS ||
        second.export_id != desc.export_id || second.address != desc.address ||
        second.length != desc.length || strcmp(second.vuid, desc.vuid) != 0)
        abort();
    check_text(again, again_size);
}

static void read_rdma(const void *bytes, size_t size)
{
    uint8_t again[RDMA_DESC_SIZE_MAX];
    struct rdma_desc desc, second;
    struct errtext err;
    size_t again_size;

    if (rdma_desc_decode(bytes, size, &desc, &err) != DOCA_SUCCESS ||
        rdma_desc_encode(&desc, again, &again_size) != DOCA_SUCCESS)
        return;
    if (rdma_desc_decode(again, again_size, &second, &err) != DOCA_SUCCESS ||
        second.endpoint_id != desc.endpoint_id)
        abort();
}

static void read_text(const void *bytes, size_t size)
{
    uint8_t desc[EXPORT_DESC_SIZE_MAX];
    struct errtext err;
    size_t desc_size;

    if (export_text_decode(bytes, size, desc, &desc_size, &err) == DOCA_SUCCESS)
        read_export(desc, desc_size);
    desc_size = size;
    if (export_desc_of(&bytes, &desc_size, desc, &err) == DOCA_SUCCESS)
        read_export(bytes, desc_size);
}

// A valid text in which some characters are others.
static void read_changed_text(struct input *in)
{
    const struct export_desc desc = {.export_id = 7,
                                     .address = 4096,
                                     .length = 100,
                                     .access = 16,
                                     .target = 1,
                                     .pci_address = "0000:0b:00.0",
                                     .vuid = "MT0001HOST"};
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
    char text[EXPORT_TEXT_SIZE];
    struct errtext err;
    size_t size, text_size;

    if (export_desc_encode(&desc, bytes, &size) != DOCA_SUCCESS ||
        export_text_encode(bytes, size, text, &text_size, &err) != DOCA_SUCCESS)
        abort();
    while (in->left) {
        size_t at = input_u16(in) % (text_size - 1);
        text[at] = (char)input_u8(in);
    }
    read_text(text, text_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct envelope envelope;
    uint8_t how = input_u8(&in);
    size_t body = in.left < BODY_MAX ? in.left : BODY_MAX;

    switch (how % 6) {
    case 0:
        read_export(in.at, in.left);
        break;
    case 1:
        read_rdma(in.at, in.left);
        break;
    case 2:
        read_text(in.at, in.left);
        break;
    case 3:
        wrap(&envelope, EXPORT_MAGIC, in.at, body);
        read_export(envelope.bytes, envelope.size);
        break;
    case 4:
        wrap(&envelope, RDMA_MAGIC, in.at, body);
        read_rdma(envelope.bytes, envelope.size);
        break;
    default:
        read_changed_text(&in);
        break;
    }
    return 0;
}
