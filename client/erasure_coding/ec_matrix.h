// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Matrices over the field of 256 elements, by ISA-L: a job multiplies blocks by one. Each output
// block is the sum of the input blocks, each times an element of the output's row.
//
//     coding    data blocks -> redundancy blocks
//     update    old data blocks, the same ones changed, redundancy blocks -> redundancy blocks
//     recover   as many blocks as there are data blocks, in the order of their indices, without
//               the missing ones -> the missing ones
//
// Indices count the data blocks first, then the redundancy blocks.
//
// A task may still have a matrix that the program has destroyed. So the memory of the structure is
// never freed, only used again, and a task also has the number of its matrix, which is never used
// again. A job in flight holds its matrix, which cannot be destroyed.

#ifndef CLIENT_ERASURE_CODING_EC_MATRIX_H
#define CLIENT_ERASURE_CODING_EC_MATRIX_H

#include "errtext.h"

#include <doca_error.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Data and redundancy blocks together: as many as a Cauchy matrix of this field allows.
#define EC_BLOCKS_MAX 255

enum ec_use { EC_CODING, EC_UPDATE, EC_RECOVER };

enum ec_family { EC_CAUCHY = 1, EC_VANDERMONDE = 2 };

struct ec_matrix {
    uint64_t number; // of this process, never used again; 0: it was destroyed
    struct ec_matrix *next_free;
    _Atomic uint32_t users; // jobs that hold it, in any thread
    enum ec_use use;
    uint32_t n_data, n_rdnc; // of the coding matrix that it belongs to
    uint32_t n_in, n_out;
    uint8_t *rows;   // n_out rows of n_in elements
    uint8_t *tables; // what ISA-L makes of them, in the same memory
};

// Returns whether the library was built with ISA-L. If not, the functions below that make a matrix
// return DOCA_ERROR_NOT_SUPPORTED.
bool ec_available(void);

// DOCA_ERROR_INVALID_VALUE: counts or indices are out of range, or there is no such matrix, because
// the remaining blocks do not determine the missing ones; DOCA_ERROR_NO_MEMORY.
doca_error_t ec_matrix_new(struct ec_matrix **out, enum ec_family family, size_t n_data,
                           size_t n_rdnc, struct errtext *err);
doca_error_t ec_matrix_from_raw(struct ec_matrix **out, const uint8_t *rows, size_t n_data,
                                size_t n_rdnc, struct errtext *err);
doca_error_t ec_matrix_update(struct ec_matrix **out, const struct ec_matrix *coding,
                              const uint32_t *indices, size_t n, struct errtext *err);
doca_error_t ec_matrix_recover(struct ec_matrix **out, const struct ec_matrix *coding,
                               const uint32_t *indices, size_t n, struct errtext *err);

// DOCA_ERROR_INVALID_VALUE, and nothing is freed, while a job holds the matrix, or if it was
// destroyed already.
doca_error_t ec_matrix_destroy(struct ec_matrix *matrix, struct errtext *err);

static inline void ec_matrix_hold(struct ec_matrix *matrix)
{
    atomic_fetch_add_explicit(&matrix->users, 1, memory_order_relaxed);
}

static inline void ec_matrix_release(struct ec_matrix *matrix)
{
    atomic_fetch_sub_explicit(&matrix->users, 1, memory_order_release);
}

// Multiplies `length` bytes of each block.
void ec_matrix_multiply(const struct ec_matrix *matrix, size_t length, uint8_t **in, uint8_t **out);

#endif
