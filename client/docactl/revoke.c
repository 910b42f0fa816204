// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Ends exports: one, that of a name, or all of a process.

#include "themes.h"

#include "cleanup.h"
#include "ctl_call.h"
#include "fields.h"
#include "owned_name.h"
#include "targets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wanted {
    const char *name;           // or
    char room[OWNED_NAME_SIZE]; // for it
    uint64_t pid;
    struct targets targets;
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

    for (size_t i = 0; i < page->n_exports; i++)
        if (is_wanted(wanted, page->exports[i]))
            targets_add(&wanted->targets, page->exports[i]->id);
}

static enum outcome find(struct ctl *ctl, struct wanted *wanted)
{
    wanted->targets.listed = true;
    enum outcome outcome = ctl_list(ctl, DOCAD__LIST__KIND__EXPORTS, pick, wanted);
    if (outcome != OUTCOME_DONE || wanted->targets.n > 0 || wanted->targets.no_memory)
        return outcome;
    if (wanted->name)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "no export of node %s is published as '%s'; see 'docactl exports'",
                        ctl->node_name, wanted->name);
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "process %" PRIu64 " has no exports on node %s; see 'docactl exports'",
                    wanted->pid, ctl->node_name);
}

// docad lists names of other users with their uid, and one's own without.
static enum outcome take_name(struct ctl *ctl, struct wanted *wanted)
{
    char resolved[OWNED_NAME_SIZE];
    struct owned_name name;
    struct errtext why;
    doca_error_t error = owned_name_resolve(wanted->name, resolved, &why);
    if (error != DOCA_SUCCESS)
        return ctl_fail(ctl, OUTCOME_USAGE, error, "--name: %s", why.s);
    uint32_t user = (uint32_t)geteuid();
    if (owned_name_split(resolved, &name))
        owned_name_write(wanted->room, sizeof(wanted->room), name.name,
                         name.has_owner ? name.uid : user, user);
    wanted->name = wanted->room;
    return OUTCOME_DONE;
}

static enum outcome take(struct ctl *ctl, struct wanted *wanted)
{
    const char *pid = ctl->args.options[OPTION_PID];
    uint64_t id;

    wanted->name = ctl->args.options[OPTION_NAME];
    if ((wanted->name != NULL) + (pid != NULL) + (ctl->args.n > 0) != 1)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "takes either an ID, or --name, or --pid");
    enum outcome outcome = targets_take_pid(ctl, &wanted->pid);
    if (outcome == OUTCOME_DONE && wanted->name)
        outcome = take_name(ctl, wanted);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (pid || wanted->name)
        return find(ctl, wanted);
    outcome = take_id(ctl, &id);
    if (outcome == OUTCOME_DONE)
        targets_add(&wanted->targets, id);
    return outcome;
}

static enum outcome revoke_one(struct ctl *ctl, uint64_t id)
{
    Docad__ExportRevoke m = DOCAD__EXPORT_REVOKE__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.export_id = id;
    return ctl_call(ctl, message_of(EXPORT_REVOKE, export_revoke, &m), 0, DOCAD__MESSAGE__BODY_OK,
                    &reply);
}

enum outcome run_exports_revoke(struct ctl *ctl)
{
    struct wanted wanted = {0};

    enum outcome outcome = take(ctl, &wanted);
    if (outcome == OUTCOME_DONE)
        return targets_end(ctl, &wanted.targets, revoke_one, true, revoked_fields);
    free(wanted.targets.ids);
    return outcome;
}
