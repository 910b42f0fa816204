// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "refusals.h"

#include "copy_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OTHERS "others"

static bool is_the_same(const struct refusal *r, const char *who, const char *at, const char *why)
{
    return strncmp(r->who, who, sizeof(r->who) - 1) == 0 && r->at && strcmp(r->at, at) == 0 &&
           strncmp(r->why, why, sizeof(r->why) - 1) == 0;
}

// Finds its entry, a free one, or the common entry of all others.
static struct refusal *place_of(struct refusals *refusals, const char *who, const char *at,
                                const char *why, uint64_t now_ms)
{
    struct refusal *free = &refusals->list[REFUSALS_MAX];

    for (size_t i = 0; i < REFUSALS_MAX; i++) {
        struct refusal *r = &refusals->list[i];
        if (is_the_same(r, who, at, why))
            return r;
        if (!r->who[0])
            return r; // entries are used in order
        if (now_ms - r->last_ms >= REFUSED_AGAIN_MS)
            free = r;
    }
    return free;
}

bool refusals_add(struct refusals *refusals, const char *who, const char *at, const char *why,
                  uint64_t now_ms, uint64_t *silent)
{
    struct refusal *r = place_of(refusals, who, at, why, now_ms);
    bool other = r == &refusals->list[REFUSALS_MAX];

    if (!is_the_same(r, who, at, why) && !(other && r->who[0])) {
        *r = (struct refusal){.at = at}; // of others the first one's
        copy_text(r->who, other ? OTHERS : who);
        copy_text(r->why, other ? OTHERS : why);
    }
    r->count++;
    r->last_ms = now_ms;
    if (r->count > 1 && now_ms - r->logged_ms < REFUSED_AGAIN_MS) {
        r->silent++;
        return false;
    }
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
