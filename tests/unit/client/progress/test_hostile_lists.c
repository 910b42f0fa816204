// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression and AES-GCM tasks on lists of buffers of all lengths, with inputs that are whole,
// cut short or changed, and with room that is enough or not. Whatever comes of it: nothing outside
// of the destination is written, and a task that fails leaves the lengths as they were.

#include "../dma/dma_rig.h"
#include "compress/codec.h"
#include "unit.h"

#include <doca_aes_gcm.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <lz4.h>
#include <openssl/evp.h>
#include <string.h>

#define ROUNDS     150
#define PLAIN_MAX  6000
#define MEMORY     (64 * 1024)
#define PIECES_MAX 7
#define UNTOUCHED  0xee

static struct doca_pe *pe;
static struct doca_compress *compress;
static struct doca_aes_gcm *gcm;
static struct doca_aes_gcm_key *key;
static bool over;
static doca_error_t status;
static uint8_t in[MEMORY], out[MEMORY];
static bool writable[MEMORY]; // of `out`
static struct doca_mmap in_map, out_map;
static uint8_t plain[PLAIN_MAX], packed[2 * PLAIN_MAX];
static size_t n_plain, n_packed;

static const uint8_t raw_key[32] = "thirty-two bytes, and not a more", iv[12] = "once only...";
#define AAD 13
#define TAG 16

#define CALLBACK(name, type)                                                                       \
    static void name(struct type *task, union doca_data data, union doca_data ctx_data)            \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        over = true;                                                                               \
        status = doca_task_get_status(type##_as_task(task));                                       \
    }

CALLBACK(deflated, doca_compress_task_compress_deflate)
CALLBACK(inflated, doca_compress_task_decompress_deflate)
CALLBACK(streamed, doca_compress_task_decompress_lz4_stream)
CALLBACK(unblocked, doca_compress_task_decompress_lz4_block)
CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
CALLBACK(decrypted, doca_aes_gcm_task_decrypt)

static void setup_tasks(void)
{
    setup(); // buffers come from there
    in_map = local_map(in, MEMORY);
    out_map = local_map(out, MEMORY);
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_compress_create(&fake_dev, &compress), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_create(&fake_dev, &gcm), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, doca_compress_as_ctx(compress)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, doca_aes_gcm_as_ctx(gcm)), DOCA_SUCCESS);
    doca_compress_task_compress_deflate_set_conf(compress, deflated, deflated, 1);
    doca_compress_task_decompress_deflate_set_conf(compress, inflated, inflated, 1);
    doca_compress_task_decompress_lz4_stream_set_conf(compress, streamed, streamed, 1);
    doca_compress_task_decompress_lz4_block_set_conf(compress, unblocked, unblocked, 1);
    doca_aes_gcm_task_encrypt_set_conf(gcm, encrypted, encrypted, 1);
    doca_aes_gcm_task_decrypt_set_conf(gcm, decrypted, decrypted, 1);
    ck_assert_int_eq(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &key),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(doca_compress_as_ctx(compress)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(doca_aes_gcm_as_ctx(gcm)), DOCA_SUCCESS);
}

