// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "listing.h"

#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum outcome written(struct ctl *ctl, bool ok)
{
    return ok ? OUTCOME_DONE
              : ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM,
                         "cannot write to standard output: %s", strerror(errno));
}

enum outcome show_array(struct ctl *ctl, struct json_object *array, const struct column *columns)
{
    struct view view;
    enum outcome outcome = view_take(ctl, columns, &view);

    if (outcome != OUTCOME_DONE) {
        json_object_put(array);
        return outcome;
    }
    array = view_rows(&view, array);
    if (ctl->json)
        return written(ctl, output_json(array));
    bool ok = view_print(&view, array);
    json_object_put(array);
    return ok ? written(ctl, fflush(stdout) == 0 && !ferror(stdout))
              : ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
}

enum outcome show_object(struct ctl *ctl, struct json_object *object, const struct column *columns)
{
    return written(ctl, output_object(ctl->json, object, columns));
}

struct collector {
    const struct listing *listing;
    struct json_object *array;
};

static void add_page(const Docad__ListReply *page, void *arg)
{
    const struct collector *c = arg;
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(page->base.descriptor, c->listing->field);
    size_t n;
    ProtobufCMessage **items;
    memcpy(&n, (const char *)page + field->quantifier_offset, sizeof(n));
    memcpy(&items, (const char *)page + field->offset, sizeof(items));
    for (size_t i = 0; i < n; i++) {
        if (!c->listing->wanted || c->listing->wanted(items[i]))
            json_object_array_add(c->array, message_to_json(items[i], c->listing->columns));
    }
}

enum outcome fetch_list(struct ctl *ctl, const struct listing *listing, struct json_object *array)
{
    struct collector collector = {listing, array};
    return ctl_list(ctl, listing->kind, add_page, &collector);
}
