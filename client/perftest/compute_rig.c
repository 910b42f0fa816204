// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "compute_rig.h"

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
#include <poll.h>
#include <stdlib.h>
#include <string.h>

const uint8_t compute_key[32] = {1, 2, 3}, compute_iv[12] = {4, 5};

struct compute_rig {
    enum compute_kind kind;
    struct doca_pe *pe;
    int handle;
    struct doca_ctx *ctx;
    bool started;
    union {
        struct doca_compress *compress;
        struct doca_ec *ec;
        struct doca_aes_gcm *gcm;
        struct doca_sha *sha;
    };
    struct doca_ec_matrix *coding, *recovery;
    struct doca_aes_gcm_key *key;
    struct doca_mmap *in_map, *out_map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *in, *out[COMPUTE_IN_FLIGHT_MAX];
    uint8_t *room;
    size_t room_size;
    struct doca_task *tasks[COMPUTE_IN_FLIGHT_MAX];
    unsigned free[COMPUTE_IN_FLIGHT_MAX], n_free;
    doca_error_t failure;
};

// ---- completions -------------------------------------------------------------------------

static void over(struct doca_task *task, union doca_data number, union doca_data data)
{
    struct compute_rig *rig = data.ptr;

    if (rig->failure == DOCA_SUCCESS)
        rig->failure = doca_task_get_status(task);
    rig->free[rig->n_free++] = (unsigned)number.u64;
}

