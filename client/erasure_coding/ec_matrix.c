// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//

#include "ec_matrix.h"

#include "cleanup.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- lifetime --------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ec_matrix *free_matrices;

doca_error_t ec_matrix_destroy(struct ec_matrix *matrix, struct errtext *err)
{
    if (!matrix->number)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the matrix was destroyed already");
    uint32_t users = atomic_load_explicit(&matrix->users, memory_order_acquire);
    if (users)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "jobs or tasks with this matrix are in flight (%u); wait for them",
                           users);
    free(matrix->rows);
    pthread_mutex_lock(&lock);
    matrix->rows = matrix->tables = NULL;
    matrix->number = 0;
    matrix->next_free = free_matrices;
    free_matrices = matrix;
    pthread_mutex_unlock(&lock);
    return DOCA_SUCCESS;
}

#ifdef DOCAD_HAVE_ISAL
#include <isa-l/erasure_code.h>

bool ec_available(void)
{
    return true;
}

// ISA-L's gf_mul() shares its name with a function of libcrypto, which the library may be linked
// with statically.
static uint8_t multiply(uint8_t a, uint8_t b)
{
    unsigned product = 0, factor = a;

    for (; b; b >>= 1, factor = factor << 1 ^ (factor & 0x80 ? 0x11d : 0))
        product ^= b & 1 ? factor : 0;
    return (uint8_t)product;
}

// Returns NULL if there is no memory.
static struct ec_matrix *take_matrix(uint64_t *number)
{
    static uint64_t last_number;

    pthread_mutex_lock(&lock);
    struct ec_matrix *matrix = free_matrices;
    if (matrix)
        free_matrices = matrix->next_free;
    else
        matrix = calloc(1, sizeof(*matrix));
    *number = ++last_number;
    pthread_mutex_unlock(&lock);
    return matrix;
}

// ISA-L's tables have 32 bytes for each element.
static struct ec_matrix *new_matrix(enum ec_use use, size_t n_data, size_t n_rdnc, size_t n_in,
                                    size_t n_out, struct errtext *err)
{
    size_t elements = n_in * n_out;
    cleanup_free uint8_t *rows = calloc(33, elements);
    uint64_t number;
    struct ec_matrix *matrix = rows ? take_matrix(&number) : NULL;

    if (!matrix) {
        errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a matrix");
        return NULL;
    }
    *matrix = (struct ec_matrix){.number = number,
                                 .use = use,
                                 .n_data = (uint32_t)n_data,
                                 .n_rdnc = (uint32_t)n_rdnc,
                                 .n_in = (uint32_t)n_in,
                                 .n_out = (uint32_t)n_out,
                                 .rows = steal_ptr(rows)};
    matrix->tables = matrix->rows + elements;
    return matrix;
}

static void complete(struct ec_matrix *matrix)
{
    ec_init_tables((int)matrix->n_in, (int)matrix->n_out, matrix->rows, matrix->tables);
}

static doca_error_t check_counts(size_t n_data, size_t n_rdnc, struct errtext *err)
{
    if (n_data && n_rdnc && n_data <= EC_BLOCKS_MAX && n_rdnc <= EC_BLOCKS_MAX - n_data)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "there are %zu data and %zu redundancy blocks; there can be 1 or more of "
                       "each, and %d together",
                       n_data, n_rdnc, EC_BLOCKS_MAX);
}

// The redundancy rows of Vandermonde's: row i has the powers of the i-th power of 2. Of Cauchy's:
// 1 / (i ^ j).
static void fill_rows(struct ec_matrix *matrix, enum ec_family family)
{
    unsigned char power = 1;

    for (uint32_t i = 0; i < matrix->n_out; i++, power = multiply(power, 2)) {
        unsigned char element = 1;
        for (uint32_t j = 0; j < matrix->n_in; j++, element = multiply(element, power))
            matrix->rows[i * matrix->n_in + j] =
                family == EC_CAUCHY ? gf_inv((unsigned char)((matrix->n_in + i) ^ j)) : element;
    }
}

doca_error_t ec_matrix_new(struct ec_matrix **out, enum ec_family family, size_t n_data,
                           size_t n_rdnc, struct errtext *err)
{
    if (family != EC_CAUCHY && family != EC_VANDERMONDE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%d is not a type of matrix",
                           (int)family);
    doca_error_t r = check_counts(n_data, n_rdnc, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct ec_matrix *matrix = new_matrix(EC_CODING, n_data, n_rdnc, n_data, n_rdnc, err);
    if (!matrix)
        return DOCA_ERROR_NO_MEMORY;
    fill_rows(matrix, family);
    complete(matrix);
    *out = matrix;
    return DOCA_SUCCESS;
}

doca_error_t ec_matrix_from_raw(struct ec_matrix **out, const uint8_t *rows, size_t n_data,
                                size_t n_rdnc, struct errtext *err)
{
    doca_error_t r = check_counts(n_data, n_rdnc, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct ec_matrix *matrix = new_matrix(EC_CODING, n_data, n_rdnc, n_data, n_rdnc, err);
    if (!matrix)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(matrix->rows, rows, n_data * n_rdnc);
    complete(matrix);
    *out = matrix;
    return DOCA_SUCCESS;
}

// ---- matrices that follow from a coding matrix ---------------------------------------------

static doca_error_t check_indices(const struct ec_matrix *coding, const uint32_t *indices, size_t n,
                                  uint32_t below, uint32_t most, struct errtext *err)
{
    if (!coding->number)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the coding matrix was destroyed");
    if (coding->use != EC_CODING)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the matrix is not a coding matrix: it was made from one");
    if (n == 0 || n > most)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "there are %zu indices; with this matrix there can be 1 to %u", n, most);
    for (size_t i = 0; i < n; i++)
        if (indices[i] >= below || (i && indices[i] <= indices[i - 1]))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "index %u, at position %zu, is not below %u or not above the one "
                               "before it",
                               indices[i], i, below);
    return DOCA_SUCCESS;
}

