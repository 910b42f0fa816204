// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression contexts, and their tasks, of DOCA 3.

#include "task_world.h"

#include <doca_compress.h>
#include <string.h>

static struct doca_compress *compress;

static struct doca_ctx *ctx(void)
{
    return compress ? doca_compress_as_ctx(compress) : NULL;
}

static void create(void)
{
    BEFORE_3(ck_assert_success(doca_compress_create(&compress));)
    OF_3(ck_assert_success(doca_compress_create(tw.dev, &compress));)
}

static const struct lifetime lifetimes[] = {
    {"doca_compress_create", "doca_compress_destroy", &compress},
    {NULL},
};

#if GENERATION == 3
// In the order of tw.tasks.
static const char *const kinds[] = {"_compress_deflate_", "_decompress_deflate_", "_lz4_stream_",
                                    "_lz4_block_"};

TASK_CALLBACK(compress_deflate_over, doca_compress_task_compress_deflate)
TASK_CALLBACK(decompress_deflate_over, doca_compress_task_decompress_deflate)
TASK_CALLBACK(decompress_lz4_stream_over, doca_compress_task_decompress_lz4_stream)
TASK_CALLBACK(decompress_lz4_block_over, doca_compress_task_decompress_lz4_block)

#define TAKE(name, ...)                                                                            \
    do {                                                                                           \
        struct doca_compress_task_##name *task;                                                    \
        ck_assert_success(doca_compress_task_##name##_alloc_init(                                  \
            compress, __VA_ARGS__ tw.src, tw.dst, (union doca_data){.u64 = 1}, &task));            \
        tw.tasks[tw.n_tasks++] = doca_compress_task_##name##_as_task(task);                        \
    } while (0)
#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_compress_task_##name##_set_conf(compress, name##_over, name##_over, 2))

static void configure(void)
{
    CONFIGURE(compress_deflate);
    CONFIGURE(decompress_deflate);
    CONFIGURE(decompress_lz4_stream);
    CONFIGURE(decompress_lz4_block);
}

static void allocate(void)
{
    TAKE(compress_deflate, );
    TAKE(decompress_deflate, );
    TAKE(decompress_lz4_stream, 0, 0, );
    TAKE(decompress_lz4_block, );
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
        return GIVE(compress);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(tw.tasks[kind]);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(over[kind]);
    *value = 1;
    bool number = same(param, "num_tasks") || same(param, "user_data") ||
                  same(param, "has_block_checksum") || same(param, "are_blocks_independent");
    return number ? GIVEN : GIVEN_NONE;
}

#else
TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "compress"))
        return GIVE(compress);
    *value = DOCA_COMPRESS_DEFLATE_JOB;
    return same(param, "job_type") ? GIVEN : task_world_argument(param, value);
}
#endif

#define CONF  OK, OK, STATE, STATE, OK
#define ALLOC STATE, STATE, OK, OK, STATE
// What all kinds of tasks have.
#define KIND(name)                                                                                 \
    ROW_OF_3("doca_compress_cap_task_" name "_is_supported", ANY(OK)),                             \
        ROW_OF_3("doca_compress_cap_task_" name "_get_max_buf_size", ANY(OK)),                     \
        ROW_OF_3("doca_compress_cap_task_" name "_get_max_buf_list_len", ANY(OK)),                 \
        ROW_OF_3("doca_compress_task_" name "_set_conf", {CONF}),                                  \
        ROW_OF_3("doca_compress_task_" name "_alloc_init", {ALLOC}, "src_buff dst_buff")

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped, started
    {"doca_compress_create", ANY(OK)},
    {"doca_compress_destroy", {OK, OK, IN_USE, IN_USE, OK, OK}},
    {"doca_compress_as_ctx", ANY(OK)},
    ROW_BEFORE_3("doca_compress_job_get_supported", ANY(OK)),
    ROW_BEFORE_3(FN(doca_compress_get_max_buf_size), ANY(OK)),
    ROW_BEFORE_3("doca_compress_get_max_list_buf_num_elem", ANY(OK)),
    ROW_OF_3("doca_compress_cap_get_max_num_tasks", ANY(OK)),
    KIND("compress_deflate"),
    KIND("decompress_deflate"),
    KIND("decompress_lz4_stream"),
    KIND("decompress_lz4_block"),
};

GROUP(compressions) = {
    .name = "compression",
    .left_out = WITHOUT_ISAL || EITHER(false, WITHOUT_LZ4),
    .states = {CONTEXT_STATES},
    ROWS(ctx_rows),
    .probe = EITHER("doca_compress_get_max_list_buf_num_elem",
                    "doca_compress_task_compress_deflate_set_conf"),
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

#if GENERATION == 3
// Setters return nothing; what they leave alone is tested where values are.
// What all kinds have.
#define KIND_OF_TASK(name)                                                                         \
    ROW("doca_compress_task_" name "_as_task", ANY(OK)),                                           \
        ROW("doca_compress_task_" name "_set_src", ANY(OK)),                                       \
        ROW("doca_compress_task_" name "_get_src", ANY(OK)),                                       \
        ROW("doca_compress_task_" name "_set_dst", ANY(OK)),                                       \
        ROW("doca_compress_task_" name "_get_dst", ANY(OK)),                                       \
        ROW("doca_compress_task_" name "_get_crc_cs", ANY(OK))
#define LZ4 "doca_compress_task_decompress_lz4_"

static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    KIND_OF_TASK("compress_deflate"),
    {"doca_compress_task_compress_deflate_get_adler_cs", ANY(OK)},
    KIND_OF_TASK("decompress_deflate"),
    {"doca_compress_task_decompress_deflate_get_adler_cs", ANY(OK)},
    KIND_OF_TASK("decompress_lz4_stream"),
    {LZ4 "stream_get_xxh_cs", ANY(OK)},
    {LZ4 "stream_set_has_block_checksum", ANY(OK)},
    {LZ4 "stream_get_has_block_checksum", ANY(OK)},
    {LZ4 "stream_set_are_blocks_independent", ANY(OK)},
    {LZ4 "stream_get_are_blocks_independent", ANY(OK)},
    KIND_OF_TASK("decompress_lz4_block"),
    {LZ4 "block_get_xxh_cs", ANY(OK)},
};

GROUP(compress_tasks) = {
    .name = "compression task",
    .left_out = WITHOUT_ISAL || WITHOUT_LZ4,
    .states = {TASK_STATES},
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};
#endif
