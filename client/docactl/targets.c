// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "targets.h"

#include "copy_text.h"
#include "listing.h"
#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void targets_add(struct targets *targets, uint64_t id)
{
    uint64_t *ids = reallocarray(targets->ids, targets->n + 1, sizeof(*ids));
    if (!ids) {
        targets->no_memory = true;
        return;
    }
    targets->ids = ids;
    targets->ids[targets->n++] = id;
}

enum outcome targets_take_pid(struct ctl *ctl, uint64_t *pid)
{
    const char *text = ctl->args.options[OPTION_PID];
    if (!text || (number_read(text, 10, UINT32_MAX, pid) && *pid > 0))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "--pid takes the number of a process, not '%s'%s", text,
                    number_read(text, 10, 0, pid)
                        ? ", which stands for every process of another container; "
                          "name what ends by ID"
                        : "");
}

static enum outcome fail_midway(struct ctl *ctl, enum outcome outcome, size_t done, size_t n)
{
    char text[sizeof(ctl->error_text)];

    if (done == 0)
        return outcome;
    copy_text(text, ctl->error_text);
    return ctl_fail(ctl, outcome, ctl->error, "%zu of %zu have ended, then: %s", done, n, text);
}

static enum outcome end_all(struct ctl *ctl, const struct targets *targets,
                            enum outcome (*end)(struct ctl *ctl, uint64_t id), bool hexadecimal,
                            struct json_object *ended)
{
    for (size_t i = 0; i < targets->n; i++) {
        enum outcome outcome = end(ctl, targets->ids[i]);
        bool gone = outcome == OUTCOME_REFUSED && ctl->error == DOCA_ERROR_NOT_FOUND;
        if (outcome != OUTCOME_DONE && !(gone && targets->listed))
            return fail_midway(ctl, outcome, i, targets->n);
        char text[24];
        snprintf(text, sizeof(text), hexadecimal ? "%016" PRIx64 : "%" PRIu64, targets->ids[i]);
        json_object_array_add(ended, json_object_new_string(text));
    }
    return OUTCOME_DONE;
}

enum outcome targets_end(struct ctl *ctl, struct targets *targets,
                         enum outcome (*end)(struct ctl *ctl, uint64_t id), bool hexadecimal,
                         const struct column *columns)
{
    struct json_object *object = json_object_new_object(), *ids = json_object_new_array();

    json_object_object_add(object, "ids", ids);
    enum outcome outcome =
        targets->no_memory ? ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory")
                           : end_all(ctl, targets, end, hexadecimal, ids);
    free(targets->ids);
    if (outcome == OUTCOME_DONE)
        return show_object(ctl, object, columns);
    json_object_put(object);
    return outcome;
}
