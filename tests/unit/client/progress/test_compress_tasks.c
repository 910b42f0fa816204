// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression tasks of DOCA 3 on local, imported and brokered memory, in the program's thread and
// on workers: results, lengths, and what fails.

#include "../dma/dma_rig.h"
#include "compress_tasks/compress_asked.h"
#include "task_runs.h"
#include "unit.h"

#include <doca_compress.h>
#include <endian.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (200 * 1024)
#define ROOM (SIZE + 4096)

static struct doca_compress *lib;
static uint8_t plain[SIZE], packed[ROOM], back[ROOM];
static struct doca_mmap plain_map, packed_map, back_map;

TASK_CALLBACKS(doca_compress, compress_deflate)
TASK_CALLBACKS(doca_compress, decompress_deflate)
TASK_CALLBACKS(doca_compress, decompress_lz4_stream)
TASK_CALLBACKS(doca_compress, decompress_lz4_block)

#define CONFIGURE(name)                                                                            \
    ck_assert_int_eq(doca_compress_task_##name##_set_conf(lib, name##_done, name##_failed, 4),     \
                     DOCA_SUCCESS)

static void setup_tasks(void)
{
    setup(); // buffers come from there
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (uint8_t)("the quick brown fox "[i * i % 20] + (i >> 13));
    memset(packed, 0xcc, sizeof(packed));
    memset(back, 0xbb, sizeof(back));
    plain_map = local_map(plain, sizeof(plain));
    packed_map = local_map(packed, sizeof(packed));
    back_map = local_map(back, sizeof(back));
    ck_assert_int_eq(doca_compress_create(&fake_dev, &lib), DOCA_SUCCESS);
    setup_runs(doca_compress_as_ctx(lib));
    CONFIGURE(compress_deflate);
    CONFIGURE(decompress_deflate);
    CONFIGURE(decompress_lz4_stream);
    CONFIGURE(decompress_lz4_block);
}

static void teardown_tasks(void)
{
    stop_runs();
    ck_assert_int_eq(doca_compress_destroy(lib), DOCA_SUCCESS);
    teardown_runs();
    teardown();
}

