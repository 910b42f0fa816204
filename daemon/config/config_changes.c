// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_changes.h"

#include "cleanup.h"
#include "config_table.h"

#include <string.h>

struct comparison {
    const struct config_section *section;
    const char *title; // NULL: the section has none
    void (*changed)(void *arg, const char *text);
    void *arg;
    unsigned n;
};

static void report(struct comparison *c, const char *text)
{
    c->changed(c->arg, text);
    c->n++;
}

// "name", "section.name" or "section \"title\": name".
static void write_key(const struct comparison *c, const char *option, char *text, size_t size)
{
    if (c->title)
        snprintf(text, size, "%s \"%s\": %s", c->section->name, c->title, option);
    else
        snprintf(text, size, "%s%s%s", c->section->name ? c->section->name : "",
                 c->section->name ? "." : "", option);
}

static void compare_option(struct comparison *c, const struct config_option *o, const void *was,
                           const void *is)
{
    struct config_printed before = config_print_value(o, was), now = config_print_value(o, is);
    char key[160], text[CONFIG_CHANGE_SIZE];

    // An option that was not set is printed as an example.
    const char *from = before.is_set || !c->section->sparse ? before.text : "not set";
    const char *to = now.is_set || !c->section->sparse ? now.text : "not set";
    if (from && to && strcmp(from, to) != 0) {
        write_key(c, o->name, key, sizeof(key));
        snprintf(text, sizeof(text), "%s = %s (was %s)", key, to, from);
        report(c, text);
    }
    free(before.text);
    free(now.text);
}

static void compare_options(struct comparison *c, const void *was, const void *is)
{
    for (size_t i = 0; i < c->section->n_options; i++)
        compare_option(c, &c->section->options[i], was, is);
}

// ---- sections with titles ---------------------------------------------------------------------

static const char *item_at(const struct config_section *s, const struct config *config, size_t i)
{
    return (const char *)config + s->items + i * s->item_size;
}

static size_t count_of(const struct config_section *s, const struct config *config)
{
    return *(const size_t *)((const char *)config + s->count);
}

static const char *find(const struct config_section *s, const struct config *config,
                        const char *title)
{
    for (size_t i = 0; i < count_of(s, config); i++)
        if (strcmp(item_at(s, config, i) + s->title, title) == 0)
            return item_at(s, config, i);
    return NULL;
}

static void report_whole(struct comparison *c, const char *what)
{
    char text[CONFIG_CHANGE_SIZE];
    // docad logs separately which functions come and go.
    if (c->section->items == offsetof(struct config, functions))
        return;
    snprintf(text, sizeof(text), "%s \"%s\" %s", c->section->name, c->title, what);
    report(c, text);
}

// Peers of the command line have no title, and do not change.
static void compare_titled(struct comparison *c, const struct config *was, const struct config *is)
{
    const struct config_section *s = c->section;

    for (size_t i = 0; i < count_of(s, was); i++) {
        c->title = item_at(s, was, i) + s->title;
        const char *now = find(s, is, c->title);
        if (!now)
            report_whole(c, "was removed");
        else if (*c->title)
            compare_options(c, item_at(s, was, i), now);
    }
    for (size_t i = 0; i < count_of(s, is); i++) {
        c->title = item_at(s, is, i) + s->title;
        if (!find(s, was, c->title))
            report_whole(c, "is new");
    }
}

unsigned config_changes(const struct config *was, const struct config *is,
                        void (*changed)(void *arg, const char *text), void *arg)
{
    struct comparison c = {.changed = changed, .arg = arg};
    size_t n;
    const struct config_section *sections = config_sections(&n);

    for (size_t i = 0; i < n; i++) {
        c.section = &sections[i];
        c.title = NULL;
        if (sections[i].max)
            compare_titled(&c, was, is);
        else
            compare_options(&c, was, is);
    }
    return c.n;
}
