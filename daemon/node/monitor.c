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
#define LOG_EVENTS 512    // that tools may not have read yet

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
        return false; // the tool's own actions are not reported
    return e->event.for_all || session_is_privileged(s) ||
           (e->has_owner && e->owner_uid == s->credentials.uid);
}

static uint64_t queued_max(const struct node *node)
{
    uint64_t limit = node_limits(node)->value[LIMIT_QUEUED_OUTPUT] / 2;
    return limit < QUEUED_MAX ? limit : QUEUED_MAX;
}

static bool has_room(const struct session *session)
{
    return connection_queued(session->connection) < queued_max(session->node);
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

static void lose(struct session *s, uint64_t n)
{
    s->monitor.lost += n;
    s->node->counters.monitor_events_lost += n;
}

// The log has room for the latest events: earlier ones are lost.
static void skip_overwritten(struct session *s)
{
    struct monitor_log *log = s->node->monitor_log;
    uint64_t oldest = log->next < LOG_EVENTS ? 0 : log->next - LOG_EVENTS, left = 0;

    if (s->monitor.next >= oldest)
        return;
    for (uint64_t i = oldest; i < log->next; i++)
        left += may_see(s, entry_of(log, i));
    lose(s, s->monitor.due - left);
    s->monitor.due = left;
    s->monitor.next = oldest;
}

// Reads the next event that the session may see.
static bool send_next(struct sched_item *turn)
{
    struct session *s = container_of(turn, struct session, monitor.turn);
    struct monitor_log *log = s->node->monitor_log;

    skip_overwritten(s);
    if (s->monitor.due == 0)
        return false;
    struct entry *e = entry_of(log, s->monitor.next++);
    while (!may_see(s, e))
        e = entry_of(log, s->monitor.next++);
    s->monitor.due--;
    if (has_room(s))
        send_entry(s, e);
    else
        lose(s, 1);
    return s->monitor.due > 0;
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

static void queue_event(struct session *s, const struct entry *e)
{
    if (!may_see(s, e))
        return;
    // Earlier events do not concern it any more, if it has read all that did.
    if (s->monitor.due++ == 0)
        s->monitor.next = s->node->monitor_log->next - 1;
    if (s->monitor.turn.sched)
        sched_queue(&s->monitor.turn);
    else
        send_next(&s->monitor.turn);
}

static void notify_all(const struct list *monitors, const struct entry *e)
{
    struct session *s;
    list_for_each (s, monitors, monitor.in_user)
        queue_event(s, e);
}

void monitor_notify(struct node *node, const struct monitor_event *event)
{
    struct monitor_log *log = node->monitor_log;
    const struct session *owner = event->owner;
    struct session *s;

    if (!log || (!event->for_all && list_empty(&node->privileged_monitors) &&
                 (!owner || list_empty(&owner->user->monitors))))
        return;
    struct entry *e = entry_of(log, log->next++);
    fill(e, event);
    if (event->for_all) {
        list_for_each (s, &node->monitors, monitor.in_node)
            queue_event(s, e);
        return;
    }
    notify_all(&node->privileged_monitors, e);
    if (owner)
        notify_all(&owner->user->monitors, e);
}

static void uncharge(struct session *session)
{
    limit_give(&session->user->n_monitors, 1);
    limit_give(&session->user->metadata, session->monitor.bytes);
}

static doca_error_t charge(struct session *session, struct errtext *err)
{
    struct user *user = session->user;
    session->monitor.bytes = queued_max(session->node);
    const struct charge charges[] = {{LIMIT_MONITORS, &user->n_monitors, 1},
                                     {LIMIT_METADATA, &user->metadata, session->monitor.bytes}};
    return limit_take_all(node_limits(session->node), charges, ARRAY_SIZE(charges), err);
}

doca_error_t monitor_begin(struct session *session, struct errtext *err)
{
    struct node *node = session->node;
    struct monitor *monitor = &session->monitor;

    if (monitor->on)
        return DOCA_SUCCESS;
    doca_error_t r = charge(session, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!node->monitor_log && !(node->monitor_log = calloc(1, sizeof(*node->monitor_log)))) {
        uncharge(session);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    }
    *monitor = (struct monitor){
        .on = true,
        .bytes = monitor->bytes,
        .turn = {.take = send_next, .sched = node->sched, .user = &session->user->sched}};
    list_init(&monitor->turn.in_user);
    list_append(&node->monitors, &monitor->in_node);
    list_append(session_is_privileged(session) ? &node->privileged_monitors
                                               : &session->user->monitors,
                &monitor->in_user);
    return DOCA_SUCCESS;
}

void monitor_end(struct session *session)
{
    struct node *node = session->node;

    if (!session->monitor.on)
        return;
    sched_dequeue(&session->monitor.turn);
    list_remove(&session->monitor.in_node);
    list_remove(&session->monitor.in_user);
    uncharge(session);
    session->monitor.on = false;
    if (!list_empty(&node->monitors))
        return;
    free(node->monitor_log);
    node->monitor_log = NULL;
}
