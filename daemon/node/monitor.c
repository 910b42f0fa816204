// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "monitor.h"

#include "clock.h"
#include "connection.h"
#include "node.h"
#include "session.h"
#include "user.h"

#define QUEUED_MAX 262144 // bytes that may wait for one tool, if its limit is not lower

static bool may_see(const struct session *session, const struct monitor_event *event)
{
    if (event->for_all)
        return true;
    return event->owner ? session_may_see(session, event->owner) : session_is_privileged(session);
}

static bool has_room(const struct session *session)
{
    uint64_t limit = node_limits(session->node)->value[LIMIT_QUEUED_OUTPUT] / 2;
    return connection_queued(session->connection) < (limit < QUEUED_MAX ? limit : QUEUED_MAX);
}

void monitor_tell(struct node *node, const struct monitor_event *event)
{
    struct session *s;
    if (node->n_monitors == 0)
        return;

    Docad__MonitorEvent m = DOCAD__MONITOR_EVENT__INIT;
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.body_case = DOCAD__MESSAGE__BODY_MONITOR_EVENT;
    message.monitor_event = &m;
    m.time_us = clock_wall_us();
    m.event = (char *)event->event;
    m.id = event->id;
    m.export_id = event->export_id;
    m.name = (char *)(event->name ? event->name : "");
    m.text = (char *)(event->text ? event->text : "");
    m.bytes = event->bytes;
    m.code = event->code;
    if (event->owner) {
        m.has_owner = true;
        m.session_id = event->owner->id;
        m.pid = (uint32_t)event->owner->pid;
        m.uid = event->owner->credentials.uid;
        m.program = (char *)event->owner->program;
    }
    list_for_each (s, &node->sessions, in_node) {
        if (!s->monitor.on || s == event->owner || !may_see(s, event))
            continue;
        if (!has_room(s)) {
            s->monitor.lost++;
            node->counters.monitor_events_lost++;
            continue;
        }
        m.lost = s->monitor.lost;
        s->monitor.lost = 0;
        connection_send(s->connection, &message, NULL, 0);
    }
}

void monitor_begin(struct session *session)
{
    session->node->n_monitors += !session->monitor.on;
    session->monitor.on = true;
}

void monitor_end(struct session *session)
{
    session->node->n_monitors -= session->monitor.on;
    session->monitor.on = false;
}
