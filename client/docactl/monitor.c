// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shows events as they happen.

#include "themes.h"

#include "cleanup.h"
#include "listing.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static struct json_object *event_object(const Docad__MonitorEvent *e)
{
    struct json_object *object = json_object_new_object();
    put_number(object, "time_us", e->time_us);
    put_text(object, "event", e->event);
    if (e->id)
        put_number(object, "id", e->id);
    if (e->export_id)
        put_export_id(object, "export_id", e->export_id);
    if (e->has_owner) {
        put_number(object, "session_id", e->session_id);
        put_number(object, "pid", e->pid);
        put_number(object, "uid", e->uid);
        put_text(object, "program", e->program);
    }
    if (e->name[0])
        put_text(object, "name", e->name);
    if (e->bytes)
        put_number(object, "bytes", e->bytes);
    if (e->code)
        put_text(object, "error", doca_get_error_name((doca_error_t)e->code));
    if (e->text[0])
        put_text(object, "text", e->text);
    return object;
}

static struct json_object *lost_object(const Docad__MonitorEvent *e)
{
    struct json_object *object = json_object_new_object();
    put_number(object, "time_us", e->time_us);
    put_text(object, "event", "lost");
    put_number(object, "lost", e->lost);
    return object;
}

// Prints an event for people: "19:20:01.123456 export-begin id=7 pid=12 ...".
static void print_for_people(struct json_object *object)
{
    uint64_t us = json_object_get_uint64(json_object_object_get(object, "time_us"));
    time_t seconds = (time_t)(us / 1000000);
    struct tm tm;
    char stamp[32];
    localtime_r(&seconds, &tm);
    strftime(stamp, sizeof(stamp), "%T", &tm);
    cleanup_free char *event =
        text_for_terminal(json_object_get_string(json_object_object_get(object, "event")));
    printf("%s.%06" PRIu64 " %s", stamp, us % 1000000, event ? event : "?");
    json_object_object_foreach(object, key, value)
    {
        if (strcmp(key, "time_us") == 0 || strcmp(key, "event") == 0)
            continue;
        cleanup_free char *text = text_for_terminal(json_object_get_string(value));
        bool quoted = strcmp(key, "text") == 0;
        printf(" %s=%s%s%s", key, quoted ? "\"" : "", text ? text : "?", quoted ? "\"" : "");
    }
    putchar('\n');
}

static bool show_event(const struct ctl *ctl, struct json_object *object)
{
    if (!ctl->json)
        print_for_people(object);
    bool ok = ctl->json ? output_line(object) : fflush(stdout) == 0 && !ferror(stdout);
    json_object_put(object);
    return ok;
}

static enum outcome follow(struct ctl *ctl)
{
    Docad__Monitor monitor = DOCAD__MONITOR__INIT;
    cleanup_message Docad__Message *reply = NULL;

    return ctl_call(ctl, message_of(MONITOR, monitor, &monitor), 0, DOCAD__MESSAGE__BODY_OK,
                    &reply);
}

enum outcome run_monitor(struct ctl *ctl)
{
    uint64_t count;

    enum outcome outcome = ctl_take_count(ctl, &count);
    if (outcome == OUTCOME_DONE)
        outcome = follow(ctl);
    while (outcome == OUTCOME_DONE && count > 0) {
        cleanup_message Docad__Message *message = NULL;
        outcome = ctl_next(ctl, &message);
        if (outcome == OUTCOME_DONE && message->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
            outcome = follow(ctl); // the restarted docad does not have this monitor
            continue;
        }
        if (outcome != OUTCOME_DONE || message->body_case != DOCAD__MESSAGE__BODY_MONITOR_EVENT)
            continue;
        const Docad__MonitorEvent *e = message->monitor_event;
        bool ok = !e->lost || show_event(ctl, lost_object(e));
        outcome = written(ctl, ok && show_event(ctl, event_object(e)));
        count--;
    }
    return outcome;
}
