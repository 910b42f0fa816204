// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What tasks make other programs read, and what other programs make tasks read: gzip, zlib (that of
// python3), lz4, sha*sum, openssl, libcrypto and ISA-L. The openssl tool has no AES-GCM; it has the
// counter mode that encrypts, and the authentication of what is not encrypted. Whole messages are
// compared with libcrypto's.

#include "env.h"
#include "nodes.h"
#include "run.h"

#include "cleanup.h"

#include <doca_aes_gcm.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_erasure_coding.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sha.h>

#include <dlfcn.h>
#include <endian.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#ifdef DOCAD_HAVE_ISAL
#include <isa-l/erasure_code.h>
#define HAS_DEFLATE true
#else
#define HAS_DEFLATE false
#endif
#ifdef DOCAD_HAVE_LZ4
#define HAS_LZ4 HAS_DEFLATE // a capability that both together make
#else
#define HAS_LZ4 false
#endif

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

// The memory: what a task reads, and what it writes.
#define PART ((size_t)1 << 20)

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    uint8_t *in, *out;
    size_t n_in, n_out;
    bool over;
    doca_error_t status;
} w;

static void open_world(void)
{
    struct doca_devinfo **list;
    uint32_t n;

    setup_pair();
    daemon_use(nodes.host);
    OK(doca_devinfo_create_list(&list, &n));
    OK(doca_dev_open(list[0], &w.dev));
    OK(doca_devinfo_destroy_list(list));
    OK(doca_pe_create(&w.pe));
    w.in = malloc(2 * PART);
    ck_assert_ptr_nonnull(w.in);
    w.out = w.in + PART;
    memset(w.in, 0xdd, 2 * PART);
    OK(doca_mmap_create(&w.map));
    OK(doca_mmap_set_memrange(w.map, w.in, 2 * PART));
    OK(doca_mmap_set_permissions(w.map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    OK(doca_mmap_add_dev(w.map, w.dev));
    OK(doca_mmap_start(w.map));
    OK(doca_buf_inventory_create(2, &w.inventory));
    OK(doca_buf_inventory_start(w.inventory));
    OK(doca_buf_inventory_buf_get_by_addr(w.inventory, w.map, w.in, PART, &w.from));
    OK(doca_buf_inventory_buf_get_by_addr(w.inventory, w.map, w.out, PART, &w.to));
}

static void close_world(void)
{
    OK(doca_buf_dec_refcount(w.from, NULL));
    OK(doca_buf_dec_refcount(w.to, NULL));
    OK(doca_buf_inventory_destroy(w.inventory));
    OK(doca_mmap_destroy(w.map));
    OK(doca_pe_destroy(w.pe));
    OK(doca_dev_close(w.dev));
    free(w.in);
    env_teardown();
}

static void start(struct doca_ctx *ctx)
{
    w.ctx = ctx;
    OK(doca_pe_connect_ctx(w.pe, ctx));
    OK(doca_ctx_start(ctx));
}

static void set_input(const void *bytes, size_t n)
{
    ck_assert_uint_le(n, PART);
    memmove(w.in, bytes, n);
    w.n_in = n;
}

// Runs a task from w.in to w.out; the program frees it.
static doca_error_t run(struct doca_task *task)
{
    OK(doca_buf_set_data(w.from, w.in, w.n_in));
    OK(doca_buf_set_data(w.to, w.out, 0));
    w.over = false;
    OK(doca_task_submit(task));
    while (!w.over)
        doca_pe_progress(w.pe);
    OK(doca_buf_get_data_len(w.to, &w.n_out));
    return w.status;
}

#define CALLBACK(name, type)                                                                       \
    static void name(struct type *task, union doca_data data, union doca_data ctx_data)            \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        w.over = true;                                                                             \
        w.status = doca_task_get_status(type##_as_task(task));                                     \
    }

CALLBACK(deflated, doca_compress_task_compress_deflate)
CALLBACK(inflated, doca_compress_task_decompress_deflate)
CALLBACK(streamed, doca_compress_task_decompress_lz4_stream)
CALLBACK(unblocked, doca_compress_task_decompress_lz4_block)
CALLBACK(hashed, doca_sha_task_hash)
CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
CALLBACK(decrypted, doca_aes_gcm_task_decrypt)

// ---- files and other programs
// ---------------------------------------------------------------------

static uint8_t text[PART];

// Words that repeat, near and far.
static void make_text(size_t n)
{
    static const char *const words[] = {"memory ", "export ", "of the ", "queue\n", "0x7f", "  "};
    uint32_t state = 7;

    for (size_t at = 0; at < n;) {
        state = state * 1664525 + 1013904223;
        for (const char *word = words[(state >> 24) % 6]; *word && at < n; word++)
            text[at++] = (uint8_t)*word;
        if (at < n)
            text[at++] = (uint8_t)(state >> 16);
    }
}

static void put_file(const struct path *path, const void *bytes, size_t n)
{
    cleanup_file FILE *file = fopen(path->s, "we");
    ck_assert(file && fwrite(bytes, 1, n, file) == n);
}

static size_t get_file(const struct path *path, void *bytes, size_t room)
{
    cleanup_file FILE *file = fopen(path->s, "re");
    ck_assert_ptr_nonnull(file);
    return fread(bytes, 1, room, file);
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char line[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    ck_assert_msg(system(line) == 0, "%s", line);
}

// Says whether there is such a program; if not, the tests with it are left out.
static bool have(const char *program)
{
    char line[128];

    snprintf(line, sizeof(line), "command -v %s >/dev/null", program);
    if (system(line) == 0)
        return true;
    printf("SKIPPED: there is no %s here\n", program);
    return false;
}

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

static const size_t sizes[] = {1, 1000, 60000, 400000};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

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

// ---- digests ------------------------------------------------------------------------------------

START_TEST(digests_are_those_of_the_tools)
{
    static const char *const tools[] = {"sha1sum", "sha256sum", "sha512sum"};
    struct path plain = temp_path("plain"), digest = temp_path("digest");
    struct doca_sha_task_hash *task;
    struct doca_sha *lib;
    char theirs[160] = "", ours[160] = "";

    make_text(sizes[_i]);
    set_input(text, sizes[_i]);
    put_file(&plain, text, sizes[_i]);
    OK(doca_sha_create(w.dev, &lib));
    OK(doca_sha_task_hash_set_conf(lib, hashed, hashed, 1));
    start(doca_sha_as_ctx(lib));
    for (unsigned algorithm = 0; algorithm < 3; algorithm++) {
        shell("%s <%s >%s", tools[algorithm], plain.s, digest.s);
        theirs[get_file(&digest, theirs, sizeof(theirs) - 1)] = '\0';
        OK(doca_sha_task_hash_alloc_init(lib, (enum doca_sha_algorithm)algorithm, w.from, w.to,
                                         (union doca_data){0}, &task));
        OK(run(doca_sha_task_hash_as_task(task)));
        for (size_t i = 0; i < w.n_out; i++)
            snprintf(ours + 2 * i, sizeof(ours) - 2 * i, "%02x", w.out[i]);
        strcat(ours, "  -\n");
        ck_assert_str_eq(ours, theirs);
        doca_task_free(doca_sha_task_hash_as_task(task));
    }
    OK(doca_ctx_stop(w.ctx));
    OK(doca_sha_destroy(lib));
    shell("rm %s %s", plain.s, digest.s);
}
END_TEST

// ---- AES-GCM ------------------------------------------------------------------------------------

static const uint8_t raw_key[32] = "a key of two hundred and 56 bits", iv[12] = "not so secre";

#define TRY(call) ck_assert_int_eq((call), 1)

// Encrypts with libcrypto: additional data, cipher text and tag, as tasks have them.
static size_t seal(bool key_256, size_t aad, size_t n, size_t tag, const uint8_t *in, uint8_t *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int done;

    TRY(EVP_EncryptInit_ex(ctx, key_256 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL, raw_key,
                           iv));
    if (aad)
        TRY(EVP_EncryptUpdate(ctx, NULL, &done, in, (int)aad));
    memcpy(out, in, aad);
    TRY(EVP_EncryptUpdate(ctx, out + aad, &done, in + aad, (int)n));
    TRY(EVP_EncryptFinal_ex(ctx, out + aad + n, &done));
    TRY(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, (int)tag, out + aad + n));
    EVP_CIPHER_CTX_free(ctx);
    return aad + n + tag;
}

START_TEST(libcrypto_and_we_encrypt_alike)
{
    static uint8_t sealed[PART];
    struct doca_aes_gcm_task_encrypt *encrypt;
    struct doca_aes_gcm_task_decrypt *decrypt;
    struct doca_aes_gcm_key *key;
    struct doca_aes_gcm *lib;
    size_t aad = _i & 1 ? 20 : 0, tag = _i & 2 ? 16 : 12;
    bool key_256 = _i & 4;
    union doca_data none = {0};

    OK(doca_aes_gcm_create(w.dev, &lib));
    OK(doca_aes_gcm_task_encrypt_set_conf(lib, encrypted, encrypted, 1));
    OK(doca_aes_gcm_task_decrypt_set_conf(lib, decrypted, decrypted, 1));
    start(doca_aes_gcm_as_ctx(lib));
    OK(doca_aes_gcm_key_create(lib, raw_key, key_256 ? DOCA_AES_GCM_KEY_256 : DOCA_AES_GCM_KEY_128,
                               &key));
    OK(doca_aes_gcm_task_encrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), (uint32_t)tag,
                                            (uint32_t)aad, none, &encrypt));
    OK(doca_aes_gcm_task_decrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), (uint32_t)tag,
                                            (uint32_t)aad, none, &decrypt));
    for (size_t i = 0; i < N_SIZES; i++) {
        make_text(aad + sizes[i]);
        size_t n = seal(key_256, aad, sizes[i], tag, text, sealed);
        set_input(text, aad + sizes[i]);
        OK(run(doca_aes_gcm_task_encrypt_as_task(encrypt)));
        ck_assert_uint_eq(w.n_out, n);
        ck_assert_mem_eq(w.out, sealed, n);
        set_input(sealed, n);
        OK(run(doca_aes_gcm_task_decrypt_as_task(decrypt)));
        ck_assert_uint_eq(w.n_out, aad + sizes[i]);
        ck_assert_mem_eq(w.out, text, aad + sizes[i]);
    }
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(encrypt));
    doca_task_free(doca_aes_gcm_task_decrypt_as_task(decrypt));
    OK(doca_aes_gcm_key_destroy(key));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_aes_gcm_destroy(lib));
}
END_TEST

