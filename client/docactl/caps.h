// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of DOCA 3 that return what a device can do. The table is made from the public
// headers when docactl is built (client/package/make-caps).

#ifndef DOCACTL_CAPS_H
#define DOCACTL_CAPS_H

#include <stddef.h>

// The out-parameter of such a function, besides the error that it returns.
enum cap_form { CAP_STATUS, CAP_FLAG, CAP_UINT32, CAP_UINT64, CAP_SIZE };

struct cap_row {
    const char *library;    // "dma"
    const char *capability; // "task_memcpy_max_buf_size"
    const char *function;   // "doca_dma_cap_task_memcpy_get_max_buf_size"
    enum cap_form form;
    int choice; // second argument, if it is not -1
};

extern const struct cap_row cap_rows[]; // sorted by library and capability
extern const size_t n_cap_rows;

#endif
