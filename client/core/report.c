// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/report.h"

#include "log/error_text.h"

doca_error_t report_at(struct log_place place, const char *function, doca_error_t code,
                       const struct errtext *err)
{
    if (code == DOCA_SUCCESS)
        return code;
    bool has_text = err && err->s[0];
    log_own(DOCA_LOG_LEVEL_ERROR, has_text ? errtext_place(err) : place, "%s: %s (%s)", function,
            has_text ? err->s : error_description(code), error_name(code));
    return code;
}

doca_error_t report_why_at(struct log_place place, const char *function, doca_error_t code,
                           const char *why)
{
    log_own(DOCA_LOG_LEVEL_ERROR, place, "%s: %s (%s)", function, why, error_name(code));
    return code;
}

doca_error_t report_often_at(struct log_place place, const char *function, doca_error_t code,
                             const char *why)
{
    if (!log_own_again(place))
        log_own(DOCA_LOG_LEVEL_WARNING, place, "%s: %s (%s)", function, why, error_name(code));
    return code;
}

doca_error_t report_once_now(const char *function, doca_error_t code, const struct errtext *err)
{
    log_own_once(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "%s: %s (%s)", function, err->s,
                 error_name(code));
    return code;
}

doca_error_t report_null_at(struct log_place place, const char *function, const struct argument *a)
{
    while (a->given && a[1].name)
        a++;
    log_own(DOCA_LOG_LEVEL_ERROR, place, "%s: %s is %s (%s)", function, a->name,
            a->number ? "0" : "NULL", error_name(DOCA_ERROR_INVALID_VALUE));
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t code_among(doca_error_t code, doca_error_t fallback, const doca_error_t *listed)
{
    for (; *listed != DOCA_SUCCESS; listed++)
        if (*listed == code)
            return code;
    return code == DOCA_SUCCESS ? code : fallback;
}
