// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of the computing libraries: lists of buffers on both sides, in memory of the process or of
// an import, mapped or brokered, which may be revoked meanwhile; any lengths and parameters;
// sources that are whole, changed or cut short. A step is one task, and may read what the last one
// wrote.
//
// Whatever comes of it: each task ends, nothing outside of the destination is written, and one that
// fails leaves the lengths as they were. What undoes the last task gives back its source. Messages
// are those that libcrypto makes, and one that is not authentic gives no plain text. Memory of the
// process is allocated to the byte, so that the sanitizer sees what is read or written beside it.

#include "buf/buf.h"
#include "fake_core.h"
#include "input.h"
#include "queue/broker.h"
#include "workers/workers.h"

#include <doca_aes_gcm.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_sha.h>
#include <lz4.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MAX 8192
#define ROOM_MAX   32768
#define AREA       (ROOM_MAX + 4096)
#define PIECES_MAX 8
#define UNTOUCHED  0xee
#define TURNS_MAX  100000
#define SHIFT      ((ptrdiff_t)1 << 40)

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)
#define OK(call) MUST((call) == DOCA_SUCCESS)

enum kind {
    DEFLATE,
    INFLATE,
    LZ4_ALONE,
    LZ4_STREAM,
    HASH,
    PARTS,
    ENCRYPT,
    DECRYPT,
    CREATE,
    RECOVER,
    UPDATE,
    MULTIPLY,
    KINDS,
};

// How memory is reached.
enum place { OWN, IMPORTED, BROKERED, BROKERED_ENDS, PLACES };

static struct doca_pe *pe;
static struct doca_buf_inventory *inventory;
static struct doca_compress *compress;
static struct doca_sha *sha;
static struct doca_aes_gcm *gcm;
static struct doca_aes_gcm_key *keys[2];
static const uint8_t raw_key[32] = "thirty-two bytes, and not a more";
static struct doca_ec *ec;
static uint8_t areas[2][AREA]; // of sources, of destinations
static struct doca_mmap imports[2][PLACES];

static bool over, verbose;
static doca_error_t status;

// The last task that was done.
static struct {
    bool valid;
    enum kind kind;
    uint8_t parameters; // of AES-GCM
    uint8_t source[SOURCE_MAX], result[ROOM_MAX];
    size_t n_source, n_result;
} last;

// ---- the libraries ---------------------------------------------------------------------------

#define CALLBACK(name, type)                                                                       \
    static void name(struct type *task, union doca_data data, union doca_data ctx_data)            \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        MUST(!over);                                                                               \
        over = true;                                                                               \
        status = doca_task_get_status(type##_as_task(task));                                       \
    }

CALLBACK(deflated, doca_compress_task_compress_deflate)
CALLBACK(inflated, doca_compress_task_decompress_deflate)
CALLBACK(streamed, doca_compress_task_decompress_lz4_stream)
CALLBACK(unblocked, doca_compress_task_decompress_lz4_block)
CALLBACK(hashed, doca_sha_task_hash)
CALLBACK(part_hashed, doca_sha_task_partial_hash)
CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
CALLBACK(decrypted, doca_aes_gcm_task_decrypt)
CALLBACK(created, doca_ec_task_create)
CALLBACK(recovered, doca_ec_task_recover)
CALLBACK(updated, doca_ec_task_update)
CALLBACK(multiplied, doca_ec_task_galois_mul)

static void start(struct doca_ctx *ctx)
{
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
}

