// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shows one export.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"

#include <inttypes.h>

// ---- one of them -----------------------------------------------------------------------

enum outcome take_id(struct ctl *ctl, uint64_t *id)
{
    if (parse_id(ctl->args.positional[0], id))
        return OUTCOME_DONE;
    return ctl_fail(
        ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
        "an export's id consists of hexadecimal digits, see 'docactl exports'; got '%s'",
        ctl->args.positional[0]);
}

struct wanted {
    uint64_t id;
    struct json_object *found;
};

static void pick_export(const Docad__ListReply *page, void *arg)
{
    struct wanted *wanted = arg;
    for (size_t i = 0; i < page->n_exports; i++) {
        if (page->exports[i]->id == wanted->id && !wanted->found)
            wanted->found = message_to_json(&page->exports[i]->base, export_show_fields);
    }
}

// A list has no columns for nested objects: the importers are printed below it.
static enum outcome show_importers(struct ctl *ctl, struct json_object *importers)
{
    printf("\n");
    return show_array(ctl, importers, importer_fields);
}

enum outcome run_exports_show(struct ctl *ctl)
{
    struct wanted wanted = {0};
    enum outcome outcome = take_id(ctl, &wanted.id);
    if (outcome == OUTCOME_DONE)
        outcome = ctl_list(ctl, DOCAD__LIST__KIND__EXPORTS, pick_export, &wanted);
    if (outcome != OUTCOME_DONE) {
        json_object_put(wanted.found);
        return outcome;
    }
    if (!wanted.found)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "node %s has no export %016" PRIx64 ": it may have ended; 'docactl "
                        "exports' lists all exports",
                        ctl->node_name, wanted.id);

    struct json_object *importers = json_object_object_get(wanted.found, "importers");
    bool below = !ctl->json && json_object_array_length(importers) > 0;
    importers = below ? json_object_get(importers) : NULL;
    outcome = show_object(ctl, wanted.found, export_show_fields);
    if (below && outcome == OUTCOME_DONE)
        return show_importers(ctl, importers);
    json_object_put(importers);
    return outcome;
}
