// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "listing.h"

#include <errno.h>
#include <string.h>

static enum outcome written(struct ctl *ctl, bool ok)
{
    return ok ? OUTCOME_DONE
              : ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM,
                         "cannot write to standard output: %s", strerror(errno));
}

enum outcome show_array(struct ctl *ctl, struct json_object *array, const struct column *columns)
{
    return written(ctl, output_list(ctl->json, array, columns));
}

enum outcome show_object(struct ctl *ctl, struct json_object *object, const struct column *columns)
{
    return written(ctl, output_object(ctl->json, object, columns));
}

enum outcome show_list(struct ctl *ctl, Docad__List__Kind kind, page_adder add,
                       const struct column *columns)
{
    struct json_object *array = json_object_new_array();
    enum outcome outcome = connection_list(ctl, kind, add, array);
    if (outcome == OUTCOME_DONE)
        return show_array(ctl, array, columns);
    json_object_put(array);
    return outcome;
}