static void make_imports(unsigned side)
{
    static const uint8_t node[NODE_ID_SIZE] = "owner";
    struct errtext err;

    for (enum place place = IMPORTED; place < PLACES; place++) {
        struct doca_mmap *map = &imports[side][place];
        fake_import(map, areas[side], AREA, ACCESS_DPU_READ_WRITE, SHIFT);
        map->memory.grant_key = 5;
        OK(broker_node_get(fake_session, node, &map->memory.broker, &err));
        fake_part(map, 0, place == IMPORTED);
        if (place == BROKERED_ENDS) {
            fake_part(map, 1000, true);
            fake_part(map, AREA - 1000, false);
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    verbose = getenv("FUZZ_VERBOSE");
    if (!verbose)
        doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE);
    workers_set_most(0);
    OK(doca_pe_create(&pe));
    OK(doca_buf_inventory_create(2 * PIECES_MAX + 2, &inventory));
    OK(doca_buf_inventory_start(inventory));
    OK(doca_compress_create(&fake_dev, &compress));
    OK(doca_compress_task_compress_deflate_set_conf(compress, deflated, deflated, 1));
    OK(doca_compress_task_decompress_deflate_set_conf(compress, inflated, inflated, 1));
    OK(doca_compress_task_decompress_lz4_stream_set_conf(compress, streamed, streamed, 1));
    OK(doca_compress_task_decompress_lz4_block_set_conf(compress, unblocked, unblocked, 1));
    start(doca_compress_as_ctx(compress));
    OK(doca_sha_create(&fake_dev, &sha));
    OK(doca_sha_task_hash_set_conf(sha, hashed, hashed, 0));
    OK(doca_sha_task_partial_hash_set_conf(sha, part_hashed, part_hashed, 0));
    start(doca_sha_as_ctx(sha));
    OK(doca_aes_gcm_create(&fake_dev, &gcm));
    OK(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypted, encrypted, 1));
    OK(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypted, decrypted, 1));
    OK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &keys[0]));
    OK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &keys[1]));
    start(doca_aes_gcm_as_ctx(gcm));
    OK(doca_ec_create(&fake_dev, &ec));
    OK(doca_ec_task_create_set_conf(ec, created, created, 1));
    OK(doca_ec_task_recover_set_conf(ec, recovered, recovered, 1));
    OK(doca_ec_task_update_set_conf(ec, updated, updated, 1));
    OK(doca_ec_task_galois_mul_set_conf(ec, multiplied, multiplied, 1));
    start(doca_ec_as_ctx(ec));
    make_imports(0);
    make_imports(1);
    return 0;
}

// ---- lists -----------------------------------------------------------------------------------

struct piece {
    struct doca_buf *buf;
    struct doca_mmap map;     // of memory of the process
    uint8_t *own, *at;        // what was allocated, or NULL; the buffer as it lies here
    size_t length, data;      // of the buffer; where its data begins
    size_t was_len, data_len; // its length before and after the task
};

struct pieces {
    struct piece pieces[PIECES_MAX];
    unsigned n;
    enum place place;
};

static void add_piece(struct pieces *list, unsigned side, uint8_t **cursor, size_t before,
                      size_t data_len, size_t room)
{
    struct piece *piece = &list->pieces[list->n++];
    struct doca_mmap *map = &imports[side][list->place];
    uint8_t *there;

    *piece = (struct piece){.length = before + data_len + room, .data = before};
    piece->length += !piece->length; // no buffer is empty
    if (list->place == OWN) {
        piece->at = piece->own = malloc(piece->length);
        MUST(piece->own);
        there = piece->at;
        piece->map = fake_map(there, piece->length, ACCESS_LOCAL_READ_WRITE);
        map = &piece->map;
    } else {
        piece->at = *cursor;
        *cursor += piece->length + 1;
        piece->at[-1] = piece->at[piece->length] = UNTOUCHED;
        there = piece->at + SHIFT;
    }
    memset(piece->at, UNTOUCHED, piece->length);
    piece->was_len = data_len;
    OK(doca_buf_inventory_buf_get_by_args(inventory, map, there, piece->length, there + before,
                                          data_len, &piece->buf));
    if (list->n > 1)
        OK(doca_buf_chain_list(list->pieces[0].buf, piece->buf));
}

// A list with this much data (a source), or room (a destination), in all.
static void make_list(struct pieces *list, unsigned side, size_t total, struct input *in)
{
    uint8_t how = input_u8(in), *cursor = areas[side] + 960;
    unsigned n = 1 + how % PIECES_MAX;

    list->n = 0;
    list->place = (enum place)(how / PIECES_MAX % PLACES);
    for (unsigned i = 0; i < n; i++) {
        uint8_t cut = n > 1 ? input_u8(in) : 0;
        size_t share = i + 1 == n ? total : total * (cut & 63) / 64;
        size_t before = cut >> 6, filled = side == 1 && how & 0x40 ? cut >> 6 : 0;
        total -= share;
        if (side == 0)
            add_piece(list, side, &cursor, before, share, 0);
        else
            add_piece(list, side, &cursor, before, filled, share);
    }
}

