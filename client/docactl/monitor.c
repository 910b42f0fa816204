// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shows events as they happen, and how fast programs work.

#include "themes.h"

#include "cleanup.h"
#include "clock.h"
#include "listing.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static enum outcome take_count(struct ctl *ctl, uint64_t *count)
{
    const char *text = ctl->args.options[OPTION_COUNT];
    *count = UINT64_MAX;
    if (!text || parse_count(text, count))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "--count takes a number of at least 1, not '%s'", text);
}

static bool print_line(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_NOSLASHESCAPE));
    return fflush(stdout) == 0 && !ferror(stdout);
}

// ---- monitor -----------------------------------------------------------------------------

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
    printf("%s.%06" PRIu64 " %s", stamp, us % 1000000,
           json_object_get_string(json_object_object_get(object, "event")));
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
    bool ok = ctl->json ? print_line(object) : fflush(stdout) == 0 && !ferror(stdout);
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

    enum outcome outcome = take_count(ctl, &count);
    if (outcome == OUTCOME_DONE)
        outcome = follow(ctl);
    while (outcome == OUTCOME_DONE && count > 0) {
        cleanup_message Docad__Message *message = NULL;
        outcome = ctl_next(ctl, &message);
        if (outcome == OUTCOME_DONE && message->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
            outcome = follow(ctl); // the restarted docad does not know this monitor
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

// ---- top ---------------------------------------------------------------------------------

struct sample {
    struct json_object *sessions;
    uint64_t at_us;
};

static bool is_program(const ProtobufCMessage *item)
{
    return !((const Docad__SessionInfo *)item)->tool;
}

static enum outcome take_sample(struct ctl *ctl, struct sample *sample)
{
    const struct listing listing = {DOCAD__LIST__KIND__SESSIONS, "sessions", session_fields,
                                    is_program};
    sample->sessions = json_object_new_array();
    sample->at_us = clock_ns() / 1000;
    return fetch_list(ctl, &listing, sample->sessions);
}

static uint64_t member(struct json_object *object, const char *key)
{
    return object ? json_object_get_uint64(json_object_object_get(object, key)) : 0;
}

static struct json_object *same_session(struct json_object *sessions, uint64_t id)
{
    for (size_t i = 0; i < json_object_array_length(sessions); i++) {
        struct json_object *s = json_object_array_get_idx(sessions, i);
        if (member(s, "id") == id)
            return s;
    }
    return NULL;
}

static struct json_object *rates_of(struct json_object *now, struct json_object *before,
                                    uint64_t us)
{
    static const char *const counted[][2] = {{"jobs", "jobs_per_s"},
                                             {"failed_jobs", "failed_per_s"},
                                             {"mapped_bytes", "mapped_bytes_per_s"},
                                             {"engine_bytes", "engine_bytes_per_s"}};
    static const char *const copied[] = {"id", "pid", "uid", "program", "region_bytes"};
    struct json_object *object = json_object_new_object();
    for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
        json_object_object_add(object, copied[i],
                               json_object_get(json_object_object_get(now, copied[i])));
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
        uint64_t n = member(now, counted[i][0]), m = member(before, counted[i][0]);
        double rate = n > m && us ? (double)(n - m) * 1e6 / (double)us : 0;
        put_number(object, counted[i][1], (uint64_t)(rate + 0.5));
    }
    return object;
}

// A new session had done nothing before.
static struct json_object *rates(const struct sample *now, const struct sample *before)
{
    uint64_t us = now->at_us - before->at_us;
    struct json_object *object = json_object_new_object(), *array = json_object_new_array();
    put_number(object, "time_us", clock_wall_us());
    put_number(object, "interval_us", us);
    for (size_t i = 0; i < json_object_array_length(now->sessions); i++) {
        struct json_object *s = json_object_array_get_idx(now->sessions, i);
        json_object_array_add(array,
                              rates_of(s, same_session(before->sessions, member(s, "id")), us));
    }
    json_object_object_add(object, "sessions", array);
    return object;
}

static bool show_rates(const struct ctl *ctl, struct json_object *object)
{
    bool ok;
    if (ctl->json) {
        ok = print_line(object);
    } else {
        bool terminal = isatty(STDOUT_FILENO);
        fputs(terminal ? "\033[H\033[2J" : "", stdout);
        ok = output_list(false, json_object_get(json_object_object_get(object, "sessions")),
                         top_session_fields);
        if (!terminal)
            putchar('\n');
        ok = fflush(stdout) == 0 && ok;
    }
    json_object_put(object);
    return ok;
}

static void pause_for(uint32_t ms)
{
    struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) < 0)
        ;
}

enum outcome run_top(struct ctl *ctl)
{
    const char *text = ctl->args.options[OPTION_INTERVAL];
    uint32_t interval_ms = 1000;
    uint64_t count;

    if (text && (!parse_seconds(text, &interval_ms) || interval_ms == 0))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--interval takes seconds, such as 2 or 0.5, not '%s'", text);
    enum outcome outcome = take_count(ctl, &count);
    struct sample before = {0}, now;
    if (outcome == OUTCOME_DONE)
        outcome = take_sample(ctl, &before);
    for (; outcome == OUTCOME_DONE && count > 0; count--) {
        pause_for(interval_ms);
        outcome = take_sample(ctl, &now);
        if (outcome == OUTCOME_DONE)
            outcome = written(ctl, show_rates(ctl, rates(&now, &before)));
        json_object_put(before.sessions);
        before = now;
    }
    json_object_put(before.sessions);
    return outcome;
}
