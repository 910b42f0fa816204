// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Versions of DOCA 2.5 and 2.6, equal to DOCA_VERSION_STRING of their headers: programs compare the
// two.

#include "compat25.h"

const char *doca_2_5_version_runtime(void)
{
    return "2.5.0108";
}

const char *doca_2_6_version_runtime(void)
{
    return "2.6.0058";
}
