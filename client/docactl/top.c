// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shows how fast programs work, again and again.

#include "themes.h"

#include "cleanup.h"
#include "clock.h"
#include "keyboard.h"
#include "listing.h"
#include "view.h"

#include <string.h>

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

// The sums of the rows that are shown.
static struct json_object *total(struct json_object *rows)
{
    struct json_object *object = json_object_new_object();
    for (const struct column *c = top_total_fields; c->key; c++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < json_object_array_length(rows); i++)
            sum += member(json_object_array_get_idx(rows, i), c->key);
        put_number(object, c->key, sum);
    }
    return object;
}

// A new session had done nothing before.
static struct json_object *rates(const struct view *view, const struct sample *now,
                                 const struct sample *before)
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
    json_object_object_add(object, "sessions", view_rows(view, array));
    json_object_object_add(object, "total", total(json_object_object_get(object, "sessions")));
    return object;
}

// The totals are the last row.
static bool show_table(const struct view *view, struct json_object *object)
{
    bool terminal = isatty(STDOUT_FILENO);
    struct json_object *rows = json_object_get(json_object_object_get(object, "sessions"));
    struct json_object *sums = json_object_get(json_object_object_get(object, "total"));

    put_text(sums, "program", "(all)");
    json_object_array_add(rows, sums);
    fputs(terminal ? "\033[H\033[2J" : "", stdout);
    bool ok = view_print(view, rows);
    if (!terminal)
        putchar('\n');
    json_object_put(rows);
    return fflush(stdout) == 0 && !ferror(stdout) && ok;
}

static bool show_rates(const struct ctl *ctl, const struct view *view, struct json_object *object)
{
    bool ok = ctl->json ? output_line(object) : show_table(view, object);
    json_object_put(object);
    return ok;
}

static enum outcome show_again(struct ctl *ctl, const struct view *view, uint32_t interval_ms,
                               uint64_t count)
{
    struct sample before = {0}, now;
    enum outcome outcome = take_sample(ctl, &before);

    for (; outcome == OUTCOME_DONE && count > 0; count--) {
        if (keyboard_wait(interval_ms) == 'q')
            break;
        outcome = take_sample(ctl, &now);
        if (outcome == OUTCOME_DONE)
            outcome = written(ctl, show_rates(ctl, view, rates(view, &now, &before)));
        json_object_put(before.sessions);
        before = now;
    }
    json_object_put(before.sessions);
    return outcome;
}

enum outcome run_top(struct ctl *ctl)
{
    const char *text = ctl->args.options[OPTION_INTERVAL];
    uint32_t interval_ms = 1000;
    struct view view;
    uint64_t count;

    if (text && (!parse_seconds(text, &interval_ms) || interval_ms == 0))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--interval takes seconds, such as 2 or 0.5, not '%s'", text);
    enum outcome outcome = ctl_take_count(ctl, &count);
    if (outcome == OUTCOME_DONE)
        outcome = view_take(ctl, top_session_fields, &view);
    if (outcome != OUTCOME_DONE)
        return outcome;
    keyboard_open();
    outcome = show_again(ctl, &view, interval_ms, count);
    keyboard_close();
    return outcome;
}
