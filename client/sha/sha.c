// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_sha: the library's context and capabilities.

#include "cleanup.h"
#include "core/refused.h"
#include "sha_submit.h"
#include "work/ctx.h"

struct doca_sha {
    struct doca_ctx ctx;
};

static doca_error_t attach(struct work_link *link, struct errtext *err)
{
    return sha_queue_open(link, SHA_SESSIONS_MAX, link->executor->depth, err);
}

static const struct ctx_ops ops = {
    .name = "SHA",
    .takes_device = true,
    .needs = CARD_SHA,
    .event_driven = true,
    .attach = attach,
    .detach = sha_queue_close,
    .work = {.library = WORK_LIBRARY_SHA,
             .prepare = sha_prepare,
             .drop = sha_drop,
             .execute = sha_execute,
             .eager = true,
             .progress = sha_continue},
};

doca_error_t doca_sha_create(struct doca_sha **ctx)
{
    struct doca_ctx *made;

    if (!ctx)
        return REFUSED_NULL(ctx);
    doca_error_t r = ctx_new(__func__, &ops, &made);
    if (r == DOCA_SUCCESS)
        *ctx = container_of(made, struct doca_sha, ctx);
    return r;
}

doca_error_t doca_sha_destroy(struct doca_sha *ctx)
{
    return ctx ? ctx_free(__func__, &ctx->ctx) : REFUSED_NULL(ctx);
}

struct doca_ctx *doca_sha_as_ctx(struct doca_sha *ctx)
{
    return ctx ? &ctx->ctx : NULL;
}

// ---- capabilities: the same for every device ---------------------------------------------

#define REFUSED_TYPE refused(__func__, "the job's type is not a SHA job")

doca_error_t doca_sha_job_get_supported(const struct doca_devinfo *devinfo,
                                        enum doca_sha_job_type job_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (!sha_type_known((int)job_type))
        return REFUSED_TYPE;
    // This is an answer, not a failure: programs query each device.
    return devinfo_has(devinfo, CARD_SHA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sha_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                uint32_t *max_list_num_elem)
{
    if (!devinfo || !max_list_num_elem)
        return REFUSED_NULL(devinfo, max_list_num_elem);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    *max_list_num_elem = (uint32_t)devinfo_most(devinfo, CARD_SHA_LIST, SHA_LIST_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_get_max_src_buffer_size(const struct doca_devinfo *devinfo,
                                              uint64_t *max_buffer_size)
{
    if (!devinfo || !max_buffer_size)
        return REFUSED_NULL(devinfo, max_buffer_size);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    *max_buffer_size = devinfo_most(devinfo, CARD_SHA_BUF_SIZE, SHA_SIZE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_get_min_dst_buffer_size(const struct doca_devinfo *devinfo,
                                              enum doca_sha_job_type job_type,
                                              uint32_t *min_buffer_size)
{
    if (!devinfo || !min_buffer_size)
        return REFUSED_NULL(devinfo, min_buffer_size);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    if (!sha_type_known((int)job_type))
        return REFUSED_TYPE;
    *min_buffer_size = sha_digest_size(sha_type_algorithm((int)job_type));
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_get_hardware_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_has(devinfo, CARD_SHA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}
