// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The lists of objects, with a command for each, and a command for all of them.

#include "themes.h"

#include "listing.h"

#include <string.h>

static bool is_program(const ProtobufCMessage *item)
{
    return !((const Docad__SessionInfo *)item)->tool;
}

static bool is_event(const ProtobufCMessage *item)
{
    return ((const Docad__ExportInfo *)item)->target == DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
}

static enum outcome fetch_sessions(struct ctl *ctl, struct json_object *array)
{
    const struct listing listing = {DOCAD__LIST__KIND__SESSIONS, "sessions", session_fields,
                                    ctl->args.options[OPTION_ALL] ? NULL : is_program};
    return fetch_list(ctl, &listing, array);
}

// An older docad does not have lists of the other two kinds: they are then empty.
static enum outcome fetch_queues(struct ctl *ctl, struct json_object *array)
{
    static const Docad__List__Kind kinds[] = {DOCAD__LIST__KIND__QUEUE_PAIRS,
                                              DOCAD__LIST__KIND__WORK_QUEUES,
                                              DOCAD__LIST__KIND__RDMA_ENDPOINTS};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct listing listing = {kinds[i], "queue_pairs", queue_fields, NULL};
        enum outcome outcome = fetch_list(ctl, &listing, array);
        if (outcome != OUTCOME_DONE && (i == 0 || ctl->error != DOCA_ERROR_NOT_SUPPORTED))
            return outcome;
    }
    return OUTCOME_DONE;
}

// Lists that are printed in docad's order.
static const struct list_command {
    const char *name;
    struct listing listing;
    enum outcome (*fetch)(struct ctl *ctl, struct json_object *array);
} lists[] = {
    {"devices", {.columns = device_fields}, fetch_devices},
    {"representors", {.columns = representor_fields}, fetch_representors},
    {"peers", {DOCAD__LIST__KIND__PEERS, "peers", peer_fields, NULL}, NULL},
    {"sessions", {.columns = session_fields}, fetch_sessions},
    {"regions", {DOCAD__LIST__KIND__REGIONS, "regions", region_fields, NULL}, NULL},
    {"exports", {DOCAD__LIST__KIND__EXPORTS, "exports", export_fields, NULL}, NULL},
    {"exports names", {DOCAD__LIST__KIND__PUBLICATIONS, "publications", name_fields, NULL}, NULL},
    {"imports", {DOCAD__LIST__KIND__IMPORTS, "imports", import_fields, NULL}, NULL},
    {"queues", {.columns = queue_fields}, fetch_queues},
    {"channels", {DOCAD__LIST__KIND__CHANNELS, "channels", channel_fields, NULL}, NULL},
    {"channels services", {DOCAD__LIST__KIND__SERVICES, "services", service_fields, NULL}, NULL},
    {"listeners", {DOCAD__LIST__KIND__RDMA_LISTENERS, "listeners", listener_fields, NULL}, NULL},
    {"events", {DOCAD__LIST__KIND__EXPORTS, "exports", event_fields, is_event}, NULL},
};

#define N_LISTS (sizeof(lists) / sizeof(lists[0]))

static enum outcome fetch_one(struct ctl *ctl, const struct list_command *list,
                              struct json_object *array)
{
    return list->fetch ? list->fetch(ctl, array) : fetch_list(ctl, &list->listing, array);
}

static enum outcome show_one(struct ctl *ctl, const char *name)
{
    const struct list_command *list = lists;
    while (strcmp(list->name, name) != 0)
        list++;
    if (!list->fetch && !ctl->json && !ctl->args.options[OPTION_SORT])
        return show_list(ctl, &list->listing);
    struct json_object *array = json_object_new_array();
    enum outcome outcome = fetch_one(ctl, list, array);
    if (outcome == OUTCOME_DONE)
        return show_array(ctl, array, list->listing.columns);
    json_object_put(array);
    return outcome;
}

enum outcome run_list(struct ctl *ctl)
{
    return show_one(ctl, ctl->command->name);
}

enum outcome run_exports_list(struct ctl *ctl)
{
    return show_one(ctl, "exports");
}

// ---- all lists --------------------------------------------------------------------------

// "exports names" becomes the member exports_names.
static void put_list(struct json_object *object, const char *name, struct json_object *array)
{
    char key[64];
    size_t i = 0;
    for (; name[i] && i < sizeof(key) - 1; i++)
        key[i] = name[i] == ' ' ? '_' : name[i];
    key[i] = '\0';
    json_object_object_add(object, key, array);
}

enum outcome run_dump(struct ctl *ctl)
{
    struct json_object *object = json_object_new_object(), *status = NULL, *metrics = NULL;
    enum outcome outcome = fetch_status(ctl, &status);
    json_object_object_add(object, "status", status);
    for (size_t i = 0; outcome == OUTCOME_DONE && i < N_LISTS; i++) {
        struct json_object *array = json_object_new_array();
        outcome = fetch_one(ctl, &lists[i], array);
        put_list(object, lists[i].name, array);
    }
    if (outcome == OUTCOME_DONE)
        outcome = fetch_metrics(ctl, &metrics);
    json_object_object_add(object, "metrics", metrics);
    if (outcome == OUTCOME_DONE)
        return written(ctl, output_object(true, object, NULL));
    json_object_put(object);
    return outcome;
}
