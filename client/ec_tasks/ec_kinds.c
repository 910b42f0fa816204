// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of doca_erasure_coding.h for all kinds of tasks, which only differ in their names.

#include "ec_context.h"

#include "progress/task_functions.h"

static doca_error_t configure(const char *function, struct doca_ec *ec, uint32_t type,
                              doca_task_completion_cb_t done, doca_task_completion_cb_t failed,
                              uint32_t n)
{
    struct errtext err;

    if (!ec_available())
        return ec_task_absent(function);
    return report(function, task_configure(&ec->ctx, type, done, failed, n, &err), &err);
}

static struct ec_task *fields(const void *task)
{
    return (struct ec_task *)(uintptr_t)task;
}

static doca_error_t take(const char *function, struct doca_ec *ec, uint32_t type,
                         const struct doca_ec_matrix *matrix, const struct doca_buf *src,
                         struct doca_buf *dst, union doca_data user_data, void **task)
{
    struct doca_task *taken = task_take(&ec->ctx, type, user_data);

    if (!taken)
        return task_not_taken(function, &ec->ctx, type);
    ec_task_set_matrix(fields(taken), matrix);
    fields(taken)->src = src;
    fields(taken)->dst = dst;
    *task = taken;
    return DOCA_SUCCESS;
}

#define TAKE(kind, type)                                                                           \
    TASK_SET_CONF(kind, ec, successful_task_completion_cb, error_task_completion_cb, configure,    \
                  type)                                                                            \
    doca_error_t kind##_allocate_init(struct doca_ec *ec, const struct doca_ec_matrix *matrix,     \
                                      const struct doca_buf *src, struct doca_buf *dst,            \
                                      union doca_data user_data, struct kind **task)               \
    {                                                                                              \
        if (!ec || !task)                                                                          \
            return REFUSED_NULL(ec, task);                                                         \
        return take(__func__, ec, type, matrix, src, dst, user_data, (void **)task);               \
    }                                                                                              \
    TASK_AS_TASK(kind)

#define MATRIX(kind, name)                                                                         \
    void kind##_set_##name(struct kind *task, const struct doca_ec_matrix *matrix)                 \
    {                                                                                              \
        if (!task)                                                                                 \
            task_null(__func__);                                                                   \
        else if (task_settable(__func__, &fields(task)->task))                                     \
            ec_task_set_matrix(fields(task), matrix);                                              \
    }                                                                                              \
    const struct doca_ec_matrix *kind##_get_##name(const struct kind *task)                        \
    {                                                                                              \
        if (task)                                                                                  \
            return ec_matrix_outside(fields(task)->matrix);                                        \
        task_null(__func__);                                                                       \
        return NULL;                                                                               \
    }

#define SRC(kind, name) TASK_FIELD(kind, name, const struct doca_buf *, fields, src)
#define DST(kind, name) TASK_FIELD(kind, name, struct doca_buf *, fields, dst)

TAKE(doca_ec_task_galois_mul, EC_GALOIS_MUL)
MATRIX(doca_ec_task_galois_mul, coding_matrix)
SRC(doca_ec_task_galois_mul, src_buf)
DST(doca_ec_task_galois_mul, dst_buf)

TAKE(doca_ec_task_create, EC_CREATE_RDNC)
MATRIX(doca_ec_task_create, coding_matrix)
SRC(doca_ec_task_create, original_data_blocks)
DST(doca_ec_task_create, rdnc_blocks)

TAKE(doca_ec_task_update, EC_UPDATE_RDNC)
MATRIX(doca_ec_task_update, update_matrix)
SRC(doca_ec_task_update, original_updated_and_rdnc_blocks)
DST(doca_ec_task_update, updated_rdnc_blocks)

TAKE(doca_ec_task_recover, EC_RECOVER_DATA)
MATRIX(doca_ec_task_recover, recover_matrix)
SRC(doca_ec_task_recover, available_blocks)
TASK_SETTER(doca_ec_task_recover_set_recovered_data_blocks, doca_ec_task_recover, struct doca_buf *,
            fields, dst)
TASK_GETTER(doca_ec_task_recover_get_recovered_data, doca_ec_task_recover, struct doca_buf *,
            fields, dst)
