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

// ---- pages -----------------------------------------------------------------------------------

// Calls `take` for each item of the page that the listing selects.
static void for_each_item(const Docad__ListReply *page, const struct listing *listing,
                          void (*take)(const ProtobufCMessage *item, void *arg), void *arg)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(page->base.descriptor, listing->field);
    size_t n;
    ProtobufCMessage **items;
    memcpy(&n, (const char *)page + field->quantifier_offset, sizeof(n));
    memcpy(&items, (const char *)page + field->offset, sizeof(items));
    for (size_t i = 0; i < n; i++)
        if (!listing->wanted || listing->wanted(items[i]))
            take(items[i], arg);
}

struct collector {
    const struct listing *listing;
    struct json_object *array;
};

static void add_item(const ProtobufCMessage *item, void *arg)
{
    const struct collector *c = arg;
    json_object_array_add(c->array, message_to_json(item, c->listing->columns));
}

static void add_page(const Docad__ListReply *page, void *arg)
{
    const struct collector *c = arg;
    for_each_item(page, c->listing, add_item, arg);
}

enum outcome fetch_list(struct ctl *ctl, const struct listing *listing, struct json_object *array)
{
    struct collector collector = {listing, array};
    return ctl_list(ctl, listing->kind, add_page, &collector);
}

// ---- as it comes -------------------------------------------------------------------------------

struct printer {
    const struct listing *listing;
    struct view view;
    struct column needed[VIEW_COLUMNS_MAX + 1];
    struct grid *grid;
    bool ok; // memory has not run out
};

static void print_item(const ProtobufCMessage *item, void *arg)
{
    struct printer *p = arg;
    if (p->view.n_conditions == 0) {
        p->ok = p->ok && table_add_message(p->grid, item);
        return;
    }
    struct json_object *row = message_to_json(item, p->needed);
    if (p->ok && view_wants(&p->view, row))
        p->ok = table_add(p->grid, row);
    json_object_put(row);
}

static void print_page(const Docad__ListReply *page, void *arg)
{
    const struct printer *p = arg;
    for_each_item(page, p->listing, print_item, arg);
}

enum outcome show_list(struct ctl *ctl, const struct listing *listing)
{
    struct printer p = {.listing = listing};
    enum outcome outcome = view_take(ctl, listing->columns, &p.view);

    if (outcome != OUTCOME_DONE)
        return outcome;
    const struct table table = view_table(&p.view);
    view_needs(&p.view, listing->columns, p.needed);
    p.grid = table_begin(&table);
    p.ok = p.grid;
    outcome = ctl_list(ctl, listing->kind, print_page, &p);
    if (outcome == OUTCOME_DONE)
        p.ok = p.ok && table_end(p.grid, &table);
    table_free(p.grid);
    if (outcome != OUTCOME_DONE)
        return outcome;
    return p.ok ? written(ctl, fflush(stdout) == 0 && !ferror(stdout))
                : ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
}
