// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The envelope of a descriptor that programs pass on: what it is (`magic`), a version, a packed
// body, and a checksum over them. The checksum tells damage, not forgery.

#ifndef COMMON_DESCRIPTOR_H
#define COMMON_DESCRIPTOR_H

#include "errtext.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#define DESCRIPTOR_SIZE_MAX 256

// A kind of descriptor, and how texts name it.
struct descriptor_kind {
    uint32_t magic, version;
    const char *what;             // "export descriptor"
    const char *source;           // "the export returned"
    const char *reader;           // "the importing side", which is upgraded for a new version
    doca_error_t unknown_version; // the code for a version that this library does not know
    const ProtobufCMessageDescriptor *body;
};

// DOCA_ERROR_INVALID_VALUE if it does not fit.
doca_error_t descriptor_seal(const struct descriptor_kind *kind, const ProtobufCMessage *body,
                             uint8_t out[DESCRIPTOR_SIZE_MAX], size_t *size);

// Checks a descriptor, and unpacks its body, which the caller frees. `err` may be NULL.
doca_error_t descriptor_open(const struct descriptor_kind *kind, const void *bytes, size_t size,
                             ProtobufCMessage **body, struct errtext *err);

static inline void descriptor_body_freep(ProtobufCMessage **body)
{
    if (*body)
        protobuf_c_message_free_unpacked(*body, NULL);
}

// The error of a descriptor whose contents are not valid.
doca_error_t descriptor_malformed(const struct descriptor_kind *kind, size_t size, const char *what,
                                  struct errtext *err);

#endif
