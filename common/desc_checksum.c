// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "desc_checksum.h"

#include "sha256.h"

#include <endian.h>
#include <string.h>

bool desc_checksum(uint32_t magic, uint32_t version, const uint8_t *body, size_t size,
                   uint8_t out[DESC_CHECKSUM_SIZE])
{
    uint8_t input[8 + DESC_BODY_MAX], sum[SHA256_SIZE];
    uint32_t head[2] = {htole32(magic), htole32(version)};

    if (size > DESC_BODY_MAX)
        return false;
    memcpy(input, head, sizeof(head));
    memcpy(input + sizeof(head), body, size);
    sha256(input, sizeof(head) + size, sum);
    memcpy(out, sum, DESC_CHECKSUM_SIZE);
    return true;
}
