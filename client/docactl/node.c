// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The daemon itself, what it offers, and its linked nodes.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"

static enum outcome get_status(struct ctl *ctl, Docad__Message **reply)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    return ctl_call(ctl, message_of(STATUS, status, &status), 0, DOCAD__MESSAGE__BODY_STATUS_REPLY,
                    reply);
}

enum outcome fetch_status(struct ctl *ctl, struct json_object **out)
{
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = get_status(ctl, &reply);
    if (outcome == OUTCOME_DONE)
        *out = message_to_json(&reply->status_reply->base, status_fields);
    return outcome;
}

enum outcome run_status(struct ctl *ctl)
{
    struct json_object *object;
    enum outcome outcome = fetch_status(ctl, &object);
    return outcome == OUTCOME_DONE ? show_object(ctl, object, status_fields) : outcome;
}

// ---- functions ---------------------------------------------------------------------

static enum outcome get_functions(struct ctl *ctl, Docad__Message **reply)
{
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    return ctl_call(ctl, message_of(FUNCTION_LIST, function_list, &list), 0,
                    DOCAD__MESSAGE__BODY_FUNCTION_LIST_REPLY, reply);
}

enum outcome fetch_devices(struct ctl *ctl, struct json_object *array)
{
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = get_functions(ctl, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    const Docad__FunctionListReply *list = reply->function_list_reply;
    for (size_t i = 0; i < list->n_functions; i++)
        json_object_array_add(array, message_to_json(&list->functions[i]->base, device_fields));
    return OUTCOME_DONE;
}

// ---- representors --------------------------------------------------------------------

struct representors {
    const Docad__FunctionListReply *functions;
    struct json_object *array;
};

static const char *function_name(const Docad__FunctionListReply *list, uint32_t id)
{
    for (size_t i = 0; i < list->n_functions; i++) {
        if (list->functions[i]->id == id)
            return list->functions[i]->name;
    }
    return "";
}

static void add_representors(const Docad__ListReply *page, void *arg)
{
    struct representors *all = arg;
    for (size_t i = 0; i < page->n_representors; i++) {
        const Docad__Representor *r = page->representors[i];
        struct json_object *object = message_to_json(&r->base, representor_fields);
        put_text(object, "parent", function_name(all->functions, r->parent_function));
        json_object_array_add(all->array, object);
    }
}

enum outcome fetch_representors(struct ctl *ctl, struct json_object *array)
{
    cleanup_message Docad__Message *functions = NULL;
    enum outcome outcome = get_functions(ctl, &functions);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct representors all = {functions->function_list_reply, array};
    return ctl_list(ctl, DOCAD__LIST__KIND__REPRESENTORS, add_representors, &all);
}
