// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The reasons of each function's errors, from the public headers. The table is made when docactl is
// built (client/package/make-errors), so that both agree.

#ifndef DOCACTL_WHY_H
#define DOCACTL_WHY_H

#include <stddef.h>

struct why_row {
    const char *function;
    const char *generation; // of the interface: "2.2"
    const char *error;      // "DOCA_ERROR_IN_USE"; "" if the function returns none
    const char *why;        // "" if the header only names it
};

extern const struct why_row why_rows[]; // sorted by function and generation
extern const size_t n_why_rows;

#define N_ERRORS 31 // of doca_error_t, in the latest generation; 0 is none

#endif
