// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression contexts of DOCA 3, and their tasks.

#include "tables.h"
#include "task_world_3.h"

#include "client.h"

#include <check.h>
#include <doca_compress.h>
#include <string.h>

static struct {
    struct doca_compress *compress;
    struct doca_task *tasks[4]; // in the order of `kinds`
} w;

static const char *const kinds[] = {"_compress_deflate_", "_decompress_deflate_", "_lz4_stream_",
                                    "_lz4_block_"};

static struct doca_ctx *ctx(void)
{
    return w.compress ? doca_compress_as_ctx(w.compress) : NULL;
}

TASK_CALLBACK(compress_deflate_over, doca_compress_task_compress_deflate)
TASK_CALLBACK(decompress_deflate_over, doca_compress_task_decompress_deflate)
TASK_CALLBACK(decompress_lz4_stream_over, doca_compress_task_decompress_lz4_stream)
TASK_CALLBACK(decompress_lz4_block_over, doca_compress_task_decompress_lz4_block)

static void create(void)
{
    ck_assert_success(doca_compress_create(tw.dev, &w.compress));
}

#define TAKE(i, name, ...)                                                                         \
    do {                                                                                           \
        struct doca_compress_task_##name *task;                                                    \
        ck_assert_success(doca_compress_task_##name##_alloc_init(                                  \
            w.compress, __VA_ARGS__ tw.src, tw.dst, (union doca_data){.u64 = 1}, &task));          \
        w.tasks[i] = doca_compress_task_##name##_as_task(task);                                    \
    } while (0)
#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_compress_task_##name##_set_conf(w.compress, name##_over, name##_over, 2))

static void configure(void)
{
    CONFIGURE(compress_deflate);
    CONFIGURE(decompress_deflate);
    CONFIGURE(decompress_lz4_stream);
    CONFIGURE(decompress_lz4_block);
}

static void allocate(void)
{
    TAKE(0, compress_deflate, );
    TAKE(1, decompress_deflate, );
    TAKE(2, decompress_lz4_stream, 0, 0, );
    TAKE(3, decompress_lz4_block, );
}

static void submit(void)
{
    for (unsigned i = 0; i < 4; i++)
        ck_assert_success(doca_task_submit(w.tasks[i]));
}

static void free_tasks(void)
{
    for (unsigned i = 0; i < 4; i++)
        doca_task_free(w.tasks[i]);
}

static void destroy(void)
{
    if (w.compress)
        ck_assert_success(doca_compress_destroy(w.compress));
    w.compress = NULL;
}

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    static void *const over[] = {compress_deflate_over, decompress_deflate_over,
                                 decompress_lz4_stream_over, decompress_lz4_block_over};
    unsigned kind = 0;

    while (kind < 3 && !strstr(function, kinds[kind]))
        kind++;
    if (same(param, "compress"))
        return same(function, "doca_compress_create") ? GIVEN_NONE : GIVE(w.compress);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(w.tasks[kind]);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(over[kind]);
    *value = 1;
    bool number = same(param, "num_tasks") || same(param, "user_data") ||
                  same(param, "has_block_checksum") || same(param, "are_blocks_independent");
    return number ? GIVEN : GIVEN_NONE;
}

static const struct life lives[] = {
    {"doca_compress_create", "doca_compress_destroy", &w.compress},
    {NULL},
};

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_compress_create", ANY(OK)},
    {"doca_compress_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_compress_as_ctx", ANY(OK)},
    {"doca_compress_cap_get_max_num_tasks", ANY(OK)},
    {"doca_compress_cap_task_compress_deflate_is_supported", ANY(OK)},
    {"doca_compress_cap_task_compress_deflate_get_max_buf_size", ANY(OK)},
    {"doca_compress_cap_task_compress_deflate_get_max_buf_list_len", ANY(OK)},
    {"doca_compress_task_compress_deflate_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_compress_task_compress_deflate_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_deflate_is_supported", ANY(OK)},
    {"doca_compress_cap_task_decompress_deflate_get_max_buf_size", ANY(OK)},
    {"doca_compress_cap_task_decompress_deflate_get_max_buf_list_len", ANY(OK)},
    {"doca_compress_task_decompress_deflate_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_compress_task_decompress_deflate_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_lz4_stream_is_supported", ANY(OK)},
    {"doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size", ANY(OK)},
    {"doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_compress_task_decompress_lz4_stream_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_lz4_block_is_supported", ANY(OK)},
    {"doca_compress_cap_task_decompress_lz4_block_get_max_buf_size", ANY(OK)},
    {"doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_set_conf", {OK, OK, STATE, STATE, OK}},
    {"doca_compress_task_decompress_lz4_block_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
};

GROUP(compressions) = {
    .name = "compression",
    .left_out = WITHOUT_ISAL || WITHOUT_LZ4,
    .states = CONTEXT_STATES,
    ROWS(ctx_rows),
    .probe = "doca_compress_task_compress_deflate_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};

// ---- tasks ------------------------------------------------------------------------------

// Setters return nothing; what they leave alone is tested where values are.
static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_compress_task_compress_deflate_as_task", ANY(OK)},
    {"doca_compress_task_compress_deflate_set_src", ANY(OK)},
    {"doca_compress_task_compress_deflate_get_src", ANY(OK)},
    {"doca_compress_task_compress_deflate_set_dst", ANY(OK)},
    {"doca_compress_task_compress_deflate_get_dst", ANY(OK)},
    {"doca_compress_task_compress_deflate_get_crc_cs", ANY(OK)},
    {"doca_compress_task_compress_deflate_get_adler_cs", ANY(OK)},
    {"doca_compress_task_decompress_deflate_as_task", ANY(OK)},
    {"doca_compress_task_decompress_deflate_set_src", ANY(OK)},
    {"doca_compress_task_decompress_deflate_get_src", ANY(OK)},
    {"doca_compress_task_decompress_deflate_set_dst", ANY(OK)},
    {"doca_compress_task_decompress_deflate_get_dst", ANY(OK)},
    {"doca_compress_task_decompress_deflate_get_crc_cs", ANY(OK)},
    {"doca_compress_task_decompress_deflate_get_adler_cs", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_as_task", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_set_src", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_src", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_set_dst", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_dst", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_crc_cs", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_xxh_cs", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_set_has_block_checksum", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_has_block_checksum", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_set_are_blocks_independent", ANY(OK)},
    {"doca_compress_task_decompress_lz4_stream_get_are_blocks_independent", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_as_task", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_set_src", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_get_src", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_set_dst", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_get_dst", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_get_crc_cs", ANY(OK)},
    {"doca_compress_task_decompress_lz4_block_get_xxh_cs", ANY(OK)},
};

GROUP(compress_tasks) = {
    .name = "compression task",
    .left_out = WITHOUT_ISAL || WITHOUT_LZ4,
    .states = TASK_STATES,
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};
