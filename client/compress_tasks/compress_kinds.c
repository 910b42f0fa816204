// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of doca_compress.h that exist for each of the four kinds of tasks, and only differ
// in their names.

#include "compress_context.h"

#include "progress/task_functions.h"

#include <endian.h>

#define CAPABILITIES(name, kind)                                                                   \
    doca_error_t doca_compress_cap_task_##name##_is_supported(const struct doca_devinfo *devinfo)  \
    {                                                                                              \
        return devinfo ? compress_kind_supported(devinfo, kind) : REFUSED_NULL(devinfo);           \
    }                                                                                              \
    doca_error_t doca_compress_cap_task_##name##_get_max_buf_size(                                 \
        const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)                             \
    {                                                                                              \
        if (!devinfo || !max_buffer_size)                                                          \
            return REFUSED_NULL(devinfo, max_buffer_size);                                         \
        doca_error_t r = compress_kind_limit(__func__, devinfo_card(devinfo), kind);               \
        if (r == DOCA_SUCCESS)                                                                     \
            *max_buffer_size = compress_most_bytes(devinfo_card(devinfo), kind);                   \
        return r;                                                                                  \
    }                                                                                              \
    doca_error_t doca_compress_cap_task_##name##_get_max_buf_list_len(                             \
        const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)                            \
    {                                                                                              \
        if (!devinfo || !max_buf_list_len)                                                         \
            return REFUSED_NULL(devinfo, max_buf_list_len);                                        \
        doca_error_t r = compress_kind_limit(__func__, devinfo_card(devinfo), kind);               \
        if (r == DOCA_SUCCESS)                                                                     \
            *max_buf_list_len = compress_most_buffers(devinfo_card(devinfo), kind);                \
        return r;                                                                                  \
    }

static struct compress_op *fields(const void *task)
{
    return &((struct compress_task *)(uintptr_t)task)->op;
}

#define TASKS(name, kind)                                                                          \
    TASK_SET_CONF(doca_compress_task_##name, compress, task_completion_cb, task_error_cb,          \
                  compress_task_configure, kind)                                                   \
    TASK_AS_TASK(doca_compress_task_##name)                                                        \
    TASK_FIELD(doca_compress_task_##name, src, const struct doca_buf *, fields, src)               \
    TASK_FIELD(doca_compress_task_##name, dst, struct doca_buf *, fields, dst)

#define RESULT(name, result, expression)                                                           \
    uint32_t doca_compress_task_##name##_get_##result(                                             \
        const struct doca_compress_task_##name *task)                                              \
    {                                                                                              \
        const struct compress_task *mine = (const struct compress_task *)task;                     \
        if (task)                                                                                  \
            return expression;                                                                     \
        task_null(__func__);                                                                       \
        return 0;                                                                                  \
    }

// Programs compare it with the number that they get by reading the bytes at the end of an LZ4 frame
// from the most significant one on, while frames have it from the least significant one on.
#define XXH32 htobe32(compress_task_other32(mine))

#define KIND(name, kind)                                                                           \
    CAPABILITIES(name, kind)                                                                       \
    TASKS(name, kind)                                                                              \
    RESULT(name, crc_cs, compress_task_crc32(mine))

KIND(compress_deflate, CODEC_DEFLATE)
RESULT(compress_deflate, adler_cs, compress_task_other32(mine))
KIND(decompress_deflate, CODEC_INFLATE)
RESULT(decompress_deflate, adler_cs, compress_task_other32(mine))
KIND(decompress_lz4_stream, CODEC_LZ4_STREAM)
RESULT(decompress_lz4_stream, xxh_cs, XXH32)
KIND(decompress_lz4_block, CODEC_LZ4_BLOCK)
RESULT(decompress_lz4_block, xxh_cs, XXH32)

// ---- taking tasks ----------------------------------------------------------------------------

#define ALLOC_INIT(name, kind)                                                                     \
    doca_error_t doca_compress_task_##name##_alloc_init(                                           \
        struct doca_compress *compress, const struct doca_buf *src_buff,                           \
        struct doca_buf *dst_buff, union doca_data user_data,                                      \
        struct doca_compress_task_##name **task)                                                   \
    {                                                                                              \
        if (!compress || !task)                                                                    \
            return REFUSED_NULL(compress, task);                                                   \
        return compress_task_take(__func__, compress, kind, src_buff, dst_buff, user_data,         \
                                  (struct compress_task **)task);                                  \
    }

ALLOC_INIT(compress_deflate, CODEC_DEFLATE)
ALLOC_INIT(decompress_deflate, CODEC_INFLATE)
ALLOC_INIT(decompress_lz4_block, CODEC_LZ4_BLOCK)

static unsigned flags_of(uint8_t has_block_checksum, uint8_t are_blocks_independent)
{
    return (has_block_checksum ? CODEC_BLOCK_CHECKSUM : 0) |
           (are_blocks_independent ? CODEC_INDEPENDENT : 0);
}

doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
    struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
    const struct doca_buf *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
    struct doca_compress_task_decompress_lz4_stream **task)
{
    struct compress_task *taken;

    if (!compress || !task)
        return REFUSED_NULL(compress, task);
    doca_error_t r = compress_task_take(__func__, compress, CODEC_LZ4_STREAM, src_buff, dst_buff,
                                        user_data, &taken);
    if (r != DOCA_SUCCESS)
        return r;
    taken->op.flags = (uint8_t)flags_of(has_block_checksum, are_blocks_independent);
    *task = (struct doca_compress_task_decompress_lz4_stream *)taken;
    return DOCA_SUCCESS;
}

#define FLAG(field, flag)                                                                          \
    void doca_compress_task_decompress_lz4_stream_set_##field(                                     \
        struct doca_compress_task_decompress_lz4_stream *task, uint8_t value)                      \
    {                                                                                              \
        struct compress_task *mine = (struct compress_task *)task;                                 \
        if (!task)                                                                                 \
            task_null(__func__);                                                                   \
        else if (task_settable(__func__, &mine->task))                                             \
            mine->op.flags =                                                                       \
                (uint8_t)(value ? mine->op.flags | (flag) : mine->op.flags & ~(flag));             \
    }                                                                                              \
    uint8_t doca_compress_task_decompress_lz4_stream_get_##field(                                  \
        const struct doca_compress_task_decompress_lz4_stream *task)                               \
    {                                                                                              \
        if (task)                                                                                  \
            return (((const struct compress_task *)task)->op.flags & (flag)) != 0;                 \
        task_null(__func__);                                                                       \
        return 0;                                                                                  \
    }

FLAG(has_block_checksum, CODEC_BLOCK_CHECKSUM)
FLAG(are_blocks_independent, CODEC_INDEPENDENT)