static doca_error_t deflate_to(const struct doca_buf *src, struct doca_buf *dst, uint32_t *crc32,
                               uint32_t *adler32)
{
    struct doca_compress_task_compress_deflate *task;

    ck_assert_int_eq(doca_compress_task_compress_deflate_alloc_init(
                         lib, src, dst, (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    doca_error_t r = run(doca_compress_task_compress_deflate_as_task(task));
    *crc32 = doca_compress_task_compress_deflate_get_crc_cs(task);
    *adler32 = doca_compress_task_compress_deflate_get_adler_cs(task);
    doca_task_free(doca_compress_task_compress_deflate_as_task(task));
    return r;
}

static doca_error_t inflate_to(const struct doca_buf *src, struct doca_buf *dst, uint32_t *crc32,
                               uint32_t *adler32)
{
    struct doca_compress_task_decompress_deflate *task;

    ck_assert_int_eq(doca_compress_task_decompress_deflate_alloc_init(
                         lib, src, dst, (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    doca_error_t r = run(doca_compress_task_decompress_deflate_as_task(task));
    *crc32 = doca_compress_task_decompress_deflate_get_crc_cs(task);
    *adler32 = doca_compress_task_decompress_deflate_get_adler_cs(task);
    doca_task_free(doca_compress_task_decompress_deflate_as_task(task));
    return r;
}

// Compresses and decompresses, and drops the buffers.
static void expect_round_trip(struct doca_buf *src, struct doca_buf *there, struct doca_buf *again,
                              struct doca_buf *dst, size_t size)
{
    uint32_t crc32[2], adler32[2];

    memset(back, 0xbb, sizeof(back));
    ck_assert_int_eq(deflate_to(src, there, &crc32[0], &adler32[0]), DOCA_SUCCESS);
    ck_assert_uint_gt(there->data_len, 0);
    again->data_len = there->data_len;
    ck_assert_int_eq(inflate_to(again, dst, &crc32[1], &adler32[1]), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, size);
    ck_assert_mem_eq(back, plain, size);
    ck_assert_uint_eq(back[size], 0xbb);
    ck_assert_uint_eq(crc32[0], crc32[1]);
    ck_assert_uint_eq(adler32[0], adler32[1]);
    drop(src);
    drop(there);
    drop(again);
    drop(dst);
}

// In the thread (0), and on workers.
START_TEST(local_memory)
{
    start_with_workers(_i);
    // The destination's data is replaced, whatever its length was.
    expect_round_trip(buffer(&plain_map, plain, SIZE, SIZE), buffer(&packed_map, packed, ROOM, 77),
                      buffer(&packed_map, packed, ROOM, 0), buffer(&back_map, back, ROOM, 1), SIZE);
    expect_round_trip(buffer(&plain_map, plain, 1, 1), buffer(&packed_map, packed, ROOM, 0),
                      buffer(&packed_map, packed, ROOM, 0), buffer(&back_map, back, 1, 0), 1);
}
END_TEST

START_TEST(lists_on_both_sides)
{
    start_with_workers(_i);
    struct doca_buf *src = buffer(&plain_map, plain, 1000, 1000);
    struct doca_buf *dst = buffer(&back_map, back, 10, 10), *more[2];
    uint32_t crc32, adler32;

    chain(src, buffer(&plain_map, plain + 1000, 10, 0));
    chain(src, buffer(&plain_map, plain + 1000, SIZE - 1000, SIZE - 1000));
    more[0] = buffer(&back_map, back + 10, SIZE - 10, 0);
    more[1] = buffer(&back_map, back + SIZE, 100, 50);
    chain(dst, more[0]);
    chain(dst, more[1]);
    struct doca_buf *middle = buffer(&packed_map, packed, ROOM, 0);
    ck_assert_int_eq(deflate_to(src, middle, &crc32, &adler32), DOCA_SUCCESS);
    ck_assert_int_eq(inflate_to(middle, dst, &crc32, &adler32), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 10);
    ck_assert_uint_eq(more[0]->data_len, SIZE - 10);
    ck_assert_uint_eq(more[1]->data_len, 0);
    ck_assert_mem_eq(back, plain, SIZE);
    drop(src);
    drop(dst);
    drop(middle);
}
END_TEST

START_TEST(imported_and_brokered_memory)
{
    struct doca_mmap from, middle, to;
    size_t head = _i & 1 ? 70000 : 0, tail = _i & 1 ? 3000 : 0;

    start_with_workers(_i >> 1);
    brokered_import(&from, plain, sizeof(plain), head, tail, node_a);
    brokered_import(&middle, packed, sizeof(packed), head ? sizeof(packed) : 0, 0, node_b);
    brokered_import(&to, back, sizeof(back), head, tail, node_a);
    expect_round_trip(
        buffer(&from, shifted(plain), SIZE, SIZE), buffer(&middle, shifted(packed), ROOM, 0),
        buffer(&middle, shifted(packed), ROOM, 0), buffer(&to, shifted(back), ROOM, 0), SIZE);
    release(&from);
    release(&middle);
    release(&to);
}
END_TEST

START_TEST(what_fails_leaves_lengths_alone)
{
    start_with_workers(_i);
    struct doca_buf *src = buffer(&plain_map, plain, SIZE, SIZE);
    struct doca_buf *dst = buffer(&back_map, back, ROOM, 5),
                    *small = buffer(&back_map, back, 99, 7);
    struct doca_buf *empty = buffer(&plain_map, plain, SIZE, 0);
    struct doca_mmap read_only = fake_map(back, sizeof(back), 0);
    struct doca_buf *closed = buffer(&read_only, back, ROOM, 3);
    enum doca_ctx_states state;
    uint32_t x, y;

    ck_assert_int_eq(deflate_to(src, small, &x, &y), DOCA_ERROR_FULL);
    ck_assert_uint_eq(small->data_len, 7);
    ck_assert_uint_eq(back[99], 0xbb);
    ck_assert_int_eq(inflate_to(src, dst, &x, &y), DOCA_ERROR_IO_FAILED); // it is text
    ck_assert_uint_eq(dst->data_len, 5);
    ck_assert_int_eq(deflate_to(empty, dst, &x, &y), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(deflate_to(src, NULL, &x, &y), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(deflate_to(NULL, dst, &x, &y), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(deflate_to(src, closed, &x, &y), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(closed->data_len, 3);
    ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
    drop(src);
    drop(dst);
    drop(small);
    drop(empty);
    drop(closed);
}
END_TEST

START_TEST(lz4_tasks)
{
    // "abc" as it is, then 60 more of it; and the same as a stream of one block.
    static const uint8_t block[] = {0x3f, 'a', 'b', 'c', 3, 0, 36, 0x50, 'v', 'w', 'x', 'y', 'z'};
    struct doca_compress_task_decompress_lz4_block *task;
    struct doca_compress_task_decompress_lz4_stream *stream;
    uint32_t crc32;

    start_with_workers(0);
    memcpy(packed, (const uint8_t[]){sizeof(block), 0, 0, 0}, 4);
    memcpy(packed + 4, block, sizeof(block));
    struct doca_buf *src = buffer(&packed_map, packed + 4, sizeof(block), sizeof(block));
    struct doca_buf *with_size = buffer(&packed_map, packed, 4 + sizeof(block), 4 + sizeof(block));
    struct doca_buf *dst = buffer(&back_map, back, ROOM, 0);
    ck_assert_int_eq(doca_compress_task_decompress_lz4_block_alloc_init(
                         lib, src, dst, (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_compress_task_decompress_lz4_block_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 3 + 19 + 36 + 5);
    ck_assert_mem_eq(back + 54, "abcavwxyz", 9);
    crc32 = doca_compress_task_decompress_lz4_block_get_crc_cs(task);
    ck_assert_uint_ne(crc32, 0);
    ck_assert_int_eq(doca_compress_task_decompress_lz4_stream_alloc_init(
                         lib, 0, 1, with_size, dst, (union doca_data){.u64 = 1}, &stream),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_compress_task_decompress_lz4_stream_as_task(stream)), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 3 + 19 + 36 + 5);
    ck_assert_uint_eq(doca_compress_task_decompress_lz4_stream_get_crc_cs(stream), crc32);
    ck_assert_uint_eq(doca_compress_task_decompress_lz4_stream_get_xxh_cs(stream),
                      doca_compress_task_decompress_lz4_block_get_xxh_cs(task));
    // With checksums it would have to be longer.
    doca_compress_task_decompress_lz4_stream_set_has_block_checksum(stream, 1);
    ck_assert_uint_eq(doca_compress_task_decompress_lz4_stream_get_has_block_checksum(stream), 1);
    ck_assert_uint_eq(doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(stream),
                      1);
    ck_assert_int_eq(run(doca_compress_task_decompress_lz4_stream_as_task(stream)),
                     DOCA_ERROR_IO_FAILED);
    doca_task_free(doca_compress_task_decompress_lz4_block_as_task(task));
    doca_task_free(doca_compress_task_decompress_lz4_stream_as_task(stream));
    drop(src);
    drop(with_size);
    drop(dst);
}
END_TEST

// ---- checksums
// ------------------------------------------------------------------------------------

#define BYTES 26
// "abcdef..." as it is.
static const uint8_t letters[] = "\xf0\x0b"
                                 "abcdefghijklmnopqrstuvwxyz";

struct sums {
    uint32_t crc32, xxh32;
};
static const struct sums of_letters = {0x4C2750BD, 0x63A14D5F};

static struct doca_compress_task_decompress_lz4_block *letters_task(struct doca_buf **src,
                                                                    struct doca_buf *dst)
{
    struct doca_compress_task_decompress_lz4_block *task;

    memcpy(packed, letters, 2 + BYTES);
    *src = buffer(&packed_map, packed, 2 + BYTES, 2 + BYTES);
    ck_assert_int_eq(doca_compress_task_decompress_lz4_block_alloc_init(
                         lib, *src, dst, (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_compress_task_decompress_lz4_block_as_task(task)), DOCA_SUCCESS);
    return task;
}

static struct sums sums_of(struct doca_compress_task_decompress_lz4_block *task)
{
    return (struct sums){doca_compress_task_decompress_lz4_block_get_crc_cs(task),
                         be32toh(doca_compress_task_decompress_lz4_block_get_xxh_cs(task))};
}

static void expect_sums(struct sums a, struct sums b)
{
    ck_assert_uint_eq(a.crc32, b.crc32);
    ck_assert_uint_eq(a.xxh32, b.xxh32);
}

// What a program can ask for is that of the bytes, whatever it does with them before it asks.
START_TEST(checksums_are_of_what_was_written)
{
    struct doca_buf *src, *dst = buffer(&back_map, back, ROOM, 0);

    start_with_workers(0);
    struct doca_compress_task_decompress_lz4_block *task = letters_task(&src, dst);
    back[3] ^= 1;
    expect_sums(sums_of(task), of_letters);
    doca_task_free(doca_compress_task_decompress_lz4_block_as_task(task));
    drop(src);
    drop(dst);
}
END_TEST

// A program that nobody knew could ask, gets them of the bytes as they are; and then as others do.
// Where they are not in one piece, they are known all the time.
START_TEST(checksums_that_nobody_could_ask_for)
{
    struct doca_buf *src, *dst = buffer(&back_map, back, _i ? 5 : ROOM, 0);

    start_with_workers(0);
    if (_i)
        chain(dst, buffer(&back_map, back + 5, ROOM - 5, 0));
    for (unsigned round = 0; round < 2; round++) {
        if (round == 0)
            compress_ask(CODEC_LZ4_BLOCK, 0);
        struct doca_compress_task_decompress_lz4_block *task = letters_task(&src, dst);
        if (round || _i)
            back[3] ^= 1;
        expect_sums(sums_of(task), of_letters);
        back[3] ^= 1;
        expect_sums(sums_of(task), of_letters); // they stay
        ck_assert_uint_eq(compress_asked(CODEC_LZ4_BLOCK), _i ? 0 : CODEC_SUMS);
        doca_task_free(doca_compress_task_decompress_lz4_block_as_task(task));
        drop(src);
    }
    drop(dst);
}
END_TEST

START_TEST(checksums_of_memory_that_has_gone)
{
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct doca_mmap page_map = local_map(page, 4096);
    struct doca_buf *src, *dst = buffer(&page_map, page, 4096, 0);

    start_with_workers(0);
    compress_ask(CODEC_LZ4_BLOCK, 0);
    struct doca_compress_task_decompress_lz4_block *task = letters_task(&src, dst);
    munmap(page, 4096);
    expect_sums(sums_of(task), (struct sums){0, 0});
    doca_task_free(doca_compress_task_decompress_lz4_block_as_task(task));
    drop(src);
    drop(dst);
}
END_TEST

// More tasks than workers: those that none has begun come back.
START_TEST(a_stop_ends_all_tasks)
{
    struct doca_compress_task_compress_deflate *tasks[4];
    struct doca_buf *src, *dst[4];
    enum doca_ctx_states state;

    start_with_workers(_i);
    src = buffer(&plain_map, plain, SIZE, SIZE);
    for (unsigned i = 0; i < 4; i++) {
        dst[i] = buffer(&packed_map, packed + i * (ROOM / 4), ROOM / 4, 0);
        ck_assert_int_eq(doca_compress_task_compress_deflate_alloc_init(
                             lib, src, dst[i], (union doca_data){.u64 = 1}, &tasks[i]),
                         DOCA_SUCCESS);
        ck_assert_int_eq(doca_task_submit(doca_compress_task_compress_deflate_as_task(tasks[i])),
                         DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    do {
        doca_pe_progress(pe);
        ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    } while (state != DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(n_over, 4);
    for (unsigned i = 0; i < 4; i++) {
        doca_error_t r =
            doca_task_get_status(doca_compress_task_compress_deflate_as_task(tasks[i]));
        ck_assert(r == DOCA_ERROR_SHUTDOWN || (_i && r == DOCA_SUCCESS));
        ck_assert_int_eq(dst[i]->data_len > 0, r == DOCA_SUCCESS);
        doca_task_free(doca_compress_task_compress_deflate_as_task(tasks[i]));
        drop(dst[i]);
    }
    drop(src);
}
END_TEST

// A card's limits hold for the source and for the result. Here as well as on workers.
START_TEST(limits_of_a_card)
{
    uint32_t crc32, adler32;
    uint64_t size;
    start_with_workers(_i);
    struct doca_buf *src = buffer(&plain_map, plain, SIZE, 2000);
    struct doca_buf *middle = buffer(&packed_map, packed, ROOM, 0);
    struct doca_buf *dst = buffer(&back_map, back, ROOM, 0);

    fake_card.values[CARD_OVER_LIMIT] = 1;
    fake_card.values[CARD_DEFLATE_BUF_SIZE] = fake_card.values[CARD_INFLATE_BUF_SIZE] = 2000;
    ck_assert_int_eq(deflate_to(src, middle, &crc32, &adler32), DOCA_SUCCESS);
    ck_assert_int_eq(inflate_to(middle, dst, &crc32, &adler32), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 2000); // although there is more room
    fake_card.values[CARD_INFLATE_BUF_SIZE] = 1999;
    ck_assert_int_eq(inflate_to(middle, dst, &crc32, &adler32), DOCA_ERROR_IO_FAILED);
    src->data_len = 2001;
    ck_assert_int_eq(deflate_to(src, middle, &crc32, &adler32), DOCA_ERROR_IO_FAILED);
    fake_card.values[CARD_OVER_LIMIT] = 0;
    ck_assert_int_eq(deflate_to(src, middle, &crc32, &adler32), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_compress_cap_task_decompress_deflate_get_max_buf_size(
                         (const struct doca_devinfo *)&fake_dev, &size),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(size, 1999);
    card_init(&fake_card);
    drop(src);
    drop(middle);
    drop(dst);
}
END_TEST

START_TEST(a_card_may_lack_some_of_it)
{
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    uint64_t size;
    uint32_t n;

    fake_card.values[CARD_DEFLATE] = 0;
    fake_card.values[CARD_COMPRESS_TASKS] = 3;
    ck_assert_int_eq(doca_compress_cap_task_compress_deflate_is_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_compress_cap_task_compress_deflate_get_max_buf_size(info, &size),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_compress_cap_task_decompress_deflate_is_supported(info), DOCA_SUCCESS);
    ck_assert_int_eq(doca_compress_task_compress_deflate_set_conf(lib, compress_deflate_done,
                                                                  compress_deflate_failed, 1),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_compress_task_decompress_deflate_set_conf(lib, decompress_deflate_done,
                                                                    decompress_deflate_failed, 4),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_compress_task_decompress_deflate_set_conf(lib, decompress_deflate_done,
                                                                    decompress_deflate_failed, 3),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_compress_cap_get_max_num_tasks(lib, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    card_init(&fake_card);
    start_with_workers(0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("compress_tasks");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    tcase_add_loop_test(tcase, local_memory, 0, 3);
    tcase_add_loop_test(tcase, lists_on_both_sides, 0, 2);
    tcase_add_loop_test(tcase, imported_and_brokered_memory, 0, 4);
    tcase_add_loop_test(tcase, what_fails_leaves_lengths_alone, 0, 2);
    tcase_add_test(tcase, lz4_tasks);
    tcase_add_test(tcase, checksums_are_of_what_was_written);
    tcase_add_loop_test(tcase, checksums_that_nobody_could_ask_for, 0, 2);
    tcase_add_test(tcase, checksums_of_memory_that_has_gone);
    tcase_add_loop_test(tcase, a_stop_ends_all_tasks, 0, 2);
    tcase_add_loop_test(tcase, limits_of_a_card, 0, 2);
    tcase_add_test(tcase, a_card_may_lack_some_of_it);
    return unit_run_case("compress_tasks", tcase);
}
