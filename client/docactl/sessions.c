// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shows one session; ends one session, or all of a process.

#include "themes.h"

#include "cleanup.h"
#include "ctl_call.h"
#include "fields.h"
#include "listing.h"
#include "number.h"
#include "targets.h"

#include <inttypes.h>
#include <stdlib.h>

static enum outcome take_number(struct ctl *ctl, uint64_t *id)
{
    const char *text = ctl->args.positional[0];

    if (number_read(text, 10, UINT64_MAX, id))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "a session is named by its number, see 'docactl sessions'; got '%s'", text);
}

// ---- one of them -------------------------------------------------------------------------

struct shown {
    uint64_t id;
    struct json_object *found;
};

static void pick_one(const Docad__ListReply *page, void *arg)
{
    struct shown *shown = arg;

    for (size_t i = 0; i < page->n_sessions; i++)
        if (page->sessions[i]->id == shown->id && !shown->found)
            shown->found = message_to_json(&page->sessions[i]->base, session_show_fields);
}

// The quotas are a table below the rest.
static enum outcome show_session(struct ctl *ctl, struct json_object *session)
{
    struct json_object *quotas =
        ctl->json ? NULL : json_object_get(json_object_object_get(session, "quotas"));
    enum outcome outcome = show_object(ctl, session, session_show_fields);

    if (!quotas || outcome != OUTCOME_DONE) {
        json_object_put(quotas);
        return outcome;
    }
    printf("\n");
    return show_array(ctl, quotas, quota_fields);
}

enum outcome run_sessions_show(struct ctl *ctl)
{
    struct shown shown = {0};
    enum outcome outcome = take_number(ctl, &shown.id);
    if (outcome == OUTCOME_DONE)
        outcome = ctl_list(ctl, DOCAD__LIST__KIND__SESSIONS, pick_one, &shown);
    if (outcome == OUTCOME_DONE && shown.found)
        return show_session(ctl, shown.found);
    json_object_put(shown.found);
    if (outcome != OUTCOME_DONE)
        return outcome;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "node %s has no session %" PRIu64 ": it may have ended; 'docactl sessions' "
                    "lists all sessions",
                    ctl->node_name, shown.id);
}

// ---- the end ------------------------------------------------------------------------------

struct wanted {
    uint64_t pid;
    struct targets targets;
};

static void pick(const Docad__ListReply *page, void *arg)
{
    struct wanted *wanted = arg;

    for (size_t i = 0; i < page->n_sessions; i++)
        if (page->sessions[i]->pid == wanted->pid)
            targets_add(&wanted->targets, page->sessions[i]->id);
}

static enum outcome take_one(struct ctl *ctl, struct targets *targets)
{
    uint64_t id;

    enum outcome outcome = take_number(ctl, &id);
    if (outcome == OUTCOME_DONE)
        targets_add(targets, id);
    return outcome;
}

static enum outcome take(struct ctl *ctl, struct wanted *wanted)
{
    bool by_pid = ctl->args.options[OPTION_PID] != NULL;

    if (by_pid == (ctl->args.n > 0))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "takes either the number of a session or --pid");
    if (!by_pid)
        return take_one(ctl, &wanted->targets);
    wanted->targets.listed = true;
    enum outcome outcome = targets_take_pid(ctl, &wanted->pid);
    if (outcome == OUTCOME_DONE)
        outcome = ctl_list(ctl, DOCAD__LIST__KIND__SESSIONS, pick, wanted);
    if (outcome != OUTCOME_DONE || wanted->targets.n > 0 || wanted->targets.no_memory)
        return outcome;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "process %" PRIu64 " has no session on node %s; see 'docactl sessions'",
                    wanted->pid, ctl->node_name);
}

static enum outcome end(struct ctl *ctl, uint64_t id)
{
    Docad__SessionEnd m = DOCAD__SESSION_END__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.session_id = id;
    return ctl_call(ctl, message_of(SESSION_END, session_end, &m), 0, DOCAD__MESSAGE__BODY_OK,
                    &reply);
}

enum outcome run_sessions_end(struct ctl *ctl)
{
    struct wanted wanted = {0};

    enum outcome outcome = take(ctl, &wanted);
    if (outcome == OUTCOME_DONE)
        return targets_end(ctl, &wanted.targets, end, false, ended_fields);
    free(wanted.targets.ids);
    return outcome;
}
