// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression step by step, in stretches of all lengths.

#include "compress/codec.h"
#include "compress/xxh32.h"
#include "unit.h"

#include <lz4.h>
#include <string.h>

#define PLAIN (70 * 1024) // longer than what LZ4 and deflate refer back
#define ROOM  (2 * PLAIN)

static uint8_t plain[PLAIN], packed[ROOM], back[ROOM];
static struct codec *codec;

// Text-like: words that repeat, near and far.
static void fill_plain(unsigned seed)
{
    static const char *const words[] = {"memory ", "export ", "of the ", "queue\n", "0x7f", "  "};

    for (size_t at = 0; at < PLAIN;) {
        seed = seed * 1103515245 + 12345;
        const char *word = words[seed >> 16 & 7 ? (seed >> 20) % 6 : 0];
        for (; *word && at < PLAIN; word++)
            plain[at++] = (uint8_t)(seed >> 28 ? *word : (int)(seed >> 8));
    }
}

static void setup(void)
{
    fill_plain(1);
    memset(back, 0xee, sizeof(back));
    codec = codec_new();
    ck_assert_ptr_nonnull(codec);
}

static void teardown(void)
{
    codec_free(codec);
}

struct sizes {
    size_t in, out; // of a stretch
};

static const struct sizes all_sizes[] = {{ROOM, ROOM}, {1, ROOM}, {ROOM, 1}, {7, 5}, {1000, 65537}};

// Returns how it ended; *n is the length of the result. CODEC_MORE: there was no room.
static enum codec_status run(enum codec_kind kind, unsigned flags, const uint8_t *in,
                             size_t in_size, uint8_t *out, size_t room, struct sizes stretch,
                             size_t *n)
{
    size_t read = 0, written = 0;
    enum codec_status status = CODEC_MORE;

    codec_begin(codec, kind, flags);
    for (unsigned idle = 0; status == CODEC_MORE && idle < 8;) {
        size_t n_in = in_size - read < stretch.in ? in_size - read : stretch.in;
        size_t n_out = room - written < stretch.out ? room - written : stretch.out;
        struct codec_io io = {.in = in + read,
                              .in_left = n_in,
                              .out = out + written,
                              .out_left = n_out,
                              .last = read + n_in == in_size,
                              .steady = written + n_out == room};
        status = codec_step(codec, &io);
        idle = io.in_left == n_in && io.out_left == n_out ? idle + 1 : 0;
        read += n_in - io.in_left;
        written += n_out - io.out_left;
        if (io.in_left > n_in || io.in != in + read ||
            io.out != out + written) // assertions take time
            ck_abort_msg("a step moved its pointers and lengths differently");
    }
    *n = written;
    return status;
}

static void expect_back(enum codec_kind kind, unsigned flags, size_t size, size_t plain_size)
{
    struct xxh32 hash;
    size_t n;

    for (unsigned i = 0; i < sizeof(all_sizes) / sizeof(all_sizes[0]); i++) {
        memset(back, 0xee, sizeof(back));
        // Exactly as much room as there must be.
        ck_assert_int_eq(
            run(kind, flags | CODEC_SUMS, packed, size, back, plain_size, all_sizes[i], &n),
            CODEC_END);
        ck_assert_uint_eq(n, plain_size);
        ck_assert_mem_eq(back, plain, n);
        ck_assert_uint_eq(back[n], 0xee);
        xxh32_begin(&hash);
        xxh32_update(&hash, plain, n);
        if (kind != CODEC_INFLATE)
            ck_assert_uint_eq(codec_other32(codec), xxh32_value(&hash));
    }
}

// ---- checksums -------------------------------------------------------------------------

static uint32_t xxh32_of(const char *text, size_t piece)
{
    struct xxh32 hash;
    size_t size = strlen(text);

    xxh32_begin(&hash);
    for (size_t at = 0; at < size; at += piece)
        xxh32_update(&hash, (const uint8_t *)text + at, size - at < piece ? size - at : piece);
    return xxh32_value(&hash);
}