// The product of its column and the difference of old and new data, which is their sum, is added to
// each redundancy block.
doca_error_t ec_matrix_update(struct ec_matrix **out, const struct ec_matrix *coding,
                              const uint32_t *indices, size_t n, struct errtext *err)
{
    doca_error_t r = check_indices(coding, indices, n, coding->n_data, coding->n_data, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct ec_matrix *matrix = new_matrix(EC_UPDATE, coding->n_data, coding->n_rdnc,
                                          2 * n + coding->n_rdnc, coding->n_rdnc, err);
    if (!matrix)
        return DOCA_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < matrix->n_out; i++) {
        uint8_t *row = matrix->rows + (size_t)i * matrix->n_in;
        for (size_t j = 0; j < n; j++)
            row[j] = row[n + j] = coding->rows[i * coding->n_in + indices[j]];
        row[2 * n + i] = 1;
    }
    complete(matrix);
    *out = matrix;
    return DOCA_SUCCESS;
}

// The row that makes block `index` of the data blocks.
static void row_of(const struct ec_matrix *coding, uint32_t index, uint8_t *row)
{
    uint32_t n = coding->n_data;

    memset(row, 0, n);
    if (index < n)
        row[index] = 1;
    else
        memcpy(row, coding->rows + (size_t)(index - n) * n, n);
}

// Inverts the rows of the available blocks: the result makes data blocks of them. The scratch
// memory has room for those rows. Returns false if they do not determine the data.
static bool invert_present(const struct ec_matrix *coding, const uint32_t *missing,
                           size_t n_missing, uint8_t *scratch, uint8_t *inverse)
{
    uint32_t n = coding->n_data, found = 0;
    size_t at = 0;

    for (uint32_t index = 0; found < n; index++) {
        if (at < n_missing && missing[at] == index)
            at++;
        else
            row_of(coding, index, scratch + (size_t)found++ * n);
    }
    return gf_invert_matrix(scratch, inverse, (int)n) == 0;
}

static void multiply_row(const uint8_t *row, const uint8_t *matrix, uint32_t n, uint8_t *out)
{
    memset(out, 0, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; row[i] && j < n; j++)
            out[j] ^= multiply(row[i], matrix[i * n + j]);
}

doca_error_t ec_matrix_recover(struct ec_matrix **out, const struct ec_matrix *coding,
                               const uint32_t *indices, size_t n, struct errtext *err)
{
    uint32_t n_data = coding->n_data;
    uint8_t row[EC_BLOCKS_MAX];

    doca_error_t r =
        check_indices(coding, indices, n, n_data + coding->n_rdnc, coding->n_rdnc, err);
    if (r != DOCA_SUCCESS)
        return r;
    cleanup_free uint8_t *scratch = malloc(2 * (size_t)n_data * n_data);
    if (!scratch)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a matrix");
    uint8_t *inverse = scratch + (size_t)n_data * n_data;
    if (!invert_present(coding, indices, n, scratch, inverse))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the blocks that are left do not determine the missing ones; a Cauchy "
                           "matrix does not have such a case");
    struct ec_matrix *matrix = new_matrix(EC_RECOVER, n_data, coding->n_rdnc, n_data, n, err);
    if (!matrix)
        return DOCA_ERROR_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        row_of(coding, indices[i], row);
        multiply_row(row, inverse, n_data, matrix->rows + i * n_data);
    }
    complete(matrix);
    *out = matrix;
    return DOCA_SUCCESS;
}

void ec_matrix_multiply(const struct ec_matrix *matrix, size_t length, uint8_t **in, uint8_t **out)
{
    ec_encode_data((int)length, (int)matrix->n_in, (int)matrix->n_out, matrix->tables, in, out);
}

#else

bool ec_available(void)
{
    return false;
}

static doca_error_t absent(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "libdoca-client was built without ISA-L, which computes erasure codes");
}

doca_error_t ec_matrix_new(struct ec_matrix **out, enum ec_family family, size_t n_data,
                           size_t n_rdnc, struct errtext *err)
{
    (void)out, (void)family, (void)n_data, (void)n_rdnc;
    return absent(err);
}

doca_error_t ec_matrix_from_raw(struct ec_matrix **out, const uint8_t *rows, size_t n_data,
                                size_t n_rdnc, struct errtext *err)
{
    (void)out, (void)rows, (void)n_data, (void)n_rdnc;
    return absent(err);
}

doca_error_t ec_matrix_update(struct ec_matrix **out, const struct ec_matrix *coding,
                              const uint32_t *indices, size_t n, struct errtext *err)
{
    (void)out, (void)coding, (void)indices, (void)n;
    return absent(err);
}

doca_error_t ec_matrix_recover(struct ec_matrix **out, const struct ec_matrix *coding,
                               const uint32_t *indices, size_t n, struct errtext *err)
{
    (void)out, (void)coding, (void)indices, (void)n;
    return absent(err);
}

void ec_matrix_multiply(const struct ec_matrix *matrix, size_t length, uint8_t **in, uint8_t **out)
{
    (void)matrix, (void)length, (void)in, (void)out;
}

#endif