// Encrypts what is behind the additional data.
static size_t encrypt(bool key_256, size_t aad)
{
    struct doca_aes_gcm_task_encrypt *task;
    struct doca_aes_gcm_key *key;
    struct doca_aes_gcm *lib;

    OK(doca_aes_gcm_create(w.dev, &lib));
    OK(doca_aes_gcm_task_encrypt_set_conf(lib, encrypted, encrypted, 1));
    start(doca_aes_gcm_as_ctx(lib));
    OK(doca_aes_gcm_key_create(lib, raw_key, key_256 ? DOCA_AES_GCM_KEY_256 : DOCA_AES_GCM_KEY_128,
                               &key));
    OK(doca_aes_gcm_task_encrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), 16,
                                            (uint32_t)aad, (union doca_data){0}, &task));
    OK(run(doca_aes_gcm_task_encrypt_as_task(task)));
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
    OK(doca_aes_gcm_key_destroy(key));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_aes_gcm_destroy(lib));
    return w.n_out;
}

static const char *hex_of(const uint8_t *bytes, size_t n)
{
    static char text_of[2][2 * sizeof(raw_key) + 1];
    static unsigned turn;
    char *hex = text_of[turn++ % 2];

    for (size_t i = 0; i < n; i++)
        sprintf(hex + 2 * i, "%02x", bytes[i]);
    return hex;
}

