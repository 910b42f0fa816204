// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks whether a daemon answers. Scripts use it to wait for one that starts, and for its links.

#include "themes.h"

#include "cleanup.h"
#include "clock.h"
#include "listing.h"

#include <time.h>

#define POLL_MS 50

static enum outcome send_ping(struct ctl *ctl, Docad__Message **reply, uint64_t *ns)
{
    Docad__Status status = DOCAD__STATUS__INIT;
    enum outcome outcome = ctl_open(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;
    uint64_t before = clock_ns();
    outcome = ctl_call(ctl, message_of(STATUS, status, &status), 0,
                       DOCAD__MESSAGE__BODY_STATUS_REPLY, reply);
    *ns = clock_ns() - before;
    return outcome;
}

static enum outcome check_links(struct ctl *ctl, const Docad__StatusReply *status)
{
    if (status->peers && status->peers_linked == status->peers)
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_TIMED_OUT, DOCA_ERROR_NOT_CONNECTED,
                    status->peers
                        ? "node %s is linked with %u of %u nodes: 'docactl peers' says why"
                        : "node %s knows no other node, and none has linked with it",
                    status->node_name, status->peers_linked, status->peers);
}

// Tries once. A daemon that does not answer, or has ended, may answer later.
static enum outcome try(struct ctl *ctl, Docad__Message **reply, uint64_t *ns, bool *may_come)
{
    enum outcome outcome = send_ping(ctl, reply, ns);
    *may_come = outcome == OUTCOME_NO_DAEMON || outcome == OUTCOME_TIMED_OUT;
    if (*may_come)
        ctl_close(ctl);
    if (outcome != OUTCOME_DONE || !ctl->args.options[OPTION_LINKED])
        return outcome;
    outcome = check_links(ctl, (*reply)->status_reply);
    *may_come = outcome != OUTCOME_DONE;
    return outcome;
}

enum outcome run_ping(struct ctl *ctl)
{
    cleanup_message Docad__Message *reply = NULL;
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
    const char *wait = ctl->args.options[OPTION_WAIT];
    uint32_t wait_ms = 0;
    uint64_t ns = 0;
    bool may_come;

    if (wait && !parse_seconds(wait, &wait_ms))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--wait takes seconds, such as 2 or 0.5, not '%s'", wait);
    uint64_t until = clock_ms() + wait_ms;
    enum outcome outcome = try(ctl, &reply, &ns, &may_come);
    while (outcome != OUTCOME_DONE && may_come && clock_ms() < until) {
        nanosleep(&pause, NULL);
        message_freep(&reply);
        reply = NULL;
        outcome = try(ctl, &reply, &ns, &may_come);
    }
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *object = json_object_new_object();
    put_text(object, "node_name", reply->status_reply->node_name);
    put_number(object, "round_trip_us", (ns + 500) / 1000);
    return show_object(ctl, object, ping_fields);
}
