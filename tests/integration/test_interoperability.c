// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What compression tasks make other programs read, and what other programs make tasks read: gzip,
// zlib (that of python3) and lz4.

#include "other_programs.h"

#include "cleanup.h"

#include <doca_compress.h>

#include <dlfcn.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef DOCAD_HAVE_ISAL
#define HAS_DEFLATE true
#else
#define HAS_DEFLATE false
#endif
#ifdef DOCAD_HAVE_LZ4
#define HAS_LZ4 HAS_DEFLATE // a capability that both together make
#else
#define HAS_LZ4 false
#endif

CALLBACK(deflated, doca_compress_task_compress_deflate)
CALLBACK(inflated, doca_compress_task_decompress_deflate)
CALLBACK(streamed, doca_compress_task_decompress_lz4_stream)
CALLBACK(unblocked, doca_compress_task_decompress_lz4_block)

// ---- deflate -----------------------------------------------------------------------------------

static struct doca_compress *open_compress(void)
{
    struct doca_compress *lib;

    OK(doca_compress_create(w.dev, &lib));
    OK(doca_compress_task_compress_deflate_set_conf(lib, deflated, deflated, 1));
    OK(doca_compress_task_decompress_deflate_set_conf(lib, inflated, inflated, 1));
    if (doca_compress_cap_task_decompress_lz4_stream_is_supported(doca_dev_as_devinfo(w.dev)) ==
        DOCA_SUCCESS) {
        OK(doca_compress_task_decompress_lz4_stream_set_conf(lib, streamed, streamed, 1));
        OK(doca_compress_task_decompress_lz4_block_set_conf(lib, unblocked, unblocked, 1));
    }
    start(doca_compress_as_ctx(lib));
    return lib;
}

static void close_compress(struct doca_compress *lib)
{
    OK(doca_ctx_stop(w.ctx));
    OK(doca_compress_destroy(lib));
}

// Two lines: the CRC-32 and the Adler-32 of the plain bytes.
static void read_sums(const struct path *path, uint32_t *crc32, uint32_t *adler32)
{
    cleanup_file FILE *file = fopen(path->s, "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%u %u", crc32, adler32), 2);
}

START_TEST(zlib_reads_our_deflate)
{
    struct path raw = temp_path("raw"), back = temp_path("back"), sums = temp_path("sums");
    struct doca_compress_task_compress_deflate *task;
    struct doca_compress *lib = open_compress();
    uint32_t crc32, adler32;

    make_text(sizes[_i]);
    set_input(text, sizes[_i]);
    OK(doca_compress_task_compress_deflate_alloc_init(lib, w.from, w.to, (union doca_data){0},
                                                      &task));
    OK(run(doca_compress_task_compress_deflate_as_task(task)));
    put_file(&raw, w.out, w.n_out);
    shell("python3 -c 'import sys, zlib\n"
          "d = zlib.decompressobj(-15); p = d.decompress(open(\"%s\", \"rb\").read())\n"
          "assert d.eof and not d.unused_data; open(\"%s\", \"wb\").write(p)\n"
          "print(zlib.crc32(p), zlib.adler32(p))' >%s",
          raw.s, back.s, sums.s);
    ck_assert_uint_eq(get_file(&back, w.out, PART), sizes[_i]);
    ck_assert_mem_eq(w.out, text, sizes[_i]);
    read_sums(&sums, &crc32, &adler32);
    ck_assert_uint_eq(doca_compress_task_compress_deflate_get_crc_cs(task), crc32);
    ck_assert_uint_eq(doca_compress_task_compress_deflate_get_adler_cs(task), adler32);
    doca_task_free(doca_compress_task_compress_deflate_as_task(task));
    close_compress(lib);
    shell("rm %s %s %s", raw.s, back.s, sums.s);
}
END_TEST

