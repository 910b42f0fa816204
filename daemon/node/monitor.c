// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "monitor.h"

#include "clock.h"
#include "connection.h"
#include "copy_text.h"
#include "node.h"
#include "session.h"
#include "user.h"

#define QUEUED_MAX 262144 // bytes that may wait for one tool, if its limit is not lower
#define LOG_EVENTS 512    // that tools may not have looked at yet

struct entry {
    struct monitor_event event; // its owner and texts are those below
    uint64_t time_us;
    bool has_owner;
    uint64_t owner_id;
    pid_t owner_pid;
    uid_t owner_uid;
    char program[sizeof(((struct session *)0)->program)];
    char name[256], text[sizeof(struct errtext)];
};

// The latest events, while there are tools.
struct monitor_log {
    uint64_t next; // the number of the next event
    struct entry entries[LOG_EVENTS];
};

static struct entry *entry_of(struct monitor_log *log, uint64_t number)
{
    return &log->entries[number % LOG_EVENTS];
}

static bool may_see(const struct session *s, const struct entry *e)
{
    if (e->has_owner && e->owner_id == s->id)
        return false; // what it does itself
    return e->event.for_all || session_is_privileged(s) ||
           (e->has_owner && e->owner_uid == s->credentials.uid);
}

static bool has_room(const struct session *session)
{
    uint64_t limit = node_limits(session->node)->value[LIMIT_QUEUED_OUTPUT] / 2;
    return connection_queued(session->connection) < (limit < QUEUED_MAX ? limit : QUEUED_MAX);
}

static void send_entry(struct session *s, struct entry *e)
{
    Docad__MonitorEvent m = DOCAD__MONITOR_EVENT__INIT;
    m.time_us = e->time_us;
    m.event = (char *)e->event.event;
    m.id = e->event.id;
    m.export_id = e->event.export_id;
    m.name = e->name;
    m.text = e->text;
    m.bytes = e->event.bytes;
    m.code = e->event.code;
    m.has_owner = e->has_owner;
    m.session_id = e->owner_id;
    m.pid = (uint32_t)e->owner_pid;
    m.uid = e->owner_uid;
    m.program = e->program;
    m.lost = s->monitor.lost;
    s->monitor.lost = 0;
    connection_send(s->connection, message_of(MONITOR_EVENT, monitor_event, &m), NULL, 0);
}

static void lose(struct session *s)
{
    s->monitor.lost++;
    s->node->counters.monitor_events_lost++;
}

// Looks at one event.
static bool look(struct turn *turn)
{
    struct session *s = container_of(turn, struct session, monitor.turn);
    struct monitor_log *log = s->node->monitor_log;

    if (s->monitor.next == log->next)
        return false;
    struct entry *e = entry_of(log, s->monitor.next++);
    if (may_see(s, e) && has_room(s))
        send_entry(s, e);
    else if (may_see(s, e))
        lose(s);
    return s->monitor.next != log->next;
}

// The oldest event makes room for a new one.
static void drop_oldest(struct node *node)
{
    struct monitor_log *log = node->monitor_log;
    struct session *s;

    if (log->next < LOG_EVENTS)
        return;
    uint64_t oldest = log->next - LOG_EVENTS;
    list_for_each (s, &node->monitors, monitor.in_node) {
        if (s->monitor.next != oldest)
            continue;
        s->monitor.next++;
        if (may_see(s, entry_of(log, oldest)))
            lose(s);
    }
}

static void fill(struct entry *e, const struct monitor_event *event)
{
    const struct session *owner = event->owner;
    *e = (struct entry){.event = *event, .time_us = clock_wall_us(), .has_owner = owner};
    copy_text(e->name, event->name ? event->name : "");
    copy_text(e->text, event->text ? event->text : "");
    e->event.owner = NULL;
    if (!owner)
        return;
    e->owner_id = owner->id;
    e->owner_pid = owner->pid;
    e->owner_uid = owner->credentials.uid;
    copy_text(e->program, owner->program);
}

void monitor_tell(struct node *node, const struct monitor_event *event)
{
    struct monitor_log *log = node->monitor_log;
    struct session *s;

    if (!log)
        return;
    drop_oldest(node);
    fill(entry_of(log, log->next++), event);
    list_for_each (s, &node->monitors, monitor.in_node) {
        if (s->monitor.turn.turns)
            turn_want(&s->monitor.turn);
        else
            look(&s->monitor.turn);
    }
}

bool monitor_begin(struct session *session)
{
    struct node *node = session->node;
    struct monitor *monitor = &session->monitor;

    if (monitor->on)
        return true;
    if (!node->monitor_log && !(node->monitor_log = calloc(1, sizeof(*node->monitor_log))))
        return false;
    *monitor = (struct monitor){
        .on = true,
        .next = node->monitor_log->next,
        .turn = {.take = look, .turns = node->turns, .user = &session->user->turns}};
    list_init(&monitor->turn.in_user);
    list_append(&node->monitors, &monitor->in_node);
    return true;
}

void monitor_end(struct session *session)
{
    struct node *node = session->node;

    if (!session->monitor.on)
        return;
    turn_drop(&session->monitor.turn);
    list_remove(&session->monitor.in_node);
    session->monitor.on = false;
    if (!list_empty(&node->monitors))
        return;
    free(node->monitor_log);
    node->monitor_log = NULL;
}
