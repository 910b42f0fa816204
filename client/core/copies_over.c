// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/copies_over.h"

#include "log/own.h"
#include "number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Reads "16M"; UINT64_MAX for 0 and for words that mean never, as in docad's
// configuration.
static bool read_threshold(const char *text, uint64_t *out)
{
    if (strcmp(text, "never") == 0 || strcmp(text, "unlimited") == 0) {
        *out = UINT64_MAX;
        return true;
    }
    if (!number_read_size(text, UINT64_MAX, out))
        return false;
    if (*out == 0)
        *out = UINT64_MAX;
    return true;
}

uint64_t copies_over(uint64_t offered)
{
    const char *text = secure_getenv("DOCAD_COPIES_OVER");
    uint64_t value;

    if (offered == 0)
        return UINT64_MAX;
    if (!text || !*text)
        return offered;
    if (read_threshold(text, &value))
        return value;
    log_own_warning(
        "DOCAD_COPIES_OVER=\"%s\" is not a valid size, so docad's own setting applies; write "
        "for instance 16M, or never",
        text);
    return offered;
}