START_TEST(we_read_deflate_of_zlib)
{
    // Levels 0 (stored), 1, 6, 9, and 9 without tables of its own.
    static const char *const ways[] = {
        "0, 8, -15", "1, 8, -15", "6, 8, -15", "9, 8, -15", "9, 8, -15, 8, zlib.Z_FIXED",
        "6, 8, -9"};
    struct path plain = temp_path("plain"), raw = temp_path("raw"), sums = temp_path("sums");
    struct doca_compress_task_decompress_deflate *task;
    struct doca_compress *lib = open_compress();
    uint32_t crc32, adler32;

    make_text(sizes[_i]);
    put_file(&plain, text, sizes[_i]);
    OK(doca_compress_task_decompress_deflate_alloc_init(lib, w.from, w.to, (union doca_data){0},
                                                        &task));
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        shell("python3 -c 'import sys, zlib\n"
              "p = open(\"%s\", \"rb\").read(); c = zlib.compressobj(%s)\n"
              "open(\"%s\", \"wb\").write(c.compress(p) + c.flush())\n"
              "print(zlib.crc32(p), zlib.adler32(p))' >%s",
              plain.s, ways[way], raw.s, sums.s);
        w.n_in = get_file(&raw, w.in, PART);
        OK(run(doca_compress_task_decompress_deflate_as_task(task)));
        ck_assert_uint_eq(w.n_out, sizes[_i]);
        ck_assert_mem_eq(w.out, text, sizes[_i]);
        read_sums(&sums, &crc32, &adler32);
        ck_assert_uint_eq(doca_compress_task_decompress_deflate_get_crc_cs(task), crc32);
        ck_assert_uint_eq(doca_compress_task_decompress_deflate_get_adler_cs(task), adler32);
    }
    doca_task_free(doca_compress_task_decompress_deflate_as_task(task));
    close_compress(lib);
    shell("rm %s %s %s", plain.s, raw.s, sums.s);
}
END_TEST

// A gzip file without a name: 10 bytes, deflate, and the CRC-32 and the size of the plain bytes.
#define GZIP_HEADER  10
#define GZIP_TRAILER 8

static const uint8_t gzip_header[GZIP_HEADER] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

START_TEST(gzip_reads_our_deflate)
{
    struct path zipped = temp_path("zipped"), back = temp_path("back");
    struct doca_compress_task_compress_deflate *task;
    struct doca_compress *lib = open_compress();
    uint32_t trailer[2];

    make_text(sizes[_i]);
    set_input(text, sizes[_i]);
    OK(doca_compress_task_compress_deflate_alloc_init(lib, w.from, w.to, (union doca_data){0},
                                                      &task));
    OK(run(doca_compress_task_compress_deflate_as_task(task)));
    trailer[0] = htole32(doca_compress_task_compress_deflate_get_crc_cs(task));
    trailer[1] = htole32((uint32_t)sizes[_i]);
    memmove(w.out + GZIP_HEADER, w.out, w.n_out);
    memcpy(w.out, gzip_header, GZIP_HEADER);
    memcpy(w.out + GZIP_HEADER + w.n_out, trailer, GZIP_TRAILER);
    put_file(&zipped, w.out, GZIP_HEADER + w.n_out + GZIP_TRAILER);
    shell("gzip -dc <%s >%s", zipped.s, back.s);
    ck_assert_uint_eq(get_file(&back, w.out, PART), sizes[_i]);
    ck_assert_mem_eq(w.out, text, sizes[_i]);
    doca_task_free(doca_compress_task_compress_deflate_as_task(task));
    shell("rm %s %s", zipped.s, back.s);
    close_compress(lib);
}
END_TEST

START_TEST(we_read_deflate_of_gzip)
{
    struct path plain = temp_path("plain"), zipped = temp_path("zipped");
    struct doca_compress_task_decompress_deflate *task;
    struct doca_compress *lib = open_compress();
    uint32_t trailer[2];

    make_text(sizes[_i]);
    OK(doca_compress_task_decompress_deflate_alloc_init(lib, w.from, w.to, (union doca_data){0},
                                                        &task));
    for (int level = 1; level <= 9; level += 4) {
        put_file(&plain, text, sizes[_i]);
        shell("gzip -nc -%d <%s >%s", level, plain.s, zipped.s);
        size_t n = get_file(&zipped, w.in, PART);
        ck_assert_mem_eq(w.in, gzip_header, 4); // no fields but those that are always there
        memcpy(trailer, w.in + n - GZIP_TRAILER, GZIP_TRAILER);
        set_input(w.in + GZIP_HEADER, n - GZIP_HEADER - GZIP_TRAILER);
        OK(run(doca_compress_task_decompress_deflate_as_task(task)));
        ck_assert_uint_eq(w.n_out, sizes[_i]);
        ck_assert_mem_eq(w.out, text, sizes[_i]);
        ck_assert_uint_eq(doca_compress_task_decompress_deflate_get_crc_cs(task),
                          le32toh(trailer[0]));
        ck_assert_uint_eq(w.n_out, le32toh(trailer[1]));
        shell("rm %s %s", plain.s, zipped.s);
    }
    doca_task_free(doca_compress_task_decompress_deflate_as_task(task));
    close_compress(lib);
}
END_TEST

// ---- LZ4 ----------------------------------------------------------------------------------------

// A frame: 7 bytes, blocks, an end mark, and the xxHash-32 of the plain bytes.
#define FRAME_HEADER  7
#define FRAME_TRAILER 4

