// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "descriptor.h"

#include "cleanup.h"

#include <docad.pb-c.h>
#include <endian.h>
#include <openssl/sha.h>
#include <string.h>

#define CHECKSUM_SIZE 8

static void envelope_freep(Docad__Descriptor **d)
{
    if (*d)
        docad__descriptor__free_unpacked(*d, NULL);
}

static void checksum(const struct descriptor_kind *kind, uint32_t version, const uint8_t *body,
                     size_t size, uint8_t out[SHA256_DIGEST_LENGTH])
{
    uint8_t input[8 + DESCRIPTOR_SIZE_MAX];
    uint32_t head[2] = {htole32(kind->magic), htole32(version)};
    memcpy(input, head, sizeof(head));
    memcpy(input + sizeof(head), body, size);
    SHA256(input, sizeof(head) + size, out);
}

doca_error_t descriptor_seal(const struct descriptor_kind *kind, const ProtobufCMessage *body,
                             uint8_t out[DESCRIPTOR_SIZE_MAX], size_t *size)
{
    uint8_t packed[DESCRIPTOR_SIZE_MAX], sum[SHA256_DIGEST_LENGTH];
    Docad__Descriptor d = DOCAD__DESCRIPTOR__INIT;

    size_t body_size = protobuf_c_message_get_packed_size(body);
    if (body_size > sizeof(packed))
        return DOCA_ERROR_INVALID_VALUE;
    protobuf_c_message_pack(body, packed);
    checksum(kind, kind->version, packed, body_size, sum);
    d.magic = kind->magic;
    d.version = kind->version;
    d.body = (ProtobufCBinaryData){body_size, packed};
    d.checksum = (ProtobufCBinaryData){CHECKSUM_SIZE, sum};
    if (docad__descriptor__get_packed_size(&d) > DESCRIPTOR_SIZE_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    *size = docad__descriptor__pack(&d, out);
    return DOCA_SUCCESS;
}

doca_error_t descriptor_malformed(const struct descriptor_kind *kind, size_t size, const char *what,
                                  struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "%s of %zu bytes: %s; pass on exactly the bytes and the length that %s",
                       kind->what, size, what, kind->source);
}

doca_error_t descriptor_open(const struct descriptor_kind *kind, const void *bytes, size_t size,
                             ProtobufCMessage **body, struct errtext *err)
{
    uint8_t sum[SHA256_DIGEST_LENGTH];

    if (size == 0 || size > DESCRIPTOR_SIZE_MAX)
        return descriptor_malformed(kind, size, "its size is not 1 to 256 bytes", err);
    cleanup(envelope_freep) Docad__Descriptor *d = docad__descriptor__unpack(NULL, size, bytes);
    if (!d)
        return descriptor_malformed(kind, size, "truncated, or something else", err);
    if (d->magic != kind->magic)
        return descriptor_malformed(kind, size, "docad has not made it, or for another purpose",
                                    err);
    if (d->version > kind->version)
        return errtext_set(err, kind->unknown_version,
                           "%s of version %u, this library reads up to %u; upgrade %s", kind->what,
                           d->version, kind->version, kind->reader);
    if (d->body.len == 0 || d->checksum.len == 0)
        return descriptor_malformed(kind, size, "truncated", err);
    checksum(kind, d->version, d->body.data, d->body.len, sum);
    if (d->checksum.len != CHECKSUM_SIZE || memcmp(d->checksum.data, sum, CHECKSUM_SIZE) != 0)
        return descriptor_malformed(kind, size, "altered on the way: the checksum does not match",
                                    err);
    *body = protobuf_c_message_unpack(kind->body, NULL, d->body.len, d->body.data);
    return *body ? DOCA_SUCCESS
                 : descriptor_malformed(kind, size, "its contents are not valid", err);
}