static void fill_list(const struct pieces *list, const uint8_t *bytes)
{
    for (unsigned i = 0; i < list->n; i++) {
        const struct piece *piece = &list->pieces[i];
        memcpy(piece->at + piece->data, bytes, piece->was_len);
        bytes += piece->was_len;
    }
}

static void end_list(struct pieces *list)
{
    OK(doca_buf_dec_refcount(list->pieces[0].buf, NULL)); // and all that are chained to it
    for (unsigned i = 0; i < list->n; i++)
        free(list->pieces[i].own);
}

static bool is_all(const uint8_t *bytes, size_t n, uint8_t a, uint8_t b)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != a && bytes[i] != b)
            return false;
    return true;
}

// ---- sources ---------------------------------------------------------------------------------

struct source {
    uint8_t bytes[SOURCE_MAX];
    size_t n;
    bool is_last; // what the last task wrote, unchanged
};

static size_t pack_lz4(const uint8_t *plain, size_t n, uint8_t *to, size_t room)
{
    return (size_t)LZ4_compress_default((const char *)plain, (char *)to, (int)n, (int)room);
}

static void make_source(struct source *source, uint8_t from, const uint8_t *bytes, size_t n_bytes,
                        size_t n)
{
    static uint8_t plain[SOURCE_MAX];

    for (size_t i = 0; i < n; i++)
        plain[i] = n_bytes ? (uint8_t)(bytes[i % n_bytes] + (i / n_bytes >> 3)) : 0;
    source->is_last = from == 0 && last.valid && last.n_result <= SOURCE_MAX;
    if (source->is_last) {
        source->n = last.n_result;
        memcpy(source->bytes, last.result, source->n);
    } else if (from < 2) {
        source->n = n_bytes;
        memcpy(source->bytes, bytes, n_bytes);
    } else if (from == 2) {
        source->n = n;
        memcpy(source->bytes, plain, n);
    } else if (from == 3) {
        source->n = pack_lz4(plain, n, source->bytes, SOURCE_MAX);
    } else { // a stream of two blocks, and its end
        size_t half = n / 2, at = 0;
        for (unsigned i = 0; i < 2; i++) {
            size_t size =
                pack_lz4(plain + i * half, half, source->bytes + at + 4, SOURCE_MAX / 2 - 8);
            uint32_t word = (uint32_t)size;
            memcpy(source->bytes + at, &word, 4);
            at += 4 + size;
        }
        memset(source->bytes + at, 0, 4);
        source->n = at + 4;
    }
}

static void change_source(struct source *source, struct input *in, uint8_t how)
{
    static uint8_t before[SOURCE_MAX];
    size_t n = source->n;

    memcpy(before, source->bytes, n);
    for (unsigned i = how & 3; i > 0 && source->n; i--) {
        size_t at = input_u16(in) % source->n;
        source->bytes[at] ^= input_u8(in);
    }
    if (how & 4)
        source->n -= input_u16(in) % (source->n + 1);
    if (source->n != n || memcmp(before, source->bytes, n) != 0)
        source->is_last = false;
}

// ---- tasks -----------------------------------------------------------------------------------

struct parameters {
    uint8_t small; // what programs choose
    uint8_t iv[16];
    uint32_t iv_length, tag_size, aad_size;
    struct doca_ec_matrix *coding, *other;
};

static void make_matrices(enum kind kind, struct input *in, struct parameters *p)
{
    uint8_t counts = input_u8(in), n = input_u8(in);
    size_t n_data = 1 + (counts & 7), n_rdnc = 1 + (counts >> 3 & 7);
    uint32_t indices[4];

    for (unsigned i = 0; i < 4; i++)
        indices[i] = input_u8(in) % 20u;
    if (n & 0x80) {
        uint8_t raw[64];
        input_bytes(in, raw, sizeof(raw));
        (void)doca_ec_matrix_create_from_raw(ec, raw, n_data, n_rdnc, &p->coding);
    } else {
        (void)doca_ec_matrix_create(
            ec, counts & 0x40 ? DOCA_EC_MATRIX_TYPE_VANDERMONDE : DOCA_EC_MATRIX_TYPE_CAUCHY,
            n_data, n_rdnc, &p->coding);
    }
    if (p->coding && kind == RECOVER)
        (void)doca_ec_matrix_create_recover(ec, p->coding, indices, n % 5u, &p->other);
    if (p->coding && kind == UPDATE)
        (void)doca_ec_matrix_create_update(ec, p->coding, indices, n % 5u, &p->other);
}

