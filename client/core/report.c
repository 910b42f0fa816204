// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/report.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(DOCAD);

doca_error_t report(const char *function, doca_error_t code, const struct errtext *err)
{
    if (code == DOCA_SUCCESS)
        return code;
    if (err && err->s[0])
        DOCA_LOG_ERR("%s: %s (%s)", function, err->s, doca_get_error_name(code));
    else
        DOCA_LOG_ERR("%s: %s (%s)", function, doca_get_error_string(code),
                     doca_get_error_name(code));
    return code;
}

doca_error_t report_null(const char *function, const struct argument *a)
{
    while (a->given && a[1].name)
        a++;
    DOCA_LOG_ERR("%s: %s is %s (%s)", function, a->name, a->number ? "0" : "NULL",
                 doca_get_error_name(DOCA_ERROR_INVALID_VALUE));
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t code_among(doca_error_t code, doca_error_t fallback, const doca_error_t *listed)
{
    for (; *listed != DOCA_SUCCESS; listed++)
        if (*listed == code)
            return code;
    return code == DOCA_SUCCESS ? code : fallback;
}
