// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names and descriptions of status codes, and the version.

#include "log/error_text.h"

#include <doca_error.h>
#include <doca_version.h>

const char *doca_error_get_name(doca_error_t error)
{
    return error_name(error);
}

const char *doca_error_get_descr(doca_error_t error)
{
    return error_description(error);
}

const char *doca_version_runtime(void)
{
    return DOCA_VERSION_STRING;
}