static void make_parameters(enum kind kind, struct input *in, struct parameters *p)
{
    *p = (struct parameters){.small = input_u8(in)};
    if (kind == ENCRYPT || kind == DECRYPT) {
        memset(p->iv, p->small, sizeof(p->iv));
        p->iv_length = 12;
        p->tag_size = p->small & 2 ? 12 : 16;
        p->aad_size = p->small & 4 ? 13 : 0;
        if (p->small & 0x80) {
            p->iv_length = (uint32_t)input_odd(in);
            p->tag_size = (uint32_t)input_odd(in);
            p->aad_size = (uint32_t)input_odd(in);
        }
    } else if (kind >= CREATE) {
        make_matrices(kind, in, p);
    }
}

static void end_parameters(struct parameters *p)
{
    if (p->other)
        OK(doca_ec_matrix_destroy(p->other));
    if (p->coding)
        OK(doca_ec_matrix_destroy(p->coding));
}

static struct doca_task *make_ec_task(enum kind kind, const struct parameters *p,
                                      const struct doca_buf *src, struct doca_buf *dst)
{
    const struct doca_ec_matrix *matrix = p->other ? p->other : p->coding;
    union doca_data none = {.u64 = 0};
    union {
        struct doca_ec_task_create *create;
        struct doca_ec_task_recover *recover;
        struct doca_ec_task_update *update;
        struct doca_ec_task_galois_mul *multiply;
    } task;

    switch (kind) {
    case CREATE:
        OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, none, &task.create));
        return doca_ec_task_create_as_task(task.create);
    case RECOVER:
        OK(doca_ec_task_recover_allocate_init(ec, matrix, src, dst, none, &task.recover));
        return doca_ec_task_recover_as_task(task.recover);
    case UPDATE:
        OK(doca_ec_task_update_allocate_init(ec, matrix, src, dst, none, &task.update));
        return doca_ec_task_update_as_task(task.update);
    default:
        OK(doca_ec_task_galois_mul_allocate_init(ec, matrix, src, dst, none, &task.multiply));
        return doca_ec_task_galois_mul_as_task(task.multiply);
    }
}

static struct doca_task *make_task(enum kind kind, const struct parameters *p,
                                   const struct doca_buf *src, struct doca_buf *dst)
{
    union doca_data none = {.u64 = 0};
    union {
        struct doca_compress_task_compress_deflate *deflate;
        struct doca_compress_task_decompress_deflate *inflate;
        struct doca_compress_task_decompress_lz4_block *block;
        struct doca_compress_task_decompress_lz4_stream *stream;
        struct doca_sha_task_hash *hash;
        struct doca_sha_task_partial_hash *part;
        struct doca_aes_gcm_task_encrypt *encrypt;
        struct doca_aes_gcm_task_decrypt *decrypt;
    } task;

    switch (kind) {
    case DEFLATE:
        OK(doca_compress_task_compress_deflate_alloc_init(compress, src, dst, none, &task.deflate));
        return doca_compress_task_compress_deflate_as_task(task.deflate);
    case INFLATE:
        OK(doca_compress_task_decompress_deflate_alloc_init(compress, src, dst, none,
                                                            &task.inflate));
        return doca_compress_task_decompress_deflate_as_task(task.inflate);
    case LZ4_ALONE:
        OK(doca_compress_task_decompress_lz4_block_alloc_init(compress, src, dst, none,
                                                              &task.block));
        return doca_compress_task_decompress_lz4_block_as_task(task.block);
    case LZ4_STREAM:
        OK(doca_compress_task_decompress_lz4_stream_alloc_init(
            compress, p->small & 1, !(p->small & 2), src, dst, none, &task.stream));
        return doca_compress_task_decompress_lz4_stream_as_task(task.stream);
    case HASH:
        OK(doca_sha_task_hash_alloc_init(sha, (enum doca_sha_algorithm)(p->small % 3), src, dst,
                                         none, &task.hash));
        return doca_sha_task_hash_as_task(task.hash);
    case PARTS:
        OK(doca_sha_task_partial_hash_alloc_init(sha, (enum doca_sha_algorithm)(p->small % 3), src,
                                                 dst, none, &task.part));
        return doca_sha_task_partial_hash_as_task(task.part);
    case ENCRYPT:
        OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, keys[p->small & 1], p->iv,
                                                p->iv_length, p->tag_size, p->aad_size, none,
                                                &task.encrypt));
        return doca_aes_gcm_task_encrypt_as_task(task.encrypt);
    case DECRYPT:
        OK(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, keys[p->small & 1], p->iv,
                                                p->iv_length, p->tag_size, p->aad_size, none,
                                                &task.decrypt));
        return doca_aes_gcm_task_decrypt_as_task(task.decrypt);
    default:
        return make_ec_task(kind, p, src, dst);
    }
}