static void teardown_tasks(void)
{
    ck_assert_int_eq(doca_ctx_stop(doca_compress_as_ctx(compress)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(doca_aes_gcm_as_ctx(gcm)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key), DOCA_SUCCESS);
    ck_assert_int_eq(doca_compress_destroy(compress), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_destroy(gcm), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    teardown();
}

// ---- chance -------------------------------------------------------------------------------------

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

static void make_plain(void)
{
    n_plain = 1 + below(PLAIN_MAX - 1);
    for (size_t i = 0; i < n_plain; i++)
        plain[i] = i > 40 && below(8) ? plain[i - 1 - below(40)] : (uint8_t)below(256);
}

// ---- lists --------------------------------------------------------------------------------------

struct list {
    struct doca_buf *bufs[PIECES_MAX];
    size_t lengths[PIECES_MAX]; // before the task
    unsigned n;
};

// Makes a list of some buffers, with `total` bytes of data, or room, in all. `appends`: the task
// writes behind the data of the destination, and not over it.
static struct list make_list(bool destination, bool appends, size_t total)
{
    struct list list = {.n = 1 + below(PIECES_MAX)};
    uint8_t *at = destination ? out : in;

    for (unsigned i = 0; i < list.n; i++) {
        size_t share = i + 1 < list.n ? below((uint32_t)total + 1) : total;
        size_t before = 1 + below(4), after = destination ? 0 : below(3);
        size_t data = destination ? below(4) : share;
        at += 1 + below(9);
        if (!appends && destination)
            data = data < share ? data : share;
        size_t length = before + (appends && destination ? data : 0) + share + after;
        struct doca_buf *buf = buffer(destination ? &out_map : &in_map, at, length, 0);
        buf->data = at + before;
        buf->data_len = data;
        list.bufs[i] = buf;
        list.lengths[i] = data;
        for (size_t b = 0; destination && b < share; b++)
            writable[at + length - 1 - b - out] = true;
        if (i)
            chain(list.bufs[0], buf);
        at += length;
        total -= share;
    }
    return list;
}

static void fill_source(const struct list *list, const uint8_t *bytes)
{
    for (unsigned i = 0; i < list->n; i++) {
        memcpy(list->bufs[i]->data, bytes, list->bufs[i]->data_len);
        bytes += list->bufs[i]->data_len;
    }
}

// Puts what the task has written together; returns its length.
static size_t gather(const struct list *list, bool appends, uint8_t *to)
{
    size_t n = 0;

    for (unsigned i = 0; i < list->n; i++) {
        size_t old = appends ? list->lengths[i] : 0;
        memcpy(to + n, (uint8_t *)list->bufs[i]->data + old, list->bufs[i]->data_len - old);
        n += list->bufs[i]->data_len - old;
    }
    return n;
}

// ---- one task -----------------------------------------------------------------------------------

enum kind { DEFLATE, INFLATE, LZ4_ALONE, LZ4_STREAM, ENCRYPT, DECRYPT, KINDS };

static struct doca_task *make_task(enum kind kind, const struct doca_buf *src, struct doca_buf *dst)
{
    union doca_data none = {.u64 = 0};
    union {
        struct doca_compress_task_compress_deflate *deflate;
        struct doca_compress_task_decompress_deflate *inflate;
        struct doca_compress_task_decompress_lz4_block *block;
        struct doca_compress_task_decompress_lz4_stream *stream;
        struct doca_aes_gcm_task_encrypt *encrypt;
        struct doca_aes_gcm_task_decrypt *decrypt;
    } task;

    switch (kind) {
    case DEFLATE:
        doca_compress_task_compress_deflate_alloc_init(compress, src, dst, none, &task.deflate);
        return doca_compress_task_compress_deflate_as_task(task.deflate);
    case INFLATE:
        doca_compress_task_decompress_deflate_alloc_init(compress, src, dst, none, &task.inflate);
        return doca_compress_task_decompress_deflate_as_task(task.inflate);
    case LZ4_ALONE:
        doca_compress_task_decompress_lz4_block_alloc_init(compress, src, dst, none, &task.block);
        return doca_compress_task_decompress_lz4_block_as_task(task.block);
    case LZ4_STREAM:
        doca_compress_task_decompress_lz4_stream_alloc_init(compress, 0, 1, src, dst, none,
                                                            &task.stream);
        return doca_compress_task_decompress_lz4_stream_as_task(task.stream);
    case ENCRYPT:
        doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, AAD, none,
                                             &task.encrypt);
        return doca_aes_gcm_task_encrypt_as_task(task.encrypt);
    default:
        doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, AAD, none,
                                             &task.decrypt);
        return doca_aes_gcm_task_decrypt_as_task(task.decrypt);
    }
}

static void run(enum kind kind, const struct list *src, const struct list *dst)
{
    struct doca_task *task = make_task(kind, src->bufs[0], dst->bufs[0]);

    over = false;
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    while (!over)
        doca_pe_progress(pe);
    doca_task_free(task);
}

// ---- inputs -------------------------------------------------------------------------------------

static size_t squeeze(enum codec_kind kind, const uint8_t *from, size_t n, uint8_t *to, size_t room)
{
    struct codec *codec = codec_new();
    struct codec_io io = {
        .in = from, .in_left = n, .out = to, .out_left = room, .last = true, .steady = true};

    codec_begin(codec, kind, 0);
    bool end = codec_step(codec, &io) == CODEC_END;
    codec_free(codec);
    return end ? room - io.out_left : 0;
}

static void seal(void)
{
    EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
    int n;

    memcpy(packed, plain, AAD);
    EVP_EncryptInit_ex(evp, EVP_aes_256_gcm(), NULL, raw_key, iv);
    EVP_EncryptUpdate(evp, NULL, &n, plain, AAD);
    EVP_EncryptUpdate(evp, packed + AAD, &n, plain + AAD, (int)n_plain - AAD);
    EVP_EncryptFinal_ex(evp, packed + n_plain, &n);
    EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_GCM_GET_TAG, TAG, packed + n_plain);
    EVP_CIPHER_CTX_free(evp);
    n_packed = n_plain + TAG;
}

