// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_ec of 2.2: the context, its capabilities, and matrices.

#include "ec_submit.h"

#include "cleanup.h"
#include "core/refused.h"
#include "work/ctx.h"

struct doca_ec {
    struct doca_ctx ctx;
};

static doca_error_t attach(struct work_link *link, struct errtext *err)
{
    return ec_queue_open(link, link->executor->depth, err);
}

static const struct ctx_ops ops = {
    .name = "erasure coding",
    .takes_device = true,
    .needs = CARD_EC,
    .event_driven = true,
    .attach = attach,
    .detach = ec_queue_close,
    .work = {.library = WORK_LIBRARY_ERASURE_CODING,
             .prepare = ec_prepare,
             .drop = ec_drop,
             .execute = ec_execute,
             .measure = ec_measure,
             .eager = true,
             .progress = ec_progress},
};

doca_error_t doca_ec_create(struct doca_ec **ec)
{
    struct doca_ctx *made;

    if (!ec)
        return REFUSED_NULL(ec);
    doca_error_t r = ctx_new(__func__, &ops, &made);
    if (r == DOCA_SUCCESS)
        *ec = container_of(made, struct doca_ec, ctx);
    return r;
}

doca_error_t doca_ec_destroy(struct doca_ec *ec)
{
    return ec ? ctx_free(__func__, &ec->ctx) : REFUSED_NULL(ec);
}

struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec)
{
    return ec ? &ec->ctx : NULL;
}

// ---- capabilities: the same for every device ---------------------------------------------

#define REFUSED_TYPE refused(__func__, "the job's type is not an erasure coding job")

#define NOT_ABLE                                                                                   \
    "this library was built without ISA-L, or the card that the device imitates has no erasure "   \
    "coding"

static bool able(const struct doca_devinfo *devinfo)
{
    return ec_available() && devinfo_has(devinfo, CARD_EC);
}

doca_error_t doca_ec_job_get_supported(struct doca_devinfo *devinfo,
                                       enum doca_ec_job_types job_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (!ec_type_known((int)job_type))
        return REFUSED_TYPE;
    // This is an answer, not a failure: programs query each device.
    return able(devinfo) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_ec_get_max_buffer_size(const struct doca_devinfo *devinfo,
                                         enum doca_ec_job_types job_type, uint32_t *max_buffer_size)
{
    if (!devinfo || !max_buffer_size)
        return REFUSED_NULL(devinfo, max_buffer_size);
    if (!ec_type_known((int)job_type))
        return REFUSED_TYPE;
    if (!able(devinfo))
        return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, NOT_ABLE);
    *max_buffer_size = (uint32_t)devinfo_most(devinfo, CARD_EC_BLOCK_SIZE, EC_BLOCK_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_ec_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                               uint32_t *max_list_num_elem)
{
    if (!devinfo || !max_list_num_elem)
        return REFUSED_NULL(devinfo, max_list_num_elem);
    if (!able(devinfo))
        return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, NOT_ABLE);
    *max_list_num_elem = (uint32_t)devinfo_most(devinfo, CARD_EC_LIST, EC_LIST_MAX);
    return DOCA_SUCCESS;
}

// ---- matrices ----------------------------------------------------------------------------

static doca_error_t return_matrix(const char *function, doca_error_t r, struct ec_matrix *made,
                                  struct doca_matrix **matrix, const struct errtext *err)
{
    if (r == DOCA_SUCCESS)
        *matrix = (struct doca_matrix *)made; // opaque to programs
    return report(function, r, err);
}

doca_error_t doca_ec_matrix_create(struct doca_ec *ctx, enum doca_ec_matrix_types type,
                                   size_t data_block_count, size_t rdnc_block_count,
                                   struct doca_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ctx || !matrix)
        return REFUSED_NULL(ctx, matrix);
    doca_error_t r = ec_check_blocks(ctx->ctx.device, data_block_count, rdnc_block_count, &err);
    if (r == DOCA_SUCCESS)
        r = ec_matrix_new(&made, (enum ec_family)type, data_block_count, rdnc_block_count, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_from_raw(struct doca_ec *ctx, uint8_t *data, size_t data_block_count,
                                     size_t rdnc_block_count, struct doca_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ctx || !data || !matrix)
        return REFUSED_NULL(ctx, data, matrix);
    doca_error_t r = ec_check_blocks(ctx->ctx.device, data_block_count, rdnc_block_count, &err);
    if (r == DOCA_SUCCESS)
        r = ec_matrix_from_raw(&made, data, data_block_count, rdnc_block_count, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_update_matrix_create(const struct doca_matrix *coding_matrix,
                                          struct doca_ec *ctx, uint32_t update_indices[],
                                          size_t n_updates, struct doca_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!coding_matrix || !ctx || !update_indices || !matrix)
        return REFUSED_NULL(coding_matrix, ctx, update_indices, matrix);
    doca_error_t r = ec_matrix_update(&made, (const struct ec_matrix *)coding_matrix,
                                      update_indices, n_updates, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_recover_matrix_create(const struct doca_matrix *coding_matrix,
                                           struct doca_ec *ctx, uint32_t missing_indices[],
                                           size_t n_missing, struct doca_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!coding_matrix || !ctx || !missing_indices || !matrix)
        return REFUSED_NULL(coding_matrix, ctx, missing_indices, matrix);
    doca_error_t r = ec_matrix_recover(&made, (const struct ec_matrix *)coding_matrix,
                                       missing_indices, n_missing, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_destroy(struct doca_matrix *matrix)
{
    struct errtext err;

    if (!matrix)
        return REFUSED_NULL(matrix);
    return report(__func__, ec_matrix_destroy((struct ec_matrix *)matrix, &err), &err);
}
