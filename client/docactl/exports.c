// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Exported memory, the names it goes by, and its end.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"

#include <inttypes.h>

static struct json_object *importers_array(const Docad__ExportInfo *e)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < e->n_importers; i++) {
        struct json_object *object = json_object_new_object();
        put_text(object, "node", e->importers[i]->node);
        put_number(object, "session_id", e->importers[i]->session_id);
        put_number(object, "pid", e->importers[i]->pid);
        put_number(object, "uid", e->importers[i]->uid);
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *export_object(const Docad__ExportInfo *e)
{
    struct json_object *object = json_object_new_object();
    put_export_id(object, "id", e->id);
    put_number(object, "region_id", e->region_id);
    put_number(object, "session_id", e->session_id);
    put_number(object, "pid", e->pid);
    put_number(object, "uid", e->uid);
    put_text(object, "program", e->program);
    put_number(object, "address", e->address);
    put_number(object, "length", e->length);
    put_access(object, "access", e->access);
    put_text(object, "target",
             e->target == DOCAD__EXPORT_TARGET__TARGET_DPU          ? "dpu"
             : e->target == DOCAD__EXPORT_TARGET__TARGET_RDMA       ? "rdma"
             : e->target == DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT ? "sync-event"
                                                                    : "none");
    put_text(object, "function", e->function);
    put_text(object, "pci_address", e->pci_address);
    put_texts(object, "published", (const char *const *)e->published, e->n_published);
    json_object_object_add(object, "importers", importers_array(e));
    return object;
}

static void add_exports(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_exports; i++)
        json_object_array_add(array, export_object(page->exports[i]));
}

enum outcome run_exports_list(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_TEXT},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"PROGRAM", "program", COLUMN_TEXT},
        {"FUNCTION", "function", COLUMN_TEXT},
        {"TARGET", "target", COLUMN_TEXT},
        {"LENGTH", "length", COLUMN_BYTES},
        {"IMPORTERS", "importers", COLUMN_COUNT},
        {"NAMES", "published", COLUMN_LIST},
        {"ACCESS", "access", COLUMN_LIST},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__EXPORTS, add_exports, columns);
}

// ---- one of them -----------------------------------------------------------------------

enum outcome take_id(struct ctl *ctl, uint64_t *id)
{
    if (parse_id(ctl->args.positional[0], id))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "an export's id is hexadecimal digits, as 'docactl exports' lists it, not '%s'",
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
            wanted->found = export_object(page->exports[i]);
    }
}

// Lists have no column for objects in objects: people see the importers below.
static enum outcome show_importers(struct ctl *ctl, struct json_object *importers)
{
    static const struct column columns[] = {
        {"NODE", "node", COLUMN_TEXT},
        {"SESSION", "session_id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {.title = NULL},
    };
    printf("\n");
    return show_array(ctl, importers, columns);
}

enum outcome run_exports_show(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"export", "id", COLUMN_TEXT},
        {"region", "region_id", COLUMN_NUMBER},
        {"session", "session_id", COLUMN_NUMBER},
        {"pid", "pid", COLUMN_NUMBER},
        {"uid", "uid", COLUMN_NUMBER},
        {"program", "program", COLUMN_TEXT},
        {"address", "address", COLUMN_ADDRESS},
        {"length", "length", COLUMN_BYTES},
        {"access", "access", COLUMN_LIST},
        {"target", "target", COLUMN_TEXT},
        {"function", "function", COLUMN_TEXT},
        {"PCI address", "pci_address", COLUMN_TEXT},
        {"names", "published", COLUMN_LIST},
        {"importers", "importers", COLUMN_COUNT},
        {.title = NULL},
    };
    struct wanted wanted = {0};
    enum outcome outcome = take_id(ctl, &wanted.id);
    if (outcome == OUTCOME_DONE)
        outcome = connection_list(ctl, DOCAD__LIST__KIND__EXPORTS, pick_export, &wanted);
    if (outcome != OUTCOME_DONE) {
        json_object_put(wanted.found);
        return outcome;
    }
    if (!wanted.found)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "node %s has no export %016" PRIx64 ": it may have ended; 'docactl "
                        "exports' lists those there are",
                        ctl->node_name, wanted.id);

    struct json_object *importers = json_object_object_get(wanted.found, "importers");
    bool below = !ctl->json && json_object_array_length(importers) > 0;
    importers = below ? json_object_get(importers) : NULL;
    outcome = show_object(ctl, wanted.found, columns);
    if (below && outcome == OUTCOME_DONE)
        return show_importers(ctl, importers);
    json_object_put(importers);
    return outcome;
}

enum outcome run_exports_revoke(struct ctl *ctl)
{
    static const struct column columns[] = {{"revoked", "id", COLUMN_TEXT}, {.title = NULL}};
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    enum outcome outcome = take_id(ctl, &revoke.export_id);
    if (outcome != OUTCOME_DONE)
        return outcome;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_EXPORT_REVOKE;
    request.export_revoke = &revoke;
    cleanup_message Docad__Message *reply = NULL;
    outcome = connection_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_OK, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *object = json_object_new_object();
    put_export_id(object, "id", revoke.export_id);
    return show_object(ctl, object, columns);
}

// ---- names -------------------------------------------------------------------------------

static void add_names(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_publications; i++) {
        const Docad__PublicationInfo *p = page->publications[i];
        struct json_object *object = json_object_new_object();
        put_text(object, "name", p->name);
        put_text(object, "node", p->node);
        put_export_id(object, "export_id", p->export_id);
        put_text(object, "owner_node", p->owner_node);
        json_object_array_add(array, object);
    }
}

enum outcome run_exports_names(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"NAME", "name", COLUMN_TEXT},
        {"PUBLISHED ON", "node", COLUMN_TEXT},
        {"EXPORT", "export_id", COLUMN_TEXT},
        {"OWNER", "owner_node", COLUMN_TEXT},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__PUBLICATIONS, add_names, columns);
}