// GCM encrypts by the counter mode. The counter of the first block of text is 2.
START_TEST(openssl_encrypts_alike)
{
    struct path plain = temp_path("plain"), sealed = temp_path("sealed");
    bool key_256 = _i & 1;

    for (size_t i = 0; i < N_SIZES; i++) {
        make_text(sizes[i]);
        set_input(text, sizes[i]);
        ck_assert_uint_eq(encrypt(key_256, 0), sizes[i] + 16);
        put_file(&plain, text, sizes[i]);
        shell("openssl enc -aes-%s-ctr -K %s -iv %s00000002 <%s >%s", key_256 ? "256" : "128",
              hex_of(raw_key, key_256 ? 32 : 16), hex_of(iv, sizeof(iv)), plain.s, sealed.s);
        ck_assert_uint_eq(get_file(&sealed, w.in, PART), sizes[i]);
        ck_assert_mem_eq(w.out, w.in, sizes[i]);
        shell("rm %s %s", plain.s, sealed.s);
    }
}
END_TEST

// The tag of a message that is additional data alone is what openssl calls GMAC.
START_TEST(openssl_authenticates_alike)
{
    struct path plain = temp_path("plain"), tag = temp_path("tag");
    bool key_256 = _i & 1;

    make_text(1000);
    set_input(text, 1000);
    ck_assert_uint_eq(encrypt(key_256, 1000), 1016);
    put_file(&plain, text, 1000);
    shell("openssl mac -binary -cipher AES-%s-GCM -macopt hexkey:%s -macopt hexiv:%s -in %s GMAC "
          ">%s",
          key_256 ? "256" : "128", hex_of(raw_key, key_256 ? 32 : 16), hex_of(iv, sizeof(iv)),
          plain.s, tag.s);
    ck_assert_uint_eq(get_file(&tag, w.in, PART), 16);
    ck_assert_mem_eq(w.out + 1000, w.in, 16);
    shell("rm %s %s", plain.s, tag.s);
}
END_TEST

