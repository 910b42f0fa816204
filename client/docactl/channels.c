// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel's services and channels, and sync events.

#include "themes.h"

#include "listing.h"

static void add_services(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_services; i++) {
        const Docad__ServiceInfo *s = page->services[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", s->id);
        put_number(object, "session_id", s->session_id);
        put_number(object, "pid", s->pid);
        put_number(object, "uid", s->uid);
        put_text(object, "program", s->program);
        put_text(object, "name", s->name);
        put_text(object, "representor", s->representor);
        put_text(object, "pci_address", s->pci_address);
        put_number(object, "channels", s->channels);
        json_object_array_add(array, object);
    }
}

enum outcome run_channels_services(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"PROGRAM", "program", COLUMN_TEXT},
        {"REPRESENTOR", "representor", COLUMN_TEXT},
        {"PCI ADDRESS", "pci_address", COLUMN_TEXT},
        {"CHANNELS", "channels", COLUMN_NUMBER},
        {"NAME", "name", COLUMN_TEXT},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__SERVICES, add_services, columns);
}

static void add_channels(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_channels; i++) {
        const Docad__ChannelInfo *c = page->channels[i];
        struct json_object *object = json_object_new_object();
        put_number(object, "id", c->id);
        put_number(object, "session_id", c->session_id);
        put_number(object, "pid", c->pid);
        put_number(object, "uid", c->uid);
        put_text(object, "side", c->side);
        put_text(object, "service", c->name);
        put_text(object, "peer_node", c->peer_node);
        put_number(object, "peer_pid", c->peer_pid);
        json_object_array_add(array, object);
    }
}

enum outcome run_channels(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_NUMBER},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"SIDE", "side", COLUMN_TEXT},
        {"PEER NODE", "peer_node", COLUMN_TEXT},
        {"PEER PID", "peer_pid", COLUMN_NUMBER},
        {"SERVICE", "service", COLUMN_TEXT},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__CHANNELS, add_channels, columns);
}

// ---- sync events: exports of another kind ----------------------------------------------

static void add_events(const Docad__ListReply *page, void *array)
{
    for (size_t i = 0; i < page->n_exports; i++) {
        const Docad__ExportInfo *e = page->exports[i];
        if (e->target != DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT)
            continue;
        struct json_object *object = json_object_new_object();
        put_export_id(object, "id", e->id);
        put_number(object, "session_id", e->session_id);
        put_number(object, "pid", e->pid);
        put_number(object, "uid", e->uid);
        put_text(object, "program", e->program);
        put_text(object, "function", e->function);
        put_text(object, "counter", e->length == 8 ? "brokered" : "mapped");
        put_number(object, "importers", e->n_importers);
        json_object_array_add(array, object);
    }
}

enum outcome run_events(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"ID", "id", COLUMN_TEXT},
        {"PID", "pid", COLUMN_NUMBER},
        {"UID", "uid", COLUMN_NUMBER},
        {"PROGRAM", "program", COLUMN_TEXT},
        {"FUNCTION", "function", COLUMN_TEXT},
        {"COUNTER", "counter", COLUMN_TEXT},
        {"IMPORTERS", "importers", COLUMN_NUMBER},
        {.title = NULL},
    };
    return show_list(ctl, DOCAD__LIST__KIND__EXPORTS, add_events, columns);
}
