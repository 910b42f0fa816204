// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The programs that use the daemon, and what they hold.

#include "themes.h"

#include "listing.h"

static void add_session(struct json_object *array, const Docad__SessionInfo *s)
{
    struct json_object *object = json_object_new_object();
    put_number(object, "id", s->id);
    put_number(object, "pid", s->pid);
    put_number(object, "uid", s->uid);
    put_text(object, "program", s->program);
    put_bool(object, "tool", s->tool);
    put_number(object, "functions_open", s->functions_open);
    put_number(object, "regions", s->regions);
    put_number(object, "region_bytes", s->region_bytes);
    put_number(object, "exports", s->exports);
    put_number(object, "imports", s->imports);
    put_number(object, "queue_pairs", s->queue_pairs);
    put_number(object, "connected_ms", s->connected_ms);
    json_object_array_add(array, object);
}

static void add_programs(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_sessions; i++) {
        if (!page->sessions[i]->tool)
            add_session(array, page->sessions[i]);
    }
}

static void add_all_sessions(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_sessions; i++)
        add_session(array, page->sessions[i]);
}

enum outcome run_sessions(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"PROGRAM", "program", COLUMN_TEXT},
        {"CONNECTED", "connected_ms", COLUMN_DURATION},
        {"DEVICES", "functions_open", COLUMN_NUMBER},
        {"REGIONS", "regions", COLUMN_NUMBER},
        {"REGISTERED", "region_bytes", COLUMN_BYTES},
        {"EXPORTS", "exports", COLUMN_NUMBER},
        {"IMPORTS", "imports", COLUMN_NUMBER},
        {"QUEUES", "queue_pairs", COLUMN_NUMBER},
        {.title = NULL},
    };
    bool all = ctl->args.options[OPTION_ALL] != NULL;
    return show_list(ctl, DOCAD__LIST__KIND__SESSIONS, all ? add_all_sessions : add_programs,
                     columns);
}

static void add_regions(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_regions; i++) {
        const Docad__RegionInfo *r = page->regions[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", r->id);
        put_number(object, "session_id", r->session_id);
        put_number(object, "pid", r->pid);
        put_number(object, "uid", r->uid);
        put_number(object, "address", r->address);
        put_number(object, "length", r->length);
        put_number(object, "mapped_bytes", r->mapped_bytes);
        put_number(object, "brokered_bytes", r->brokered_bytes);
        put_access(object, "access", r->access);
        put_number(object, "exports", r->exports);
        put_number(object, "importers", r->importers);
        put_texts(object, "functions", (const char *const *)r->functions, r->n_functions);
        json_object_array_add(array, object);
    }
}

enum outcome run_regions(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"ADDRESS", "address", COLUMN_ADDRESS},
        {"LENGTH", "length", COLUMN_BYTES},
        {"MAPPED", "mapped_bytes", COLUMN_BYTES},
        {"BROKERED", "brokered_bytes", COLUMN_BYTES},
        {"EXPORTS", "exports", COLUMN_NUMBER},
        {"IMPORTERS", "importers", COLUMN_NUMBER},
        {"FUNCTIONS", "functions", COLUMN_LIST},
        {"ACCESS", "access", COLUMN_LIST},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__REGIONS, add_regions, columns);
}

static void add_imports(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_imports; i++) {
        const Docad__ImportInfo *m = page->imports[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", m->id);
        put_number(object, "session_id", m->session_id);
        put_number(object, "pid", m->pid);
        put_number(object, "uid", m->uid);
        put_text(object, "owner_node", m->owner_node);
        put_export_id(object, "export_id", m->export_id);
        put_number(object, "address", m->address);
        put_number(object, "length", m->length);
        put_access(object, "access", m->access);
        put_text(object, "state", m->state);
        json_object_array_add(array, object);
    }
}

enum outcome run_imports(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},          {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},        {"OWNER", "owner_node", COLUMN_TEXT},
        {"EXPORT", "export_id", COLUMN_TEXT}, {"ADDRESS", "address", COLUMN_ADDRESS},
        {"LENGTH", "length", COLUMN_BYTES},   {"STATE", "state", COLUMN_TEXT},
        {"ACCESS", "access", COLUMN_LIST},    {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__IMPORTS, add_imports, columns);
}

static void add_queues(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_queue_pairs; i++) {
        const Docad__QueuePairInfo *q = page->queue_pairs[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", q->id);
        put_number(object, "session_id", q->session_id);
        put_number(object, "pid", q->pid);
        put_text(object, "client_node", q->client_node);
        put_text(object, "engine_node", q->engine_node);
        put_number(object, "requests", q->requests);
        put_number(object, "bytes", q->bytes);
        put_number(object, "errors", q->errors);
        put_text(object, "state", q->state);
        json_object_array_add(array, object);
    }
}

enum outcome run_queues(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"CLIENT NODE", "client_node", COLUMN_TEXT},
        {"ENGINE", "engine_node", COLUMN_TEXT},
        {"REQUESTS", "requests", COLUMN_NUMBER},
        {"MOVED", "bytes", COLUMN_BYTES},
        {"ERRORS", "errors", COLUMN_NUMBER},
        {"STATE", "state", COLUMN_TEXT},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__QUEUE_PAIRS, add_queues, columns);
}