// ---- erasure codes ------------------------------------------------------------------------------

#ifdef DOCAD_HAVE_ISAL
CALLBACK(created, doca_ec_task_create)
CALLBACK(recovered, doca_ec_task_recover)

#define N_DATA 8
#define N_RDNC 4
#define N_ALL  (N_DATA + N_RDNC)
#define BLOCK  4096
#define N_LOST 3

static const uint32_t lost[N_LOST] = {1, 4, 9};
static uint8_t blocks[N_ALL][BLOCK];

static void isal_matrix(bool vandermonde, uint8_t *matrix)
{
    if (vandermonde)
        gf_gen_rs_matrix(matrix, N_ALL, N_DATA);
    else
        gf_gen_cauchy1_matrix(matrix, N_ALL, N_DATA);
}

// Multiplies rows of ISA-L's by blocks that are one after the other.
static void isal_multiply(uint8_t *rows, int n_rows, uint8_t *in, uint8_t *out)
{
    uint8_t tables[N_ALL * N_DATA * 32], *ins[N_DATA], *outs[N_ALL];

    for (int i = 0; i < N_DATA; i++)
        ins[i] = in + i * BLOCK;
    for (int i = 0; i < n_rows; i++)
        outs[i] = out + i * BLOCK;
    ec_init_tables(N_DATA, n_rows, rows, tables);
    ec_encode_data(BLOCK, N_DATA, n_rows, tables, ins, outs);
}

static bool is_lost(uint32_t block)
{
    for (unsigned i = 0; i < N_LOST; i++)
        if (lost[i] == block)
            return true;
    return false;
}

// The rows that make lost data blocks of the first blocks that are left.
static void isal_recovery(uint8_t *matrix, uint8_t *rows)
{
    uint8_t left[N_DATA * N_DATA], inverse[N_DATA * N_DATA];
    unsigned n = 0;

    for (uint32_t i = 0; n < N_DATA; i++)
        if (!is_lost(i))
            memcpy(left + N_DATA * n++, matrix + N_DATA * i, N_DATA);
    ck_assert_int_eq(gf_invert_matrix(left, inverse, N_DATA), 0);
    for (unsigned i = 0; i < N_LOST; i++)
        if (lost[i] < N_DATA)
            memcpy(rows + N_DATA * i, inverse + N_DATA * lost[i], N_DATA);
}

