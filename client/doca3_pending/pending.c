// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "doca3_pending/pending.h"

#include "core/report.h"

#include <string.h>

doca_error_t pending(const char *symbol)
{
    char name[128] = "doca_";
    const char *own = "doca_3_";
    if (strncmp(symbol, own, strlen(own)) == 0)
        strncat(name, symbol + strlen(own), sizeof(name) - strlen(name) - 1);
    else
        strncpy(name, symbol, sizeof(name) - 1);
    return report_why(name, DOCA_ERROR_NOT_SUPPORTED, "this function of DOCA 3 is not there yet");
}
