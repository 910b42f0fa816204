// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "refusals.h"

#include "copy_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The dialler's place, or the one that it takes.
static struct refusal *place_of(struct refusals *refusals, const char *who)
{
    struct refusal *oldest = &refusals->list[0];

    for (size_t i = 0; i < REFUSALS_MAX; i++) {
        struct refusal *r = &refusals->list[i];
        if (strncmp(r->who, who, sizeof(r->who) - 1) == 0)
            return r;
        if (!r->who[0])
            return r; // places are taken in order
        if (r->last_ms < oldest->last_ms)
            oldest = r;
    }
    return oldest;
}

bool refusals_add(struct refusals *refusals, const char *who, const char *why, uint64_t now_ms,
                  uint64_t *silent)
{
    struct refusal *r = place_of(refusals, who);

    if (strncmp(r->who, who, sizeof(r->who) - 1) != 0) {
        *r = (struct refusal){.logged_ms = 0};
        copy_text(r->who, who);
    }
    r->count++;
    r->last_ms = now_ms;
    bool known = r->count > 1 && strncmp(r->why, why, sizeof(r->why) - 1) == 0;
    if (known && now_ms - r->logged_ms < REFUSED_AGAIN_MS) {
        r->silent++;
        return false;
    }
    copy_text(r->why, why);
    r->logged_ms = now_ms;
    *silent = r->silent;
    r->silent = 0;
    return true;
}

const char *refusals_format(uint64_t silent, char text[REFUSED_SILENT_SIZE])
{
    text[0] = '\0';
    if (silent)
        snprintf(text, REFUSED_SILENT_SIZE, " (%" PRIu64 " time%s since the last such line)",
                 silent, silent == 1 ? "" : "s");
    return text;
}
