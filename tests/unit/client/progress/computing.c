// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "computing.h"

#include "unit.h"

#include <doca_aes_gcm.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_sha.h>

void (*computing_over)(struct doca_task *task);

#define OK(call)  ck_assert_int_eq((call), DOCA_SUCCESS)
#define NO_DATA   ((union doca_data){0})
#define LOG_TASKS 2
#define GCM_TAG   16
#define EC_N_DATA 4
#define EC_N_RDNC 2

_Static_assert(1 << LOG_TASKS == COMPUTING_TASKS, "SHA takes the logarithm");

#define CALLBACK(name, type)                                                                       \
    static void name(struct type *task, union doca_data data, union doca_data ctx_data)            \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        computing_over(type##_as_task(task));                                                      \
    }

// ---- compression -------------------------------------------------------------------------

static struct doca_compress *compress;

CALLBACK(deflated, doca_compress_task_compress_deflate)
CALLBACK(inflated, doca_compress_task_decompress_deflate)

static struct doca_ctx *compress_open(void)
{
    OK(doca_compress_create(&fake_dev, &compress));
    OK(doca_compress_task_compress_deflate_set_conf(compress, deflated, deflated, COMPUTING_TASKS));
    OK(doca_compress_task_decompress_deflate_set_conf(compress, inflated, inflated,
                                                      COMPUTING_TASKS));
    return doca_compress_as_ctx(compress);
}

static doca_error_t compress_close(void)
{
    return doca_compress_destroy(compress);
}

static struct doca_task *deflate_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_compress_task_compress_deflate *task;
    OK(doca_compress_task_compress_deflate_alloc_init(compress, src, dst, NO_DATA, &task));
    return doca_compress_task_compress_deflate_as_task(task);
}

static struct doca_task *inflate_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_compress_task_decompress_deflate *task;
    OK(doca_compress_task_decompress_deflate_alloc_init(compress, src, dst, NO_DATA, &task));
    return doca_compress_task_decompress_deflate_as_task(task);
}

// ---- SHA ---------------------------------------------------------------------------------

static struct doca_sha *sha;

CALLBACK(hashed, doca_sha_task_hash)
CALLBACK(part_hashed, doca_sha_task_partial_hash)

static struct doca_ctx *sha_open(void)
{
    OK(doca_sha_create(&fake_dev, &sha));
    OK(doca_sha_task_hash_set_conf(sha, hashed, hashed, LOG_TASKS));
    OK(doca_sha_task_partial_hash_set_conf(sha, part_hashed, part_hashed, LOG_TASKS));
    return doca_sha_as_ctx(sha);
}

static doca_error_t sha_close(void)
{
    return doca_sha_destroy(sha);
}

static struct doca_task *hash_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_sha_task_hash *task;
    OK(doca_sha_task_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA256, src, dst, NO_DATA, &task));
    return doca_sha_task_hash_as_task(task);
}

// The first part of a message: it writes nothing.
static struct doca_task *part_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_sha_task_partial_hash *task;
    OK(doca_sha_task_partial_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA512, src, dst, NO_DATA,
                                             &task));
    return doca_sha_task_partial_hash_as_task(task);
}

// ---- AES-GCM -----------------------------------------------------------------------------

static struct doca_aes_gcm *gcm;
static struct doca_aes_gcm_key *key;
static const uint8_t raw_key[32] = {3, 1, 4, 1, 5}, iv[12] = {2, 7, 1};

CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
CALLBACK(decrypted, doca_aes_gcm_task_decrypt)

static struct doca_ctx *gcm_open(void)
{
    OK(doca_aes_gcm_create(&fake_dev, &gcm));
    OK(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypted, encrypted, COMPUTING_TASKS));
    OK(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypted, decrypted, COMPUTING_TASKS));
    return doca_aes_gcm_as_ctx(gcm);
}

static void gcm_begin(void)
{
    OK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &key));
}

static void gcm_end(void)
{
    OK(doca_aes_gcm_key_destroy(key));
}

static doca_error_t gcm_close(void)
{
    return doca_aes_gcm_destroy(gcm);
}

static struct doca_task *encrypt_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_aes_gcm_task_encrypt *task;
    OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), GCM_TAG, 40,
                                            NO_DATA, &task));
    return doca_aes_gcm_task_encrypt_as_task(task);
}

static struct doca_task *decrypt_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_aes_gcm_task_decrypt *task;
    OK(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), GCM_TAG, 40,
                                            NO_DATA, &task));
    return doca_aes_gcm_task_decrypt_as_task(task);
}

// ---- erasure codes -----------------------------------------------------------------------

static struct doca_ec *ec;
static struct doca_ec_matrix *matrix;

CALLBACK(made, doca_ec_task_create)
CALLBACK(multiplied, doca_ec_task_galois_mul)

static struct doca_ctx *ec_open(void)
{
    OK(doca_ec_create(&fake_dev, &ec));
    OK(doca_ec_task_create_set_conf(ec, made, made, COMPUTING_TASKS));
    OK(doca_ec_task_galois_mul_set_conf(ec, multiplied, multiplied, COMPUTING_TASKS));
    return doca_ec_as_ctx(ec);
}

static void ec_begin(void)
{
    OK(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, EC_N_DATA, EC_N_RDNC, &matrix));
}

static void ec_end(void)
{
    OK(doca_ec_matrix_destroy(matrix));
}

static doca_error_t ec_close(void)
{
    return doca_ec_destroy(ec);
}

static struct doca_task *create_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_ec_task_create *task;
    OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, NO_DATA, &task));
    return doca_ec_task_create_as_task(task);
}

static struct doca_task *multiply_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_ec_task_galois_mul *task;
    OK(doca_ec_task_galois_mul_allocate_init(ec, matrix, src, dst, NO_DATA, &task));
    return doca_ec_task_galois_mul_as_task(task);
}

// ---- DMA ---------------------------------------------------------------------------------

static struct doca_dma *copier;

CALLBACK(copied, doca_dma_task_memcpy)

static struct doca_ctx *dma_open(void)
{
    OK(doca_dma_create(&fake_dev, &copier));
    OK(doca_dma_task_memcpy_set_conf(copier, copied, copied, COMPUTING_TASKS));
    return doca_dma_as_ctx(copier);
}

static doca_error_t dma_close(void)
{
    return doca_dma_destroy(copier);
}

static struct doca_task *copy_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_dma_task_memcpy *task;
    OK(doca_dma_task_memcpy_alloc_init(copier, src, dst, NO_DATA, &task));
    return doca_dma_task_memcpy_as_task(task);
}

const struct computing copying = {"memcpy", .open = dma_open, .close = dma_close,
                                  .task = copy_task};

// ------------------------------------------------------------------------------------------

#define COMPRESS .open = compress_open, .close = compress_close
#define SHA      .open = sha_open, .close = sha_close
#define GCM      .open = gcm_open, .close = gcm_close, .begin = gcm_begin, .end = gcm_end
#define EC       .open = ec_open, .close = ec_close, .begin = ec_begin, .end = ec_end

const struct computing computing[] = {
    {"deflate", .task = deflate_task, COMPRESS},
    {"inflate", .task = inflate_task, .input = &computing[0], COMPRESS},
    {"hash", .task = hash_task, SHA},
    {"partial hash", .task = part_task, SHA},
    {"encrypt", .task = encrypt_task, GCM},
    {"decrypt", .task = decrypt_task, .input = &computing[4], GCM},
    {"create", .task = create_task, EC},
    {"galois_mul", .task = multiply_task, EC},
};
const int n_computing = sizeof(computing) / sizeof(computing[0]);