#define OVER(name, type)                                                                           \
    static void name##_over(struct type *task, union doca_data number, union doca_data data)       \
    {                                                                                              \
        over(type##_as_task(task), number, data);                                                  \
    }

OVER(deflate, doca_compress_task_compress_deflate)
OVER(inflate, doca_compress_task_decompress_deflate)
OVER(lz4, doca_compress_task_decompress_lz4_block)
OVER(create, doca_ec_task_create)
OVER(recover, doca_ec_task_recover)
OVER(gcm, doca_aes_gcm_task_encrypt)
OVER(sha, doca_sha_task_hash)

// ---- libraries ---------------------------------------------------------------------------

static doca_error_t supported(enum compute_kind kind, const struct doca_devinfo *info)
{
    switch (kind) {
    case COMPUTE_DEFLATE:
        return doca_compress_cap_task_compress_deflate_is_supported(info);
    case COMPUTE_INFLATE:
        return doca_compress_cap_task_decompress_deflate_is_supported(info);
    case COMPUTE_LZ4:
        return doca_compress_cap_task_decompress_lz4_block_is_supported(info);
    case COMPUTE_EC_CREATE:
    case COMPUTE_EC_RECOVER:
        return doca_ec_cap_task_create_is_supported(info);
    default:
        return DOCA_SUCCESS;
    }
}

static bool make_compress(struct compute_rig *rig, struct doca_dev *dev, struct problem *problem)
{
    const uint32_t n = COMPUTE_IN_FLIGHT_MAX;

    DOCA_TRY(problem, doca_compress_create, dev, &rig->compress);
    rig->ctx = doca_compress_as_ctx(rig->compress);
    if (rig->kind == COMPUTE_DEFLATE)
        DOCA_TRY(problem, doca_compress_task_compress_deflate_set_conf, rig->compress, deflate_over,
                 deflate_over, n);
    else if (rig->kind == COMPUTE_INFLATE)
        DOCA_TRY(problem, doca_compress_task_decompress_deflate_set_conf, rig->compress,
                 inflate_over, inflate_over, n);
    else
        DOCA_TRY(problem, doca_compress_task_decompress_lz4_block_set_conf, rig->compress, lz4_over,
                 lz4_over, n);
    return true;
}

static bool make_ec(struct compute_rig *rig, struct doca_dev *dev, struct problem *problem)
{
    uint32_t missing[COMPUTE_RDNC];

    DOCA_TRY(problem, doca_ec_create, dev, &rig->ec);
    rig->ctx = doca_ec_as_ctx(rig->ec);
    DOCA_TRY(problem, doca_ec_task_create_set_conf, rig->ec, create_over, create_over,
             COMPUTE_IN_FLIGHT_MAX);
    DOCA_TRY(problem, doca_ec_task_recover_set_conf, rig->ec, recover_over, recover_over,
             COMPUTE_IN_FLIGHT_MAX);
    DOCA_TRY(problem, doca_ec_matrix_create, rig->ec, DOCA_EC_MATRIX_TYPE_CAUCHY, COMPUTE_DATA,
             COMPUTE_RDNC, &rig->coding);
    for (uint32_t i = 0; i < COMPUTE_RDNC; i++)
        missing[i] = i;
    DOCA_TRY(problem, doca_ec_matrix_create_recover, rig->ec, rig->coding, missing, COMPUTE_RDNC,
             &rig->recovery);
    return true;
}

static bool make_gcm(struct compute_rig *rig, struct doca_dev *dev, struct problem *problem)
{
    DOCA_TRY(problem, doca_aes_gcm_create, dev, &rig->gcm);
    rig->ctx = doca_aes_gcm_as_ctx(rig->gcm);
    DOCA_TRY(problem, doca_aes_gcm_task_encrypt_set_conf, rig->gcm, gcm_over, gcm_over,
             COMPUTE_IN_FLIGHT_MAX);
    DOCA_TRY(problem, doca_aes_gcm_key_create, rig->gcm, compute_key, DOCA_AES_GCM_KEY_256,
             &rig->key);
    return true;
}

static bool make_sha(struct compute_rig *rig, struct doca_dev *dev, struct problem *problem)
{
    DOCA_TRY(problem, doca_sha_create, dev, &rig->sha);
    rig->ctx = doca_sha_as_ctx(rig->sha);
    DOCA_TRY(problem, doca_sha_task_hash_set_conf, rig->sha, sha_over, sha_over, 2); // 2^2
    return true;
}

static bool make_library(struct compute_rig *rig, struct doca_dev *dev, struct problem *problem)
{
    switch (rig->kind) {
    case COMPUTE_EC_CREATE:
    case COMPUTE_EC_RECOVER:
        return make_ec(rig, dev, problem);
    case COMPUTE_GCM:
        return make_gcm(rig, dev, problem);
    case COMPUTE_SHA:
        return make_sha(rig, dev, problem);
    default:
        return make_compress(rig, dev, problem);
    }
}

static void destroy_library(struct compute_rig *rig)
{
    switch (rig->kind) {
    case COMPUTE_EC_CREATE:
    case COMPUTE_EC_RECOVER:
        if (rig->recovery)
            doca_ec_matrix_destroy(rig->recovery);
        if (rig->coding)
            doca_ec_matrix_destroy(rig->coding);
        doca_ec_destroy(rig->ec);
        break;
    case COMPUTE_GCM:
        if (rig->key)
            doca_aes_gcm_key_destroy(rig->key);
        doca_aes_gcm_destroy(rig->gcm);
        break;
    case COMPUTE_SHA:
        doca_sha_destroy(rig->sha);
        break;
    default:
        doca_compress_destroy(rig->compress);
    }
}

// ---- tasks -------------------------------------------------------------------------------

#define TAKE(problem, type, call, ...)                                                             \
    do {                                                                                           \
        struct type *taken;                                                                        \
        DOCA_TRY(problem, call, __VA_ARGS__, &taken);                                              \
        rig->tasks[i] = type##_as_task(taken);                                                     \
    } while (0)

static bool take_task(struct compute_rig *rig, unsigned i, struct problem *problem)
{
    union doca_data data = {.u64 = i};
    struct doca_buf *in = rig->in, *out = rig->out[i];

    switch (rig->kind) {
    case COMPUTE_DEFLATE:
        TAKE(problem, doca_compress_task_compress_deflate,
             doca_compress_task_compress_deflate_alloc_init, rig->compress, in, out, data);
        break;
    case COMPUTE_INFLATE:
        TAKE(problem, doca_compress_task_decompress_deflate,
             doca_compress_task_decompress_deflate_alloc_init, rig->compress, in, out, data);
        break;
    case COMPUTE_LZ4:
        TAKE(problem, doca_compress_task_decompress_lz4_block,
             doca_compress_task_decompress_lz4_block_alloc_init, rig->compress, in, out, data);
        break;
    case COMPUTE_EC_CREATE:
        TAKE(problem, doca_ec_task_create, doca_ec_task_create_allocate_init, rig->ec, rig->coding,
             in, out, data);
        break;
    case COMPUTE_EC_RECOVER:
        TAKE(problem, doca_ec_task_recover, doca_ec_task_recover_allocate_init, rig->ec,
             rig->recovery, in, out, data);
        break;
    case COMPUTE_GCM:
        TAKE(problem, doca_aes_gcm_task_encrypt, doca_aes_gcm_task_encrypt_alloc_init, rig->gcm, in,
             out, rig->key, compute_iv, sizeof(compute_iv), 16, 0, data);
        break;
    case COMPUTE_SHA:
        TAKE(problem, doca_sha_task_hash, doca_sha_task_hash_alloc_init, rig->sha,
             DOCA_SHA_ALGORITHM_SHA256, in, out, data);
        break;
    }
    rig->free[rig->n_free++] = i;
    return true;
}

static bool make_map(struct doca_dev *dev, void *at, size_t size, struct doca_mmap **out,
                     struct problem *problem)
{
    DOCA_TRY(problem, doca_mmap_create, out);
    DOCA_TRY(problem, doca_mmap_set_memrange, *out, at, size);
    DOCA_TRY(problem, doca_mmap_set_permissions, *out, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    DOCA_TRY(problem, doca_mmap_add_dev, *out, dev);
    DOCA_TRY(problem, doca_mmap_start, *out);
    return true;
}

static bool make_buffers(struct compute_rig *rig, struct doca_dev *dev, uint8_t *in, size_t size,
                         struct problem *problem)
{
    size_t all = COMPUTE_IN_FLIGHT_MAX * rig->room_size;

    rig->room = aligned_alloc(4096, (all + 4095) / 4096 * 4096);
    if (!rig->room)
        return problem_set(problem, "out of memory");
    memset(rig->room, 0, all);
    if (!make_map(dev, in, size, &rig->in_map, problem) ||
        !make_map(dev, rig->room, all, &rig->out_map, problem))
        return false;
    DOCA_TRY(problem, doca_buf_inventory_create, 1 + COMPUTE_IN_FLIGHT_MAX, &rig->inventory);
    DOCA_TRY(problem, doca_buf_inventory_start, rig->inventory);
    DOCA_TRY(problem, doca_buf_inventory_buf_get_by_data, rig->inventory, rig->in_map, in, size,
             &rig->in);
    for (unsigned i = 0; i < COMPUTE_IN_FLIGHT_MAX; i++)
        DOCA_TRY(problem, doca_buf_inventory_buf_get_by_addr, rig->inventory, rig->out_map,
                 rig->room + i * rig->room_size, rig->room_size, &rig->out[i]);
    return true;
}

bool compute_open(struct compute_rig **out, struct doca_dev *dev, enum compute_kind kind,
                  uint8_t *in, size_t size, size_t room, const char **absent,
                  struct problem *problem)
{
    struct compute_rig *rig = *out = calloc(1, sizeof(*rig));

    if (!rig)
        return problem_set(problem, "out of memory");
    rig->kind = kind;
    rig->room_size = room;
    *absent = NULL;
    if (supported(kind, doca_dev_as_devinfo(dev)) != DOCA_SUCCESS) {
        *absent = kind == COMPUTE_LZ4 ? "libdoca-client was built without liblz4"
                                      : "libdoca-client was built without ISA-L";
        return true;
    }
    DOCA_TRY(problem, doca_pe_create, &rig->pe);
    if (!make_library(rig, dev, problem) || !make_buffers(rig, dev, in, size, problem))
        return false;
    DOCA_TRY(problem, doca_pe_get_notification_handle, rig->pe, &rig->handle);
    DOCA_TRY(problem, doca_pe_connect_ctx, rig->pe, rig->ctx);
    DOCA_TRY(problem, doca_ctx_set_user_data, rig->ctx, (union doca_data){.ptr = rig});
    DOCA_TRY(problem, doca_ctx_start, rig->ctx);
    rig->started = true;
    for (unsigned i = 0; i < COMPUTE_IN_FLIGHT_MAX; i++)
        if (!take_task(rig, i, problem))
            return false;
    return true;
}

void compute_close(struct compute_rig *rig)
{
    if (!rig)
        return;
    for (unsigned i = 0; i < COMPUTE_IN_FLIGHT_MAX; i++)
        if (rig->tasks[i])
            doca_task_free(rig->tasks[i]);
    while (rig->started && doca_ctx_stop(rig->ctx) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(rig->pe);
    if (rig->ctx)
        destroy_library(rig);
    if (rig->pe)
        doca_pe_destroy(rig->pe);
    if (rig->in)
        doca_buf_dec_refcount(rig->in, NULL);
    for (unsigned i = 0; i < COMPUTE_IN_FLIGHT_MAX; i++)
        if (rig->out[i])
            doca_buf_dec_refcount(rig->out[i], NULL);
    if (rig->inventory)
        doca_buf_inventory_destroy(rig->inventory);
    if (rig->in_map)
        doca_mmap_destroy(rig->in_map);
    if (rig->out_map)
        doca_mmap_destroy(rig->out_map);
    free(rig->room);
    free(rig);
}

// ---- rounds ------------------------------------------------------------------------------

bool compute_submit(struct compute_rig *rig, struct problem *problem)
{
    unsigned i = rig->free[rig->n_free - 1];

    DOCA_TRY(problem, doca_task_submit, rig->tasks[i]);
    rig->n_free--;
    return true;
}

// Waits for one; its destination is empty again, except for its bytes.
bool compute_wait(struct compute_rig *rig, struct problem *problem)
{
    while (!doca_pe_progress(rig->pe)) {
        struct pollfd handle = {.fd = rig->handle, .events = POLLIN};
        DOCA_TRY(problem, doca_pe_request_notification, rig->pe);
        (void)poll(&handle, 1, -1);
        DOCA_TRY(problem, doca_pe_clear_notification, rig->pe, 0);
    }
    if (rig->failure != DOCA_SUCCESS)
        return problem_doca(problem, "a task failed", rig->failure);
    return true;
}

static bool empty(struct compute_rig *rig, struct problem *problem)
{
    DOCA_TRY(problem, doca_buf_reset_data_len, rig->out[rig->free[rig->n_free - 1]]);
    return true;
}

bool compute_run(struct compute_rig *rig, unsigned n, unsigned in_flight, struct problem *problem)
{
    unsigned submitted = 0, done = 0;

    while (done < n) {
        while (submitted < n && submitted - done < in_flight) {
            if (!empty(rig, problem) || !compute_submit(rig, problem))
                return false;
            submitted++;
        }
        if (!compute_wait(rig, problem))
            return false;
        done++;
    }
    return true;
}

const uint8_t *compute_result(const struct compute_rig *rig, size_t *size)
{
    // The latest free task is the one that was computed last.
    unsigned i = rig->free[rig->n_free - 1];

    if (doca_buf_get_data_len(rig->out[i], size) != DOCA_SUCCESS)
        *size = 0;
    return rig->room + i * rig->room_size;
}
