// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The version of the interface that this library implements.

#include <doca_version.h>

const char *doca_version_runtime(void)
{
    return DOCA_VER_STRING;
}