static void input_of_what_is_left(void)
{
    unsigned n = 0;

    for (uint32_t i = 0; n < N_DATA; i++)
        if (!is_lost(i))
            memcpy(w.in + BLOCK * n++, blocks[i], BLOCK);
    w.n_in = N_DATA * BLOCK;
}

START_TEST(isal_and_we_make_the_same_blocks)
{
    enum doca_ec_matrix_type type =
        _i ? DOCA_EC_MATRIX_TYPE_VANDERMONDE : DOCA_EC_MATRIX_TYPE_CAUCHY;
    uint8_t theirs[N_ALL * N_DATA], rows[N_LOST * N_DATA] = {0};
    struct doca_ec_matrix *coding, *recovery;
    struct doca_ec_task_create *create;
    struct doca_ec_task_recover *recover;
    struct doca_ec *lib;

    OK(doca_ec_create(w.dev, &lib));
    OK(doca_ec_task_create_set_conf(lib, created, created, 1));
    OK(doca_ec_task_recover_set_conf(lib, recovered, recovered, 1));
    start(doca_ec_as_ctx(lib));
    OK(doca_ec_matrix_create(lib, type, N_DATA, N_RDNC, &coding));
    OK(doca_ec_matrix_create_recover(lib, coding, (uint32_t *)(uintptr_t)lost, N_LOST, &recovery));
    OK(doca_ec_task_create_allocate_init(lib, coding, w.from, w.to, (union doca_data){0}, &create));
    OK(doca_ec_task_recover_allocate_init(lib, recovery, w.from, w.to, (union doca_data){0},
                                          &recover));
    make_text(N_DATA * BLOCK);
    memcpy(blocks, text, N_DATA * BLOCK);
    isal_matrix(_i, theirs);
    isal_multiply(theirs + N_DATA * N_DATA, N_RDNC, blocks[0], blocks[N_DATA]);

    set_input(blocks, N_DATA * BLOCK);
    OK(run(doca_ec_task_create_as_task(create)));
    ck_assert_uint_eq(w.n_out, N_RDNC * BLOCK);
    ck_assert_mem_eq(w.out, blocks[N_DATA], N_RDNC * BLOCK);
    // ISA-L recovers with what we made, and we with what it made.
    input_of_what_is_left();
    isal_recovery(theirs, rows);
    isal_multiply(rows, 2, w.in, w.out + 8 * BLOCK);
    OK(run(doca_ec_task_recover_as_task(recover)));
    ck_assert_uint_eq(w.n_out, N_LOST * BLOCK);
    for (unsigned i = 0; i < N_LOST; i++)
        ck_assert_mem_eq(w.out + i * BLOCK, blocks[lost[i]], BLOCK);
    ck_assert_mem_eq(w.out + 8 * BLOCK, w.out, 2 * BLOCK);

    doca_task_free(doca_ec_task_create_as_task(create));
    doca_task_free(doca_ec_task_recover_as_task(recover));
    OK(doca_ec_matrix_destroy(coding));
    OK(doca_ec_matrix_destroy(recovery));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_ec_destroy(lib));
}
END_TEST
#endif

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
#ifdef DOCAD_HAVE_ISAL
    tcase_add_loop_test(tcase, isal_and_we_make_the_same_blocks, 0, 2);
#endif
    if (have("sha512sum"))
        tcase_add_loop_test(tcase, digests_are_those_of_the_tools, 0, N_SIZES);
    tcase_add_loop_test(tcase, libcrypto_and_we_encrypt_alike, 0, 8);
    if (have("openssl")) {
        tcase_add_loop_test(tcase, openssl_encrypts_alike, 0, 2);
        if (system("openssl mac -help >/dev/null 2>&1") == 0) // not in 1.1
            tcase_add_loop_test(tcase, openssl_authenticates_alike, 0, 2);
    }
    Suite *suite = suite_create("interoperability");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
