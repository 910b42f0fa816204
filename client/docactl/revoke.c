// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of exports: of one, of what a name stands for, or of all that a process has.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"
#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    const char *name; // or
    uint64_t pid;
    uint64_t *ids;
    size_t n;
    bool no_memory;
};

static bool is_wanted(const struct wanted *wanted, const Docad__ExportInfo *e)
{
    if (!wanted->name)
        return e->pid == wanted->pid;
    for (size_t i = 0; i < e->n_published; i++)
        if (strcmp(e->published[i], wanted->name) == 0)
            return true;
    return false;
}

static void pick(const Docad__ListReply *page, void *arg)
{
    struct wanted *wanted = arg;

    for (size_t i = 0; i < page->n_exports; i++) {
        if (!is_wanted(wanted, page->exports[i]))
            continue;
        uint64_t *ids = reallocarray(wanted->ids, wanted->n + 1, sizeof(*ids));
        if (!ids) {
            wanted->no_memory = true;
            return;
        }
        wanted->ids = ids;
        wanted->ids[wanted->n++] = page->exports[i]->id;
    }
}

static enum outcome find(struct ctl *ctl, struct wanted *wanted)
{
    enum outcome outcome = ctl_list(ctl, DOCAD__LIST__KIND__EXPORTS, pick, wanted);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (wanted->no_memory)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
    if (wanted->n > 0)
        return OUTCOME_DONE;
    if (wanted->name)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "no export of node %s is published as '%s'; see 'docactl exports'",
                        ctl->node_name, wanted->name);
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "process %" PRIu64 " has no exports on node %s; see 'docactl exports'",
                    wanted->pid, ctl->node_name);
}

static enum outcome take(struct ctl *ctl, struct wanted *wanted)
{
    const char *pid = ctl->args.options[OPTION_PID];

    wanted->name = ctl->args.options[OPTION_NAME];
    if ((wanted->name != NULL) + (pid != NULL) + (ctl->args.n > 0) != 1)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "takes either an ID, or --name, or --pid");
    if (pid && !number_read(pid, 10, UINT32_MAX, &wanted->pid))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--pid takes the number of a process, not '%s'", pid);
    if (pid || wanted->name)
        return find(ctl, wanted);
    wanted->ids = calloc(1, sizeof(*wanted->ids));
    if (!wanted->ids)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
    wanted->n = 1;
    return take_id(ctl, wanted->ids);
}

static enum outcome revoke_one(struct ctl *ctl, uint64_t id)
{
    Docad__ExportRevoke m = DOCAD__EXPORT_REVOKE__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.export_id = id;
    return ctl_call(ctl, message_of(EXPORT_REVOKE, export_revoke, &m), 0, DOCAD__MESSAGE__BODY_OK,
                    &reply);
}

// Of several, some may end by themselves meanwhile.
static enum outcome revoke_all(struct ctl *ctl, const struct wanted *wanted,
                               struct json_object *revoked)
{
    for (size_t i = 0; i < wanted->n; i++) {
        enum outcome outcome = revoke_one(ctl, wanted->ids[i]);
        bool ended = outcome == OUTCOME_REFUSED && ctl->error == DOCA_ERROR_NOT_FOUND;
        if (outcome != OUTCOME_DONE && !(ended && ctl->args.n == 0))
            return outcome;
        char text[24];
        snprintf(text, sizeof(text), "%016" PRIx64, wanted->ids[i]);
        json_object_array_add(revoked, json_object_new_string(text));
    }
    return OUTCOME_DONE;
}

enum outcome run_exports_revoke(struct ctl *ctl)
{
    struct wanted wanted = {0};
    struct json_object *object = json_object_new_object(), *ids = json_object_new_array();

    json_object_object_add(object, "ids", ids);
    enum outcome outcome = take(ctl, &wanted);
    if (outcome == OUTCOME_DONE)
        outcome = revoke_all(ctl, &wanted, ids);
    free(wanted.ids);
    if (outcome == OUTCOME_DONE)
        return show_object(ctl, object, revoked_fields);
    json_object_put(object);
    return outcome;
}
