// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Metrics, as the daemon writes them, or sample by sample as JSON.

#include "themes.h"

#include "cleanup.h"
#include "controls.h"
#include "listing.h"

#include <errno.h>
#include <string.h>

static enum outcome get_text(struct ctl *ctl, Docad__Message **reply)
{
    Docad__Metrics metrics = DOCAD__METRICS__INIT;
    return ctl_call(ctl, message_of(METRICS, metrics, &metrics), 0,
                    DOCAD__MESSAGE__BODY_METRICS_REPLY, reply);
}

// Reads one label at *at, name="text", whose text may have \\, \" and \n, and moves on.
static bool read_label(const char **at, struct json_object *labels)
{
    const char *equal = strchr(*at, '=');
    if (!equal || equal[1] != '"')
        return false;
    cleanup_free char *name = strndup(*at, (size_t)(equal - *at));
    cleanup_free char *text = calloc(1, strlen(equal) + 1);
    const char *from = equal + 2;
    char *to = text;
    for (; name && text && *from && *from != '"'; from++) {
        bool escaped = *from == '\\' && from[1];
        from += escaped;
        *to++ = escaped && *from == 'n' ? '\n' : *from;
    }
    if (!name || !text || *from != '"')
        return false;
    put_label(labels, name, text);
    *at = from + 1 + (from[1] == ',');
    return true;
}

// json-c writes the number as it is written here.
static bool is_number(const char *text)
{
    char *end;

    strtod(text, &end);
    return end != text && !*end && strspn(text, "+-.0123456789eE") == strlen(text);
}

// Reads a line that is not a comment: name{labels} value. A value that is no finite number becomes
// null.
static struct json_object *read_sample(const char *line, const char *type)
{
    size_t n = strcspn(line, "{ ");
    cleanup_free char *name = strndup(line, n);
    struct json_object *object = json_object_new_object(), *labels = json_object_new_object();
    const char *at = line + n;
    put_text(object, "name", name);
    put_text(object, "type", type);
    if (*at == '{')
        for (at++; *at != '}' && read_label(&at, labels);)
            ;
    json_object_object_add(object, "labels", labels);
    at = strchr(at, ' ');
    const char *value = at ? at + 1 : "0";
    bool whole = strspn(value, "0123456789") == strlen(value);
    json_object_object_add(object, "value",
                           whole              ? json_object_new_uint64(strtoull(value, NULL, 10))
                           : is_number(value) ? json_object_new_double_s(strtod(value, NULL), value)
                                              : NULL);
    return object;
}

static struct json_object *parse(char *text)
{
    struct json_object *array = json_object_new_array();
    char type[32] = "", *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] != '#')
            json_object_array_add(array, read_sample(line, type));
        else
            sscanf(line, "# TYPE %*s %31s", type);
    }
    return array;
}

enum outcome fetch_metrics(struct ctl *ctl, struct json_object **out)
{
    cleanup_message Docad__Message *reply = NULL;
    enum outcome outcome = get_text(ctl, &reply);
    if (outcome == OUTCOME_DONE)
        *out = parse(reply->metrics_reply->text);
    return outcome;
}

enum outcome run_metrics(struct ctl *ctl)
{
    struct json_object *array;
    cleanup_message Docad__Message *reply = NULL;

    if (ctl->json) {
        enum outcome outcome = fetch_metrics(ctl, &array);
        return outcome == OUTCOME_DONE ? show_array(ctl, array, metric_fields) : outcome;
    }
    enum outcome outcome = get_text(ctl, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    controls_replace(reply->metrics_reply->text, '\n');
    return written(ctl, fputs(reply->metrics_reply->text, stdout) >= 0 && fflush(stdout) == 0);
}