START_TEST(checksums_are_the_published_ones)
{
    size_t n;

    ck_assert_uint_eq(xxh32_of("", 1), 0x02CC5D05);
    ck_assert_uint_eq(xxh32_of("abc", 3), 0x32D153FF);
    for (size_t piece = 1; piece < 60; piece++)
        ck_assert_uint_eq(xxh32_of("Nobody inspects the spammish repetition", piece), 0xE2293B2F);
    ck_assert_int_eq(run(CODEC_DEFLATE, CODEC_SUMS, (const uint8_t *)"123456789", 9, packed, ROOM,
                         all_sizes[0], &n),
                     CODEC_END);
    ck_assert_uint_eq(codec_crc32(codec), 0xCBF43926);
    ck_assert_uint_eq(codec_other32(codec), 0x091E01DE);
}
END_TEST

// ---- deflate -----------------------------------------------------------------------------

START_TEST(deflate_there_and_back)
{
    size_t n, again;

    for (unsigned i = 0; i < sizeof(all_sizes) / sizeof(all_sizes[0]); i++) {
        ck_assert_int_eq(
            run(CODEC_DEFLATE, CODEC_SUMS, plain, PLAIN, packed, ROOM, all_sizes[i], &n),
            CODEC_END);
        ck_assert_uint_lt(n, PLAIN);
        uint32_t crc32 = codec_crc32(codec), adler32 = codec_other32(codec);
        expect_back(CODEC_INFLATE, 0, n, PLAIN);
        ck_assert_uint_eq(codec_crc32(codec), crc32);
        ck_assert_uint_eq(codec_other32(codec), adler32);
        // What follows the end is not looked at.
        memset(packed + n, 0xff, 16);
        if (i == 0)
            expect_back(CODEC_INFLATE, 0, n + 16, PLAIN);
        // As much room as it takes, and a byte less.
        ck_assert_int_eq(run(CODEC_DEFLATE, 0, plain, PLAIN, packed, n, all_sizes[i], &again),
                         CODEC_END);
        ck_assert_uint_eq(again, n);
        ck_assert_int_eq(run(CODEC_DEFLATE, 0, plain, PLAIN, packed, n - 1, all_sizes[i], &again),
                         CODEC_MORE);
        ck_assert_uint_eq(again, n - 1);
    }
}
END_TEST

START_TEST(broken_deflate_is_found)
{
    static const uint8_t wrong[] = {0x07, 0xff, 0xff, 0xff};
    size_t n, m;

    ck_assert_int_eq(run(CODEC_INFLATE, 0, wrong, sizeof(wrong), back, ROOM, all_sizes[0], &m),
                     CODEC_CORRUPT);
    ck_assert_int_eq(run(CODEC_DEFLATE, 0, plain, PLAIN, packed, ROOM, all_sizes[0], &n),
                     CODEC_END);
    for (size_t size = 0; size < n; size += n / 7 + 1) // too short: it never ends
        ck_assert_int_ne(run(CODEC_INFLATE, 0, packed, size, back, ROOM, all_sizes[3], &m),
                         CODEC_END);
    ck_assert_int_eq(run(CODEC_INFLATE, 0, packed, n, back, PLAIN - 1, all_sizes[0], &m),
                     CODEC_MORE);
    ck_assert_uint_eq(m, PLAIN - 1);
}
END_TEST

// The end comes in a step without input: ISA-L gives back what it took in the one before.
START_TEST(input_is_not_given_back)
{
    static const uint8_t ends_early[] = {0x5a, 0x8f, 0x8f, 0x6d, 0x6f, 0x72, 0x01, 0x00, 0x00,
                                         0x12, 0x79, 0x01, 0x00, 0xff, 0xcf, 0x12, 0x13};
    size_t n;

    for (size_t out = 1; out < 20; out++)
        ck_assert_int_ne(run(CODEC_INFLATE, 0, ends_early, sizeof(ends_early), back, 900,
                             (struct sizes){33, out}, &n),
                         CODEC_MORE);
}
END_TEST

// ---- LZ4 ---------------------------------------------------------------------------------

