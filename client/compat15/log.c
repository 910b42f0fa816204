// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The log of the 1.5 interface: there is a backend from the start.

#include "compat15/compat15.h"
#include "log/log.h"

doca_error_t doca_1_5_log_source_register(const char *source_name, int *source)
{
    log_default_take();
    return doca_log_source_register(source_name, source);
}

doca_error_t doca_log_stream_redirect(FILE *stream)
{
    if (!stream)
        return DOCA_ERROR_INVALID_VALUE;
    log_default_take();
    log_default_redirect(stream);
    return DOCA_SUCCESS;
}
