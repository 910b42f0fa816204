// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The submission of erasure coding jobs of the 2.2 interface.

#include "ec_submit.h"

// All kinds of jobs have the same three fields.
#define SAME(field, type, other)                                                                   \
    _Static_assert(offsetof(struct doca_ec_job, field) == offsetof(type, other), "the same place")
#define SAME_JOB(type, matrix, src, dst)                                                           \
    SAME(coding_matrix, type, matrix);                                                             \
    SAME(src_buff, type, src);                                                                     \
    SAME(dst_buff, type, dst)
SAME_JOB(struct doca_ec_job_create, create_matrix, src_original_data_buff, dst_rdnc_buff);
SAME_JOB(struct doca_ec_job_update, update_matrix, src_data_rdnc_buff, dst_updated_rdnc_buff);
SAME_JOB(struct doca_ec_job_recover, recover_matrix, src_remaining_data_buff,
         dst_recovered_data_buff);

static enum ec_kind kind_of(int type)
{
    static const enum ec_kind kinds[] = {EC_GALOIS_MUL, EC_CREATE_RDNC, EC_UPDATE_RDNC,
                                         EC_RECOVER_DATA};
    return kinds[type - DOCA_EC_JOB_GALOIS_MUL];
}

doca_error_t ec_prepare(struct work_item *item, const void *submitted)
{
    const struct doca_ec_job *job = submitted;

    if (!ec_type_known(job->base.type)) {
        item->refusal = "the job's type is not an erasure coding job";
        return DOCA_ERROR_INVALID_VALUE;
    }
    struct ec_matrix *matrix = (struct ec_matrix *)job->coding_matrix;
    if (!matrix || !matrix->number) {
        item->refusal = "the job's matrix is NULL or was destroyed";
        return DOCA_ERROR_INVALID_VALUE;
    }
    if (!buf_is_out(job->src_buff) || !buf_is_out(job->dst_buff)) {
        item->refusal = "the job's source or destination is NULL or was given back";
        return DOCA_ERROR_INVALID_VALUE;
    }
    struct ec_job *mine = &ec_queue_of(item)->jobs[item - item->link->executor->items];
    mine->item = item;
    mine->matrix = matrix;
    mine->matrix_number = matrix->number;
    mine->kind = (uint8_t)kind_of(job->base.type);
    mine->phase = EC_NEW;
    ec_job_set(item, mine);
    return ec_take(mine, job->src_buff, job->dst_buff);
}
