// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "version.h"

#include "message.h"

doca_error_t version_negotiate(const char *who, uint32_t min, uint32_t max, uint32_t *out,
                               struct errtext *err)
{
    if (min == 0 || min > max)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: protocol versions %u to %u are not a range", who, min, max);
    if (min > PROTOCOL_VERSION_MAX || max < PROTOCOL_VERSION_MIN)
        return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "%s speaks protocol versions %u to %u, this docad (%s) %d to %d; "
                           "upgrade the older one",
                           who, min, max, DOCAD_VERSION, PROTOCOL_VERSION_MIN,
                           PROTOCOL_VERSION_MAX);
    *out = max < PROTOCOL_VERSION_MAX ? max : PROTOCOL_VERSION_MAX;
    return DOCA_SUCCESS;
}