static size_t make_frame(const char *options)
{
    struct path plain = temp_path("plain"), frame = temp_path("frame");
    size_t n;

    put_file(&plain, text, w.n_in);
    shell("lz4 -qf %s %s %s", options, plain.s, frame.s);
    n = get_file(&frame, w.in, PART);
    ck_assert_mem_eq(w.in, "\x04\x22\x4d\x18", 4);
    ck_assert_uint_eq(w.in[4] & 8, 0); // the header has no size
    shell("rm %s %s", plain.s, frame.s);
    return n;
}

START_TEST(we_read_streams_of_lz4)
{
    static const struct {
        const char *options;
        uint8_t sums, independent;
    } ways[] = {{"-1 -B4", 0, 1},
                {"-9 -B7", 0, 1},
                {"-1 -B4 -BD", 0, 0},
                {"-1 -B4 -BX", 1, 1},
                {"-9 -B5 -BDX", 1, 0}};
    struct doca_compress_task_decompress_lz4_stream *task;
    struct doca_compress *lib = open_compress();

    make_text(sizes[_i]);
    OK(doca_compress_task_decompress_lz4_stream_alloc_init(lib, 0, 1, w.from, w.to,
                                                           (union doca_data){0}, &task));
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        uint32_t sum;
        w.n_in = sizes[_i];
        size_t n = make_frame(ways[way].options);
        uint8_t independent = w.in[4] >> 5 & 1; // a single block is
        ck_assert(independent == ways[way].independent || sizes[_i] <= 65536);
        ck_assert_uint_eq(w.in[4] >> 4 & 1, ways[way].sums);
        memcpy(&sum, w.in + n - FRAME_TRAILER, sizeof(sum));
        set_input(w.in + FRAME_HEADER, n - FRAME_HEADER - FRAME_TRAILER);
        doca_compress_task_decompress_lz4_stream_set_has_block_checksum(task, ways[way].sums);
        doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(task, independent);
        OK(run(doca_compress_task_decompress_lz4_stream_as_task(task)));
        ck_assert_uint_eq(w.n_out, sizes[_i]);
        ck_assert_mem_eq(w.out, text, sizes[_i]);
        // As programs compare them: read from the most significant byte on.
        ck_assert_uint_eq(doca_compress_task_decompress_lz4_stream_get_xxh_cs(task), be32toh(sum));
    }
    doca_task_free(doca_compress_task_decompress_lz4_stream_as_task(task));
    close_compress(lib);
}
END_TEST

// This program does not refer to the checksums of blocks: they are not computed until it has found
// their function.
START_TEST(we_read_blocks_of_lz4)
{
    uint32_t (*xxh_of)(const struct doca_compress_task_decompress_lz4_block *);
    struct doca_compress_task_decompress_lz4_block *task;
    struct doca_compress *lib = open_compress();
    uint32_t sum, size;

    w.n_in = 60000;
    make_text(w.n_in);
    size_t n = make_frame("-1 -B4");
    memcpy(&sum, w.in + n - FRAME_TRAILER, sizeof(sum));
    memcpy(&size, w.in + FRAME_HEADER, sizeof(size));
    set_input(w.in + FRAME_HEADER + 4, le32toh(size));
    OK(doca_compress_task_decompress_lz4_block_alloc_init(lib, w.from, w.to, (union doca_data){0},
                                                          &task));
    *(void **)&xxh_of = dlsym(RTLD_DEFAULT, "doca_compress_task_decompress_lz4_block_get_xxh_cs");
    ck_assert_ptr_nonnull(xxh_of);
    for (unsigned round = 0; round < 2; round++) {
        OK(run(doca_compress_task_decompress_lz4_block_as_task(task)));
        ck_assert_uint_eq(w.n_out, 60000);
        ck_assert_mem_eq(w.out, text, 60000);
        w.out[5] ^= 1;
        ck_assert_int_eq(xxh_of(task) == be32toh(sum), round);
    }
    doca_task_free(doca_compress_task_decompress_lz4_block_as_task(task));
    close_compress(lib);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("interoperability");

    tcase_add_checked_fixture(tcase, open_world, close_world);
    if (HAS_DEFLATE) {
        tcase_add_loop_test(tcase, zlib_reads_our_deflate, 0, N_SIZES);
        tcase_add_loop_test(tcase, we_read_deflate_of_zlib, 0, N_SIZES);
    }
    if (HAS_DEFLATE && have("gzip")) {
        tcase_add_loop_test(tcase, gzip_reads_our_deflate, 0, N_SIZES);
        tcase_add_loop_test(tcase, we_read_deflate_of_gzip, 0, N_SIZES);
    }
    if (HAS_LZ4 && have("lz4")) {
        tcase_add_loop_test(tcase, we_read_streams_of_lz4, 0, N_SIZES);
        tcase_add_test(tcase, we_read_blocks_of_lz4);
    }
    Suite *suite = suite_create("interoperability");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