static void serve(uint32_t answer)
{
    for (unsigned i = 0; i < fake_engines_made; i++)
        if (fake_engines[i].open)
            fake_serve(&fake_engines[i], SHIFT, 1, answer);
}

// What happens meanwhile.
#define REVOKED      1
#define ENGINE_FAILS 2

static void run(struct doca_task *task, uint8_t meanwhile, uint64_t import_id)
{
    over = false;
    OK(doca_task_submit(task));
    for (unsigned turn = 0; !over; turn++) {
        MUST(turn < TURNS_MAX);
        if (meanwhile & REVOKED && turn == meanwhile >> 2)
            fake_set_state(import_id, SLOT_REVOKED);
        if (!doca_pe_progress(pe))
            serve(meanwhile & ENGINE_FAILS && turn >= meanwhile >> 2 ? DOCA_ERROR_IO_FAILED
                                                                     : DOCA_SUCCESS);
    }
    if (meanwhile & REVOKED)
        fake_set_state(import_id, SLOT_LIVE);
}

// ---- what must be ----------------------------------------------------------------------------

static bool appends(enum kind kind)
{
    return kind == ENCRYPT || kind == DECRYPT || kind >= CREATE;
}

static void check_lengths(struct pieces *dst)
{
    for (unsigned i = 0; i < dst->n; i++) {
        struct piece *piece = &dst->pieces[i];
        OK(doca_buf_get_data_len(piece->buf, &piece->data_len));
        MUST(piece->data_len <= piece->length - piece->data);
        MUST(status == DOCA_SUCCESS || piece->data_len == piece->was_len);
    }
}

// `checked`: nothing but the message itself can have made the task fail.
static void check_memory(enum kind kind, const struct pieces *dst, bool checked)
{
    for (unsigned i = 0; i < dst->n; i++) {
        const struct piece *piece = &dst->pieces[i];
        size_t kept = piece->data + (appends(kind) ? piece->was_len : 0);
        MUST(is_all(piece->at, kept, UNTOUCHED, UNTOUCHED));
        if (dst->place != OWN) // one byte lies between two buffers
            MUST(piece->at[piece->length] == UNTOUCHED && piece->at[-1] == UNTOUCHED);
        if (kind == DECRYPT && status == DOCA_ERROR_IO_FAILED && checked)
            MUST(is_all(piece->at, piece->length, 0, UNTOUCHED));
    }
}

static size_t gather(enum kind kind, const struct pieces *dst, uint8_t *to)
{
    size_t n = 0;

    for (unsigned i = 0; i < dst->n; i++) {
        const struct piece *piece = &dst->pieces[i];
        size_t old = appends(kind) ? piece->was_len : 0;
        memcpy(to + n, piece->at + piece->data + old, piece->data_len - old);
        n += piece->data_len - old;
    }
    return n;
}

