// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "view.h"

#include "cleanup.h"
#include "copy_text.h"
#include "fields.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

// ---- finding a column ----------------------------------------------------------------------

static bool is_like(const char *name, size_t length, const char *word)
{
    return word && strlen(word) == length && strncasecmp(name, word, length) == 0;
}

// Finds a field by its title, or its name in JSON.
static const struct column *find(const struct column *fields, const char *name, size_t length)
{
    for (; fields->key; fields++)
        if (is_like(name, length, fields->title) || is_like(name, length, fields->key))
            return fields;
    return NULL;
}

static enum outcome unknown(struct ctl *ctl, const struct column *fields, const char *option,
                            const char *name, size_t length)
{
    char known[384] = "";
    for (; fields->key; fields++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", fields->key);
    }
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "%s: there is no column '%.*s'; there are: %s", option, (int)length, name,
                    known);
}

// ---- columns ---------------------------------------------------------------------------

// Returns the column of a field. A field that only JSON has gets its name as a title.
static struct column shown(const struct column *field)
{
    struct column column = *field;
    if (!column.title)
        column.title = column.key;
    return column;
}

static size_t usual_columns(const struct column *fields, struct view *view)
{
    size_t n = 0;
    for (; fields->key && n < VIEW_COLUMNS_MAX; fields++)
        if (fields->title)
            view->columns[n++] = *fields;
    return n;
}

static enum outcome take_columns(struct ctl *ctl, const struct column *fields, struct view *view)
{
    const char *names = ctl->args.options[OPTION_COLUMNS];
    size_t n = !names || *names == '+' ? usual_columns(fields, view) : 0;

    view->named = names;
    if (names && *names == '+')
        names++;
    while (names && n < VIEW_COLUMNS_MAX) {
        size_t length = strcspn(names, ",");
        const struct column *field = find(fields, names, length);
        if (!field)
            return unknown(ctl, fields, "--columns", names, length);
        view->columns[n++] = shown(field);
        names = names[length] ? names + length + 1 : NULL;
    }
    return OUTCOME_DONE;
}

// ---- rows ------------------------------------------------------------------------------

static enum outcome take_condition(struct ctl *ctl, const struct column *fields,
                                   struct condition *condition, const char *text, size_t length)
{
    size_t name = 0;
    while (name < length && text[name] != '=' && text[name] != '!')
        name++;
    condition->unlike = name < length && text[name] == '!';
    size_t value = name + 1 + condition->unlike;
    if (value > length || text[value - 1] != '=' || length - value >= sizeof(condition->pattern))
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--filter takes COLUMN=PATTERN or COLUMN!=PATTERN, not '%.*s'", (int)length,
                        text);
    condition->column = find(fields, text, name);
    if (!condition->column)
        return unknown(ctl, fields, "--filter", text, name);
    memcpy(condition->pattern, text + value, length - value);
    condition->pattern[length - value] = '\0';
    return OUTCOME_DONE;
}

static enum outcome take_conditions(struct ctl *ctl, const struct column *fields, struct view *view)
{
    const char *text = ctl->args.options[OPTION_FILTER];
    enum outcome outcome = OUTCOME_DONE;

    while (text && outcome == OUTCOME_DONE) {
        size_t length = strcspn(text, ",");
        if (view->n_conditions == VIEW_CONDITIONS_MAX)
            return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                            "--filter takes at most %d conditions", VIEW_CONDITIONS_MAX);
        outcome =
            take_condition(ctl, fields, &view->conditions[view->n_conditions++], text, length);
        text = text[length] ? text + length + 1 : NULL;
    }
    return outcome;
}

static bool meets(const struct condition *condition, struct json_object *row)
{
    cleanup_free char *text = output_cell(row, condition->column);
    bool like = text && fnmatch(condition->pattern, text, FNM_CASEFOLD) == 0;
    return like != condition->unlike;
}

static bool is_needed(const struct view *view, const char *key)
{
    for (const struct column *c = view->columns; c->key; c++)
        if (strcmp(c->key, key) == 0)
            return true;
    for (size_t i = 0; i < view->n_conditions; i++)
        if (strcmp(view->conditions[i].column->key, key) == 0)
            return true;
    return view->sort && strcmp(view->sort->key, key) == 0;
}

void view_needs(const struct view *view, const struct column *fields,
                struct column needed[VIEW_COLUMNS_MAX + 1])
{
    size_t n = 0;
    for (; fields->key && n < VIEW_COLUMNS_MAX; fields++)
        if (is_needed(view, fields->key))
            needed[n++] = *fields;
    needed[n] = (struct column)COLUMNS_END;
}

bool view_wants(const struct view *view, struct json_object *row)
{
    for (size_t i = 0; i < view->n_conditions; i++)
        if (!meets(&view->conditions[i], row))
            return false;
    return true;
}

// Numbers are sorted with the largest first.
static int compare(const void *a, const void *b, void *arg)
{
    const struct column *column = arg;
    struct json_object *x = json_object_object_get(*(struct json_object *const *)a, column->key);
    struct json_object *y = json_object_object_get(*(struct json_object *const *)b, column->key);

    if (output_is_number(column)) {
        double m = json_object_get_double(x), n = json_object_get_double(y);
        return (m < n) - (m > n);
    }
    const char *s = json_object_get_string(x), *t = json_object_get_string(y);
    return strcmp(s ? s : "", t ? t : "");
}

// Rows that are equal stay in their order.
static void sort(const struct column *column, struct json_object *array)
{
    size_t n = json_object_array_length(array);
    struct json_object **rows = calloc(n ? n : 1, sizeof(struct json_object *));

    for (size_t i = 0; rows && i < n; i++)
        rows[i] = json_object_get(json_object_array_get_idx(array, i));
    if (rows)
        qsort_r(rows, n, sizeof(struct json_object *), compare, (void *)column);
    for (size_t i = 0; rows && i < n; i++)
        json_object_array_put_idx(array, i, rows[i]);
    free(rows);
}

struct json_object *view_rows(const struct view *view, struct json_object *array)
{
    struct json_object *rows = json_object_new_array();

    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *row = json_object_array_get_idx(array, i);
        if (view_wants(view, row))
            json_object_array_add(rows, json_object_get(row));
    }
    json_object_put(array);
    if (view->sort)
        sort(view->sort, rows);
    return rows;
}

// ---- interface -------------------------------------------------------------------------

enum outcome view_take(struct ctl *ctl, const struct column *fields, struct view *view)
{
    const char *by = ctl->args.options[OPTION_SORT];

    *view = (struct view){.no_headers = ctl->args.options[OPTION_NO_HEADERS]};
    if (by && !(view->sort = find(fields, by, strlen(by))))
        return unknown(ctl, fields, "--sort", by, strlen(by));
    enum outcome outcome = take_columns(ctl, fields, view);
    return outcome == OUTCOME_DONE ? take_conditions(ctl, fields, view) : outcome;
}

struct table view_table(const struct view *view)
{
    return (struct table){
        .columns = view->columns, .keep_all = view->named, .no_headers = view->no_headers};
}

bool view_print(const struct view *view, struct json_object *array)
{
    const struct table table = view_table(view);
    return table_print(array, &table);
}
