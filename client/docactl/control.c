// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Commands that change the daemon itself.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"

enum outcome run_log_level(struct ctl *ctl)
{
    Docad__LogLevel level = DOCAD__LOG_LEVEL__INIT;
    cleanup_message Docad__Message *reply = NULL;

    if (ctl->args.n)
        level.level = (char *)ctl->args.positional[0];
    enum outcome outcome = ctl_call(ctl, message_of(LOG_LEVEL, log_level, &level), 0,
                                    DOCAD__MESSAGE__BODY_LOG_LEVEL_REPLY, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    return show_object(ctl, message_to_json(&reply->log_level_reply->base, level_fields),
                       level_fields);
}

enum outcome run_reload(struct ctl *ctl)
{
    Docad__Reload reload = DOCAD__RELOAD__INIT;
    cleanup_message Docad__Message *reply = NULL;

    enum outcome outcome = ctl_call(ctl, message_of(RELOAD, reload, &reload), 0,
                                    DOCAD__MESSAGE__BODY_RELOAD_REPLY, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    return show_object(ctl, message_to_json(&reply->reload_reply->base, reload_fields),
                       reload_fields);
}