// Says whether libcrypto makes this message of this text.
static bool is_sealed(const struct parameters *p, const uint8_t *plain, size_t n,
                      const uint8_t *message, size_t n_message)
{
    static uint8_t made[ROOM_MAX + 16];
    EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
    int text = (int)n - (int)p->aad_size, done;

    MUST(text >= 0 && n_message == n + p->tag_size);
    MUST(EVP_EncryptInit_ex(evp, p->small & 1 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL, NULL,
                            NULL) == 1);
    MUST(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_IVLEN, (int)p->iv_length, NULL) == 1);
    MUST(EVP_EncryptInit_ex(evp, NULL, NULL, raw_key, p->iv) == 1);
    memcpy(made, plain, p->aad_size);
    if (p->aad_size)
        MUST(EVP_EncryptUpdate(evp, NULL, &done, plain, (int)p->aad_size) == 1);
    if (text)
        MUST(EVP_EncryptUpdate(evp, made + p->aad_size, &done, plain + p->aad_size, text) == 1);
    MUST(EVP_EncryptFinal_ex(evp, made + n, &done) == 1);
    MUST(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, (int)p->tag_size, made + n) == 1);
    EVP_CIPHER_CTX_free(evp);
    return memcmp(made, message, n_message) == 0;
}

// Says whether this task undoes the last one.
static bool undoes(enum kind kind, const struct source *source, uint8_t parameters)
{
    if (!source->is_last)
        return false;
    if (kind == DECRYPT)
        return last.kind == ENCRYPT && last.parameters == parameters && !(parameters & 0x80);
    return kind == INFLATE && last.kind == DEFLATE;
}

static void check_result(enum kind kind, const struct parameters *p, const struct source *source,
                         struct pieces *dst, size_t room, bool undisturbed)
{
    static uint8_t result[ROOM_MAX];

    if (verbose)
        fprintf(stderr, "task %d (%#x): source %zu%s, room %zu: %s\n", kind, p->small, source->n,
                source->is_last ? " (the last result)" : "", room, doca_error_get_name(status));
    check_lengths(dst);
    check_memory(kind, dst, undisturbed);
    bool back = undoes(kind, source, p->small);
    if (status != DOCA_SUCCESS) {
        MUST(!back || !undisturbed || room < last.n_source);
        return;
    }
    size_t n = gather(kind, dst, result);
    MUST(n <= room + (size_t)4 * PIECES_MAX);
    if (back)
        MUST(n == last.n_source && memcmp(result, last.source, n) == 0);
    if (kind == ENCRYPT)
        MUST(is_sealed(p, source->bytes, source->n, result, n));
    if (kind == DECRYPT)
        MUST(is_sealed(p, result, n, source->bytes, source->n));
    last.valid = true;
    last.kind = kind;
    last.parameters = p->small;
    last.n_source = source->n;
    memcpy(last.source, source->bytes, source->n);
    last.n_result = n;
    memcpy(last.result, result, n);
}

// ---- a step ----------------------------------------------------------------------------------

static struct input take(struct input *in, size_t n)
{
    struct input taken = {in->at, n < in->left ? n : in->left};

    in->at += taken.left;
    in->left -= taken.left;
    return taken;
}

static void step(enum kind kind, struct input *in)
{
    static struct source source;
    static struct pieces src, dst;
    struct parameters p;
    uint8_t from = input_u8(in), how = input_u8(in), meanwhile = input_u8(in);
    size_t n = input_u16(in) % (SOURCE_MAX / 2), room = input_u16(in) % ROOM_MAX;

    if (room == 0)
        room = ROOM_MAX - 64;
    make_parameters(kind, in, &p);
    // One after the other, so that the bytes of the source are the rest.
    struct input lists = take(in, how & 8 ? 2 * PIECES_MAX : 2);
    struct input changes = take(in, how & 7 ? 9 : 0);
    make_source(&source, from % 5, in->at, in->left, n);
    change_source(&source, &changes, how & 7);
    make_list(&src, 0, source.n, &lists);
    make_list(&dst, 1, room, &lists);
    fill_list(&src, source.bytes);

    struct doca_task *task = make_task(kind, &p, how & 0x10 ? NULL : src.pieces[0].buf,
                                       how & 0x20 ? NULL : dst.pieces[0].buf);
    run(task, meanwhile, imports[how >> 6 & 1][1 + (how >> 7)].memory.import_id);
    check_result(kind, &p, &source, &dst, room, !meanwhile && !(how & 0x30));
    doca_task_free(task);
    end_parameters(&p);
    end_list(&src);
    end_list(&dst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, next;
    uint8_t what;

    last.valid = false;
    for (unsigned steps = 0; steps < 16 && input_step(&in, &what, &next); steps++)
        step((enum kind)(what % KINDS), &next);
    return 0;
}