// What is on the other side of the task that undoes this one.
static void make_packed(enum kind kind)
{
    size_t head = kind == LZ4_STREAM ? 4 : 0;

    make_plain();
    if (kind == INFLATE) {
        n_packed = squeeze(CODEC_DEFLATE, plain, n_plain, packed, sizeof(packed));
    } else if (kind == LZ4_ALONE || kind == LZ4_STREAM) {
        int n = LZ4_compress_default((char *)plain, (char *)packed + head, (int)n_plain,
                                     (int)(sizeof(packed) - head));
        if (head)
            memcpy(packed, (const uint8_t[]){(uint8_t)n, (uint8_t)(n >> 8), 0, 0}, 4);
        n_packed = (size_t)n + head;
    } else if (kind == ENCRYPT || kind == DECRYPT) {
        n_plain = n_plain < AAD ? AAD : n_plain;
        seal();
    }
}

// Cuts bytes off, or changes some. It says whether it did.
static bool damage(uint8_t *bytes, size_t *n)
{
    switch (below(4)) {
    case 0:
        *n -= below((uint32_t)*n);
        return true;
    case 1:
        for (unsigned i = below(4) + 1; i > 0; i--)
            bytes[below((uint32_t)*n)] ^= (uint8_t)(1 + below(255));
        return true;
    default:
        return false;
    }
}

// ---- what must be so ----------------------------------------------------------------------------

static bool may_fail_with(enum kind kind)
{
    if (kind >= ENCRYPT)
        return status == DOCA_ERROR_INVALID_VALUE ||
               (kind == DECRYPT && status == DOCA_ERROR_IO_FAILED);
    return status == DOCA_ERROR_FULL || status == DOCA_ERROR_IO_FAILED;
}

static void check_failure(enum kind kind, const struct list *dst)
{
    ck_assert_msg(may_fail_with(kind), "kind %d: %d", (int)kind, (int)status);
    for (unsigned i = 0; i < dst->n; i++)
        ck_assert_uint_eq(dst->bufs[i]->data_len, dst->lengths[i]);
    for (size_t i = 0; kind == DECRYPT && i < MEMORY; i++)
        if (out[i] != UNTOUCHED && out[i] != 0)
            ck_abort_msg("there is plain text at %zu", i);
}

static void check_result(enum kind kind, const struct list *dst, const uint8_t *expected, size_t n)
{
    static uint8_t result[MEMORY], again[MEMORY];
    size_t length = gather(dst, kind >= ENCRYPT, result);

    if (kind == DEFLATE) {
        ck_assert_uint_eq(squeeze(CODEC_INFLATE, result, length, again, MEMORY), n);
        ck_assert_mem_eq(again, expected, n);
        return;
    }
    ck_assert_uint_eq(length, n);
    ck_assert_mem_eq(result, expected, n);
}

static void try_one(enum kind kind)
{
    bool forward = kind == DEFLATE || kind == ENCRYPT;
    const uint8_t *source = forward ? plain : packed, *expected = forward ? packed : plain;

    make_packed(kind);
    size_t n = forward ? n_plain : n_packed, needed = forward ? n_packed : n_plain;
    if (kind == DEFLATE) { // how much it makes is not known
        expected = plain;
        needed = n_plain + n_plain / 8 + 64;
    }
    bool damaged = !forward && damage(packed, &n);
    size_t room = below(3) ? needed + below(20) : 1 + below((uint32_t)needed);
    memset(out, UNTOUCHED, MEMORY);
    memset(writable, 0, sizeof(writable));
    struct list src = make_list(false, false, n), dst = make_list(true, kind >= ENCRYPT, room);
    fill_source(&src, source);
    run(kind, &src, &dst);

    for (size_t i = 0; i < MEMORY; i++)
        if (!writable[i] && out[i] != UNTOUCHED)
            ck_abort_msg("a byte outside of the destination was written, at %zu", i);
    if (!damaged && room >= needed)
        ck_assert_int_eq(status, DOCA_SUCCESS);
    if (!damaged && room < needed && kind != DEFLATE)
        ck_assert_int_eq(status, kind >= ENCRYPT ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_FULL);
    if (kind == DECRYPT && damaged && n != n_packed)
        ck_assert_int_ne(status, DOCA_SUCCESS);
    if (status != DOCA_SUCCESS)
        check_failure(kind, &dst);
    else if (!damaged)
        check_result(kind, &dst, expected, forward && kind == DEFLATE ? n_plain : needed);
    drop(src.bufs[0]);
    drop(dst.bufs[0]);
}

START_TEST(lists_of_all_kinds)
{
    seed = (uint32_t)_i * 7919 + 1;
    for (unsigned round = 0; round < ROUNDS; round++)
        try_one((enum kind)_i);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("hostile_lists");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    tcase_add_loop_test(tcase, lists_of_all_kinds, 0, KINDS);
    return unit_run_case("hostile_lists", tcase);
}
