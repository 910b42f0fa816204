// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The checks of a SHA job.

#include "sha_job.h"

#include <doca_sha.h>

static const struct {
    uint32_t size, block;
} sizes[SHA_ALGORITHMS] = {
    [SHA_1] = {DOCA_SHA1_BYTE_COUNT, 64},
    [SHA_256] = {DOCA_SHA256_BYTE_COUNT, 64},
    [SHA_512] = {DOCA_SHA512_BYTE_COUNT, 128},
};

uint32_t sha_digest_size(enum sha_algorithm algorithm)
{
    return sizes[algorithm].size;
}

uint32_t sha_block_size(enum sha_algorithm algorithm)
{
    return sizes[algorithm].block;
}

bool sha_source_size(const struct doca_buf *source, uint32_t most, uint64_t *bytes)
{
    struct stream_sum sum;

    if (!stream_sum(source, STREAM_DATA, most, &sum))
        return false;
    *bytes = sum.bytes;
    return true;
}

bool sha_response_fits(const struct doca_buf *response, enum sha_algorithm algorithm)
{
    size_t before = (size_t)(response->data - response->head);
    return before <= response->len && response->len - before >= sizes[algorithm].size;
}

const char sha_too_long[] = "the source has more data than the capabilities allow";

const char *sha_wrong_buffers(const struct card *card, const struct doca_buf *source,
                              const struct doca_buf *response, enum sha_algorithm algorithm,
                              bool whole_blocks)
{
    uint32_t most = (uint32_t)card_most(card, CARD_SHA_LIST, SHA_LIST_MAX);
    uint64_t size;

    if (!buf_is_out(source) || !buf_is_out(response))
        return "the source or the destination is NULL or was given back";
    if (!sha_response_fits(response, algorithm))
        return "the destination has no room for the digest, counted from its data; the "
               "capabilities say how much it takes";
    if (!sha_source_size(source, most, &size))
        return "the source has more buffers than the capabilities allow, or data outside of a "
               "buffer";
    if (size == 0)
        return "the source has no data; doca_buf_set_data() says what to hash";
    if (size > card_most(card, CARD_SHA_BUF_SIZE, SHA_SIZE_MAX))
        return sha_too_long;
    if (whole_blocks && size % sizes[algorithm].block)
        return "a segment that is not the final one must be a multiple of 64 bytes long (SHA-512: "
               "128)";
    return NULL;
}
