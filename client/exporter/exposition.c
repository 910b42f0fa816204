// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "exposition.h"

#include "metric_label.h"

#include <stdlib.h>
#include <string.h>

// One metric with all that its samples have in common. Its texts are lines without their end.
struct family {
    struct family *next;
    char *name, *type, *help, *unit;
    FILE *lines; // its samples; writes to the two below
    char *samples;
    size_t size;
};

struct exposition {
    struct family *first, **end;
};

const char *exposition_type(enum exposition_format format)
{
    return format == EXPOSITION_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

enum exposition_format exposition_choose(const char *accept)
{
    return accept && strcasestr(accept, "application/openmetrics-text") ? EXPOSITION_OPENMETRICS
                                                                        : EXPOSITION_PROMETHEUS;
}

struct exposition *exposition_new(void)
{
    struct exposition *e = calloc(1, sizeof(*e));
    if (e)
        e->end = &e->first;
    return e;
}

static void family_free(struct family *f)
{
    if (f->lines)
        fclose(f->lines);
    free(f->samples);
    free(f->name);
    free(f->type);
    free(f->help);
    free(f->unit);
    free(f);
}

struct exposition *exposition_free(struct exposition *e)
{
    struct family *next;
    for (struct family *f = e ? e->first : NULL; f; f = next) {
        next = f->next;
        family_free(f);
    }
    free(e);
    return NULL;
}

// ---- reading --------------------------------------------------------------------------------

static struct family *family_of(struct exposition *e, const char *name)
{
    struct family *f = e->first;
    while (f && strcmp(f->name, name) != 0)
        f = f->next;
    if (f)
        return f;
    f = calloc(1, sizeof(*f));
    if (!f)
        return NULL;
    f->name = strdup(name);
    f->lines = open_memstream(&f->samples, &f->size);
    if (!f->name || !f->lines) {
        family_free(f);
        return NULL;
    }
    *e->end = f;
    e->end = &f->next;
    return f;
}

// Only the first daemon's text is kept: all are the same.
static bool set(char **member, const char *text)
{
    if (!*member)
        *member = strdup(text);
    return *member != NULL;
}

// Parses "# TYPE docad_jobs counter": the samples that follow are of this family.
static bool add_about(struct exposition *e, char *line, struct family **now)
{
    char *rest = line + 2, *what = strsep(&rest, " "), *name = strsep(&rest, " ");
    if (!rest)
        return true;
    struct family *f = family_of(e, name);
    if (!f)
        return false;
    *now = f;
    if (strcmp(what, "TYPE") == 0)
        return set(&f->type, rest);
    if (strcmp(what, "HELP") == 0)
        return set(&f->help, rest);
    return strcmp(what, "UNIT") != 0 || set(&f->unit, rest);
}

static bool add_sample(struct family *family, const char *daemon, const char *line)
{
    size_t name = strcspn(line, "{ ");

    fprintf(family->lines, "%.*s{", (int)name, line);
    metric_label(family->lines, "daemon", daemon);
    if (line[name] == '{')
        fprintf(family->lines, ",%s\n", line + name + 1);
    else
        fprintf(family->lines, "}%s\n", line + name);
    return !ferror(family->lines);
}

static bool add_lines(struct exposition *e, const char *daemon, char *text)
{
    struct family *now = NULL;
    bool ok = true;
    char *line;

    while (ok && (line = strsep(&text, "\n")))
        if (strncmp(line, "# ", 2) == 0)
            ok = add_about(e, line, &now);
        else if (*line && now)
            ok = add_sample(now, daemon, line);
    return ok;
}

static bool is_whole(const char *text)
{
    static const char end[] = "\n# EOF\n";
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool exposition_add(struct exposition *e, const char *daemon, char *text)
{
    bool up = text && is_whole(text);
    struct family *f = family_of(e, "docad_up");
    return f && set(&f->type, "gauge") &&
           set(&f->help, "Whether the metrics of the daemon could be read.") &&
           add_sample(f, daemon, up ? "docad_up 1" : "docad_up 0") &&
           (!up || add_lines(e, daemon, text));
}

// ---- writing --------------------------------------------------------------------------------

// The format of Prometheus calls families of some types by the names of their samples.
static const char *suffix(const struct family *f, enum exposition_format format)
{
    if (format == EXPOSITION_OPENMETRICS || !f->type)
        return "";
    return strcmp(f->type, "counter") == 0 ? "_total" : strcmp(f->type, "info") == 0 ? "_info" : "";
}

static const char *type_of(const struct family *f, enum exposition_format format)
{
    if (!f->type)
        return format == EXPOSITION_OPENMETRICS ? "unknown" : "untyped";
    return format == EXPOSITION_PROMETHEUS && strcmp(f->type, "info") == 0 ? "gauge" : f->type;
}

static void write_family(FILE *out, const struct family *f, enum exposition_format format)
{
    const char *end = suffix(f, format);
    fflush(f->lines);
    fprintf(out, "# TYPE %s%s %s\n", f->name, end, type_of(f, format));
    if (f->help)
        fprintf(out, "# HELP %s%s %s\n", f->name, end, f->help);
    if (f->unit && format == EXPOSITION_OPENMETRICS)
        fprintf(out, "# UNIT %s %s\n", f->name, f->unit);
    fputs(f->samples, out);
}

char *exposition_text(const struct exposition *e, enum exposition_format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const struct family *f = e->first; f; f = f->next)
        write_family(out, f, format);
    if (format == EXPOSITION_OPENMETRICS)
        fputs("# EOF\n", out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
