// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The commonest way for a public function to end badly.

#ifndef CLIENT_CORE_REFUSED_H
#define CLIENT_CORE_REFUSED_H

#include "report.h"

// Reports DOCA_ERROR_INVALID_VALUE with a fixed text.
static inline doca_error_t refused(const char *function, const char *why)
{
    struct errtext err;
    return report(function, errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "%s", why), &err);
}

#endif
