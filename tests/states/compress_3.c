// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression contexts of DOCA 3, and their tasks.

#include "doca_3.h"

#include "client.h"

#include <check.h>
#include <doca_compress.h>
#include <doca_pe.h>
#include <string.h>

static uint8_t memory[192] = "what is compressed";

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_compress *compress;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_task *tasks[4]; // in the order of `kinds`
} w;

static const char *const kinds[] = {"_compress_deflate_", "_decompress_deflate_", "_lz4_stream_",
                                    "_lz4_block_"};

static struct doca_ctx *ctx(void)
{
    return doca_compress_as_ctx(w.compress);
}

#define CALLBACK(name)                                                                             \
    static void name##_over(struct doca_compress_task_##name *task, union doca_data data,          \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task;                                                                                \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
    }

CALLBACK(compress_deflate)
CALLBACK(decompress_deflate)
CALLBACK(decompress_lz4_stream)
CALLBACK(decompress_lz4_block)

enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED };

static void make(void)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_mmap_create(&w.mmap));
    ck_assert_success(doca_mmap_set_memrange(w.mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_set_permissions(w.mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    ck_assert_success(doca_mmap_add_dev(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(2, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, memory, 64, &w.src));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_addr(w.inventory, w.mmap, memory + 64, 128, &w.dst));
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_compress_create(w.dev, &w.compress));
}

#define TAKE(i, name, ...)                                                                         \
    do {                                                                                           \
        struct doca_compress_task_##name *task;                                                    \
        ck_assert_success(doca_compress_task_##name##_alloc_init(                                  \
            w.compress, __VA_ARGS__ w.src, w.dst, (union doca_data){.u64 = 1}, &task));            \
        w.tasks[i] = doca_compress_task_##name##_as_task(task);                                    \
    } while (0)
#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_compress_task_##name##_set_conf(w.compress, name##_over, name##_over, 2))

static void make_running(void)
{
    make();
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    CONFIGURE(compress_deflate);
    CONFIGURE(decompress_deflate);
    CONFIGURE(decompress_lz4_stream);
    CONFIGURE(decompress_lz4_block);
    ck_assert_success(doca_ctx_start(ctx()));
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

static void stop(void)
{
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w.pe);
}

static void free_tasks(void)
{
    for (unsigned i = 0; i < 4; i++)
        doca_task_free(w.tasks[i]);
}

static void enter_ctx(unsigned state)
{
    if (state < RUNNING)
        make();
    else
        make_running();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    if (state == BUSY)
        submit();
    if (state == STOPPED) {
        free_tasks();
        stop();
    }
}

static void leave(void)
{
    if (w.compress) {
        enum doca_ctx_states state;
        ck_assert_success(doca_ctx_get_state(ctx(), &state));
        if (state != DOCA_CTX_STATE_IDLE)
            stop();
        ck_assert_success(doca_compress_destroy(w.compress));
    }
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.src, NULL));
    ck_assert_success(doca_buf_dec_refcount(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.compress = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    static void *const over[] = {compress_deflate_over, decompress_deflate_over,
                                 decompress_lz4_stream_over, decompress_lz4_block_over};
    unsigned kind = 0;

    while (kind < 3 && !strstr(function, kinds[kind]))
        kind++;
    if (same(param, "compress"))
        return same(function, "doca_compress_create") ? GIVEN_NONE : GIVE(w.compress);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(w.tasks[kind]);
    if (same(param, "src_buff"))
        return GIVE(w.src);
    if (same(param, "dst_buff"))
        return GIVE(w.dst);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(over[kind]);
    *value = 1;
    bool number = same(param, "num_tasks") || same(param, "user_data") ||
                  same(param, "has_block_checksum") || same(param, "are_blocks_independent");
    return number ? GIVEN : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_compress_create"))
        ck_assert_success(doca_compress_destroy(*(struct doca_compress **)(uintptr_t)a[1]));
    else if (same(function, "doca_compress_destroy"))
        w.compress = NULL;
}

#define FIVE(code)                                                                                 \
    {                                                                                              \
        code, code, code, code, code                                                               \
    }

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_compress_create", FIVE(OK), NULL},
    {"doca_compress_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_compress_as_ctx", FIVE(OK), NULL},
    {"doca_compress_cap_get_max_num_tasks", FIVE(OK), NULL},
    {"doca_compress_cap_task_compress_deflate_is_supported", FIVE(OK), NULL},
    {"doca_compress_cap_task_compress_deflate_get_max_buf_size", FIVE(OK), NULL},
    {"doca_compress_cap_task_compress_deflate_get_max_buf_list_len", FIVE(OK), NULL},
    {"doca_compress_task_compress_deflate_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_compress_task_compress_deflate_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_deflate_is_supported", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_deflate_get_max_buf_size", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_deflate_get_max_buf_list_len", FIVE(OK), NULL},
    {"doca_compress_task_decompress_deflate_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_compress_task_decompress_deflate_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_lz4_stream_is_supported", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len", FIVE(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_compress_task_decompress_lz4_stream_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
    {"doca_compress_cap_task_decompress_lz4_block_is_supported", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_lz4_block_get_max_buf_size", FIVE(OK), NULL},
    {"doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len", FIVE(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_compress_task_decompress_lz4_block_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff"},
};

const struct group group_compressions_3 = {
    .name = "compression",
    .left_out = WITHOUT_ISAL || WITHOUT_LZ4,
    .states = {"made", "connected", "running", "busy", "stopped"},
    .rows = ctx_rows,
    .n_rows = sizeof(ctx_rows) / sizeof(ctx_rows[0]),
    .probe = "doca_compress_task_compress_deflate_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};

// ---- tasks ------------------------------------------------------------------------------

enum { ALLOCATED, IN_FLIGHT, DONE, FREED };

static void enter_task(unsigned state)
{
    make_running();
    if (state == IN_FLIGHT || state == DONE)
        submit();
    while (state == DONE && doca_pe_progress(w.pe))
        ;
    if (state == FREED)
        free_tasks();
}

#define FOUR(code)                                                                                 \
    {                                                                                              \
        code, code, code, code                                                                     \
    }

// Setters return nothing; what they leave alone is tested where values are.
static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_compress_task_compress_deflate_as_task", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_set_src", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_get_src", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_set_dst", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_get_dst", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_get_crc_cs", FOUR(OK), NULL},
    {"doca_compress_task_compress_deflate_get_adler_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_as_task", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_set_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_get_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_set_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_get_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_get_crc_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_deflate_get_adler_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_as_task", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_set_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_set_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_crc_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_xxh_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_set_has_block_checksum", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_has_block_checksum", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_set_are_blocks_independent", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_stream_get_are_blocks_independent", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_as_task", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_set_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_get_src", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_set_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_get_dst", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_get_crc_cs", FOUR(OK), NULL},
    {"doca_compress_task_decompress_lz4_block_get_xxh_cs", FOUR(OK), NULL},
};

const struct group group_compress_tasks_3 = {
    .name = "compression task",
    .left_out = WITHOUT_ISAL || WITHOUT_LZ4,
    .states = {"allocated", "in flight", "done", "freed"},
    .rows = task_rows,
    .n_rows = sizeof(task_rows) / sizeof(task_rows[0]),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};
