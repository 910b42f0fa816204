// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_sha.h"

#include "workers/workers.h"

#include <openssl/evp.h>
#include <string.h>

struct doca_sha *fake_sha;
struct doca_workq *fake_workq;
static struct doca_buf_inventory *inventory;
int fake_sha_workers;

void fake_sha_setup(uint32_t depth, bool event_driven)
{
    workers_set_most(fake_sha_workers);
    ck_assert_int_eq(doca_sha_create(&fake_sha), DOCA_SUCCESS);
    struct doca_ctx *ctx = doca_sha_as_ctx(fake_sha);
    ck_assert_int_eq(doca_ctx_dev_add(ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(depth, &fake_workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(fake_workq, event_driven), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(ctx, fake_workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 256, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
}

void fake_sha_teardown(void)
{
    ck_assert_int_eq(doca_ctx_workq_rm(doca_sha_as_ctx(fake_sha), fake_workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(fake_workq), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(doca_sha_as_ctx(fake_sha)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_destroy(fake_sha), DOCA_SUCCESS); // with its device
    ck_assert_uint_eq(fake_dev.refs, 1);
}

struct doca_buf *fake_buffer(struct doca_mmap *map, const void *addr, size_t len, size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_int_eq(doca_buf_inventory_buf_by_args(inventory, map, (void *)addr, len, (void *)addr,
                                                    data_len, &buf),
                     DOCA_SUCCESS);
    return buf;
}

void fake_drop(struct doca_buf *buf)
{
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
}

void fake_sha_fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 131 + i / 253 + seed);
}

struct doca_sha_job fake_sha_job(int type, struct doca_buf *req, struct doca_buf *resp, uint64_t id)
{
    return (struct doca_sha_job){
        .base = {.type = type, .ctx = doca_sha_as_ctx(fake_sha), .user_data.u64 = id},
        .req_buf = req,
        .resp_buf = resp};
}

doca_error_t fake_sha_submit(int type, struct doca_buf *req, struct doca_buf *resp, uint64_t id)
{
    // A session's place, too: refused types may be of either kind.
    struct doca_sha_partial_job job = {.sha_job = fake_sha_job(type, req, resp, id)};
    return doca_workq_submit(fake_workq, &job.sha_job.base);
}

doca_error_t fake_sha_segment(int type, struct doca_sha_partial_session *session,
                              struct doca_buf *req, struct doca_buf *resp, bool final, uint64_t id)
{
    struct doca_sha_partial_job job = {.sha_job = fake_sha_job(type, req, resp, id),
                                       .session = session};
    job.sha_job.flags = final ? DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL : DOCA_SHA_JOB_FLAGS_NONE;
    return doca_workq_submit(fake_workq, &job.sha_job.base);
}

doca_error_t fake_sha_retrieve(uint64_t *id)
{
    struct doca_event event = {0};
    doca_error_t r = doca_workq_progress_retrieve(fake_workq, &event, 0);
    if (r == DOCA_ERROR_AGAIN)
        return r;
    ck_assert(sha_type_known(event.type));
    ck_assert_int_eq(r, event.result.u64 == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    if (id)
        *id = event.user_data.u64;
    return (doca_error_t)event.result.u64;
}

doca_error_t fake_sha_hash(int type, struct doca_buf *req, struct doca_buf *resp)
{
    ck_assert_int_eq(fake_sha_submit(type, req, resp, 1), DOCA_SUCCESS);
    return fake_sha_retrieve(NULL);
}

uint32_t fake_sha_size(int type)
{
    static const uint32_t sizes[] = {20, 32, 64};
    return sizes[(type - DOCA_SHA_JOB_SHA1) % 3];
}

void fake_sha_check(int type, const void *bytes, size_t n, const uint8_t *digest)
{
    const EVP_MD *md[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
    uint8_t expected[EVP_MAX_MD_SIZE];
    ck_assert_int_eq(EVP_Digest(bytes, n, expected, NULL, md[(type - DOCA_SHA_JOB_SHA1) % 3], NULL),
                     1);
    ck_assert_mem_eq(digest, expected, fake_sha_size(type));
}
