// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "compress_asked.h"

#include "references.h"

#include <stdatomic.h>
#include <string.h>

#define PREFIX "doca_compress_task_decompress_"

static const struct {
    const char *name;
    uint8_t kind, sum;
} getters[] = {
    {PREFIX "deflate_get_crc_cs", CODEC_INFLATE, CODEC_CRC32},
    {PREFIX "deflate_get_adler_cs", CODEC_INFLATE, CODEC_OTHER32},
    {PREFIX "lz4_stream_get_crc_cs", CODEC_LZ4_STREAM, CODEC_CRC32},
    {PREFIX "lz4_stream_get_xxh_cs", CODEC_LZ4_STREAM, CODEC_OTHER32},
    {PREFIX "lz4_block_get_crc_cs", CODEC_LZ4_BLOCK, CODEC_CRC32},
    {PREFIX "lz4_block_get_xxh_cs", CODEC_LZ4_BLOCK, CODEC_OTHER32},
};

static _Atomic uint8_t asked[CODEC_KINDS] = {[CODEC_DEFLATE] = CODEC_SUMS};

unsigned compress_asked(enum codec_kind kind)
{
    return atomic_load_explicit(&asked[kind], memory_order_relaxed);
}

void compress_ask(enum codec_kind kind, unsigned sums)
{
    atomic_store_explicit(&asked[kind], (uint8_t)sums, memory_order_relaxed);
}

static void add_reference(const char *name, void *unused)
{
    (void)unused;
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return;
    for (size_t i = 0; i < sizeof(getters) / sizeof(getters[0]); i++)
        if (strcmp(name, getters[i].name) == 0)
            atomic_fetch_or(&asked[getters[i].kind], getters[i].sum);
}

void compress_asked_update(void)
{
    if (references_are_new() && !references_each(add_reference, NULL))
        for (unsigned kind = 0; kind < CODEC_KINDS; kind++)
            compress_ask(kind, CODEC_SUMS);
}
