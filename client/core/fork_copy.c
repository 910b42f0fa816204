// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/fork_copy.h"

#include "log/own.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

uint64_t fork_copy_max(void)
{
    const char *text = secure_getenv("DOCAD_FORK_COPY");
    uint64_t value;

    if (!text || !*text)
        return FORK_COPY_DEFAULT;
    if (strcmp(text, "unlimited") == 0)
        return UINT64_MAX;
    if (number_read_size(text, UINT64_MAX, &value))
        return value;
    log_own_warning("DOCAD_FORK_COPY=\"%s\" is not a valid size, so 64M applies; write for "
                    "instance 1G, 0 for no copies, or unlimited",
                    text);
    return FORK_COPY_DEFAULT;
}