START_TEST(lz4_blocks)
{
    size_t m;

    int n = LZ4_compress_default((const char *)plain, (char *)packed, PLAIN, ROOM);
    ck_assert_int_gt(n, 0);
    expect_back(CODEC_LZ4_BLOCK, 0, (size_t)n, PLAIN);
    for (unsigned i = 0; i < sizeof(all_sizes) / sizeof(all_sizes[0]); i++) {
        struct sizes sizes = all_sizes[i];
        ck_assert_int_eq(run(CODEC_LZ4_BLOCK, 0, packed, (size_t)n, back, PLAIN - 1, sizes, &m),
                         CODEC_MORE);
        ck_assert_int_eq(run(CODEC_LZ4_BLOCK, 0, packed, (size_t)n - 9, back, ROOM, sizes, &m),
                         CODEC_CORRUPT);
        // A match before the beginning.
        ck_assert_int_eq(run(CODEC_LZ4_BLOCK, 0,
                             (const uint8_t *)"\x10"
                                              "a\x02\x00\x50"
                                              "bbbbb",
                             10, back, ROOM, sizes, &m),
                         CODEC_CORRUPT);
    }
}
END_TEST

static void put_number(uint8_t *at, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (8 * i));
}

// Writes a stream of blocks of 20 KiB, the third not compressed. Returns its size.
static size_t make_stream(bool independent, bool sums)
{
    LZ4_stream_t *stream = LZ4_createStream();
    size_t n = 0, block = 20 * 1024;

    for (size_t at = 0; at < PLAIN; at += block) {
        int size = (int)(PLAIN - at < block ? PLAIN - at : block);
        if (independent)
            LZ4_resetStream_fast(stream);
        int got = LZ4_compress_fast_continue(stream, (const char *)plain + at,
                                             (char *)packed + n + 4, size, (int)(ROOM - n), 1);
        bool raw = at == 2 * block;
        if (raw)
            memcpy(packed + n + 4, plain + at, (size_t)(got = size));
        put_number(packed + n, (uint32_t)got | (raw ? 0x80000000u : 0));
        if (sums) {
            struct xxh32 hash;
            xxh32_begin(&hash);
            xxh32_update(&hash, packed + n + 4, (size_t)got);
            put_number(packed + n + 4 + got, xxh32_value(&hash));
        }
        n += 4 + (size_t)got + (sums ? 4 : 0);
    }
    LZ4_freeStream(stream);
    return n;
}

START_TEST(lz4_streams)
{
    unsigned flags = (unsigned)_i;
    bool independent = flags & CODEC_INDEPENDENT, sums = flags & CODEC_BLOCK_CHECKSUM;
    size_t n = make_stream(independent, sums), m;

    expect_back(CODEC_LZ4_STREAM, flags, n, PLAIN);
    for (unsigned i = 0; i < sizeof(all_sizes) / sizeof(all_sizes[0]); i++) {
        struct sizes sizes = all_sizes[i];
        if (!sums && (sizes.in == 1 || sizes.out == 1)) // takes long, and is the same as with sums
            continue;
        ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags, packed, n, back, PLAIN - 1, sizes, &m),
                         CODEC_MORE);
        ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags, packed, n - 1, back, ROOM, sizes, &m),
                         CODEC_CORRUPT);
        memset(packed + n, 0, 4); // a frame's end mark
        ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags, packed, n + 4, back, ROOM, sizes, &m),
                         CODEC_END);
        ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags, packed, n + 5, back, ROOM, sizes, &m),
                         CODEC_CORRUPT);
        if (sums) {
            packed[n - 1] ^= 1;
            ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags, packed, n, back, ROOM, sizes, &m),
                             CODEC_CORRUPT);
            packed[n - 1] ^= 1;
        }
    }
    if (!independent) // blocks that refer to those before them
        ck_assert_int_eq(run(CODEC_LZ4_STREAM, flags | CODEC_INDEPENDENT, packed, n, back, ROOM,
                             all_sizes[0], &m),
                         CODEC_CORRUPT);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("codec");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, checksums_are_the_published_ones);
    tcase_add_test(tcase, deflate_there_and_back);
    tcase_add_test(tcase, broken_deflate_is_found);
    tcase_add_test(tcase, input_is_not_given_back);
    tcase_add_test(tcase, lz4_blocks);
    tcase_add_test(tcase, lz4_streams);
    tcase_add_loop_test(tcase, lz4_streams, CODEC_BLOCK_CHECKSUM, CODEC_BLOCK_CHECKSUM + 1);
    tcase_add_loop_test(tcase, lz4_streams, CODEC_INDEPENDENT,
                        (CODEC_INDEPENDENT | CODEC_BLOCK_CHECKSUM) + 1);
    return unit_run_case("codec", tcase);
}
