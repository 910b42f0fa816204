// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "copy_text.h"
#include "verbs_settings.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool among(const char *patterns, const char *name)
{
    char copy[VERBS_PATTERNS_SIZE], *rest = copy, *pattern;

    copy_text(copy, patterns);
    while ((pattern = strsep(&rest, ",")))
        if (fnmatch(pattern + strspn(pattern, " "), name, 0) == 0)
            return true;
    return false;
}

bool verbs_settings_offer(const struct verbs_settings *settings, const char *name)
{
    return among(settings->include, name) && !among(settings->exclude, name);
}
