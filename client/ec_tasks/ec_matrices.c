// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Matrices.

#include "ec_context.h"

#include "core/refused.h"

static doca_error_t return_matrix(const char *function, doca_error_t r, struct ec_matrix *made,
                                  struct doca_ec_matrix **matrix, const struct errtext *err)
{
    if (r == DOCA_SUCCESS)
        *matrix = ec_matrix_outside(made);
    return report(function, r, err);
}

doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
                                   size_t data_block_count, size_t rdnc_block_count,
                                   struct doca_ec_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ec || !matrix)
        return REFUSED_NULL(ec, matrix);
    doca_error_t r = ec_check_blocks(ec->ctx.device, data_block_count, rdnc_block_count, &err);
    if (r == DOCA_SUCCESS)
        r = ec_matrix_new(&made, (enum ec_family)type, data_block_count, rdnc_block_count, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
                                            size_t data_block_count, size_t rdnc_block_count,
                                            struct doca_ec_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ec || !data || !matrix)
        return REFUSED_NULL(ec, data, matrix);
    doca_error_t r = ec_check_blocks(ec->ctx.device, data_block_count, rdnc_block_count, &err);
    if (r == DOCA_SUCCESS)
        r = ec_matrix_from_raw(&made, data, data_block_count, rdnc_block_count, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
                                          const struct doca_ec_matrix *coding_matrix,
                                          uint32_t update_indices[], size_t n_updates,
                                          struct doca_ec_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ec || !coding_matrix || !update_indices || !matrix)
        return REFUSED_NULL(ec, coding_matrix, update_indices, matrix);
    doca_error_t r =
        ec_matrix_update(&made, ec_matrix_inside(coding_matrix), update_indices, n_updates, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
                                           const struct doca_ec_matrix *coding_matrix,
                                           uint32_t missing_indices[], size_t n_missing,
                                           struct doca_ec_matrix **matrix)
{
    struct ec_matrix *made = NULL;
    struct errtext err;

    if (!ec || !coding_matrix || !missing_indices || !matrix)
        return REFUSED_NULL(ec, coding_matrix, missing_indices, matrix);
    doca_error_t r =
        ec_matrix_recover(&made, ec_matrix_inside(coding_matrix), missing_indices, n_missing, &err);
    return return_matrix(__func__, r, made, matrix, &err);
}

doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix)
{
    struct errtext err;

    if (!matrix)
        return REFUSED_NULL(matrix);
    return report(__func__, ec_matrix_destroy(ec_matrix_inside(matrix), &err), &err);
}
