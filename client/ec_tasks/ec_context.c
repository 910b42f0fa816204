// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_ec of DOCA 3: the context and its capabilities.

#include "ec_context.h"

#include "cleanup.h"
#include "core/refused.h"

#define TASK(title)                                                                                \
    {                                                                                              \
        .name = title, .size = sizeof(struct ec_task), .max = EC_TASKS_MAX, .needs = CARD_EC,      \
        .check = ec_task_check                                                                     \
    }

static const struct task_kind tasks[] = {
    [EC_GALOIS_MUL] = TASK("galois_mul"),
    [EC_CREATE_RDNC] = TASK("create"),
    [EC_UPDATE_RDNC] = TASK("update"),
    [EC_RECOVER_DATA] = TASK("recover"),
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    return ec_queue_open(&ctx->link, 0, err); // each task has its job
}

static void flush(struct doca_ctx *ctx)
{
    worker_withdraw(&((struct ec_queue *)ctx->link.state)->port);
}

static void stopped(struct doca_ctx *ctx)
{
    ec_queue_close(&ctx->link);
}

static const struct ctx_kind kind = {
    .name = "erasure coding",
    .work = {.library = WORK_LIBRARY_ERASURE_CODING,
             .prepare = ec_task_prepare,
             .drop = ec_drop,
             .execute = ec_execute,
             .measure = ec_measure,
             .eager = true,
             .progress = ec_progress},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .most_tasks = CARD_EC_TASKS,
    .start = start,
    .cancel = ec_cancel,
    .flush = flush,
    .stopped = stopped,
};

doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec)
{
    struct errtext err;

    if (!dev || !ec)
        return REFUSED_NULL(dev, ec);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, &err);
    cleanup_free struct doca_ec *made = aligned_alloc(64, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    context_init(&made->ctx, &kind, dev);
    *ec = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_ec_destroy(struct doca_ec *ec)
{
    struct errtext err;

    if (!ec)
        return REFUSED_NULL(ec);
    doca_error_t r = context_fini(&ec->ctx, &err);
    if (r != DOCA_SUCCESS) // the tables name another code than for contexts of other libraries
        return report(__func__, DOCA_ERROR_BAD_STATE, &err);
    free(ec);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec)
{
    return ec ? &ec->ctx : NULL;
}

// ---- capabilities: the same for every device ---------------------------------------------

doca_error_t ec_task_absent(const char *function)
{
    return report_why(
        function, DOCA_ERROR_NOT_SUPPORTED,
        "libdoca-client was built without ISA-L, which computes erasure codes, or the "
        "card that the device imitates has none");
}

// This is an answer, not a failure: programs query each device.
static doca_error_t supported(const struct doca_devinfo *devinfo)
{
    return ec_available() && devinfo_has(devinfo, CARD_EC) ? DOCA_SUCCESS
                                                           : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? supported(devinfo) : REFUSED_NULL(devinfo);
}

doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? supported(devinfo) : REFUSED_NULL(devinfo);
}

doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? supported(devinfo) : REFUSED_NULL(devinfo);
}

doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? supported(devinfo) : REFUSED_NULL(devinfo);
}

doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
                                            uint64_t *max_block_size)
{
    if (!devinfo || !max_block_size)
        return REFUSED_NULL(devinfo, max_block_size);
    if (supported(devinfo) != DOCA_SUCCESS)
        return ec_task_absent(__func__);
    *max_block_size = devinfo_most(devinfo, CARD_EC_BLOCK_SIZE, EC_BLOCK_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                              uint32_t *max_buf_list_len)
{
    if (!devinfo || !max_buf_list_len)
        return REFUSED_NULL(devinfo, max_buf_list_len);
    if (supported(devinfo) != DOCA_SUCCESS)
        return ec_task_absent(__func__);
    *max_buf_list_len = (uint32_t)devinfo_most(devinfo, CARD_EC_LIST, EC_LIST_MAX);
    return DOCA_SUCCESS;
}
