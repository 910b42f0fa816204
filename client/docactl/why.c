// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Explains the error of a function, or a rule. Needs no daemon.

#include "why.h"

#include "../log/error_text.h"
#include "../workbench/rules.h"
#include "choice.h"
#include "cleanup.h"
#include "listing.h"
#include "number.h"
#include "themes.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#define PREFIX "DOCA_ERROR_"

// By name, with or without DOCA_ERROR_, or by number. Returns NULL if there is no such error.
static const char *find_error(const char *text)
{
    size_t skip = strncasecmp(text, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0;
    uint64_t number;

    if (number_read(text, 10, N_ERRORS - 1, &number))
        return error_name((unsigned)number);
    for (unsigned i = 1; i < N_ERRORS; i++)
        if (strcasecmp(error_name(i) + strlen(PREFIX), text + skip) == 0)
            return error_name(i);
    return NULL;
}

static const char *meaning_of(const char *error)
{
    for (unsigned i = 0; i < N_ERRORS; i++) {
        const char *name = error_name(i);
        if (strcmp(name, error) == 0)
            return error_description(i);
    }
    return "";
}

static void add(struct json_object *array, const struct why_row *row)
{
    struct json_object *object = json_object_new_object();
    put_text(object, "function", row->function);
    put_text(object, "generation", row->generation);
    put_text(object, "error", row->error);
    put_text(object, "why", row->why[0] ? row->why : meaning_of(row->error));
    json_object_array_add(array, object);
}

// Returns how many functions were found, whatever they return.
static size_t collect(const char *function, const char *error, struct json_object *array)
{
    size_t found = 0;
    for (size_t i = 0; i < n_why_rows; i++) {
        if (fnmatch(function, why_rows[i].function, 0) != 0)
            continue;
        found++;
        if (!error || strcmp(error, why_rows[i].error) == 0)
            add(array, &why_rows[i]);
    }
    return found;
}

static enum outcome no_function(struct ctl *ctl, const char *function)
{
    const char *error = find_error(function);
    struct choice near = {.n = 0};
    char name[CHOICE_WORD_MAX + 1], hint[256] = "";

    if (error)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "%s means: %s; write the function in front of it. docactl why '*' %s shows "
                        "which functions return it, and when",
                        error, meaning_of(error), error);
    snprintf(name, sizeof(name), "%s%s", strncmp(function, "doca", 4) == 0 ? "" : "doca_",
             function);
    for (size_t i = 0; i < n_why_rows; i++)
        choice_add_near(&near, why_rows[i].function, name);
    choice_did_you_mean(&near, hint, sizeof(hint));
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, "no header has a function '%s'%s%s",
                    function, hint,
                    *hint ? "" : "; a pattern finds several: docactl why 'doca_mmap_*'");
}

static enum outcome nothing(struct ctl *ctl, const char *function, const char *error, size_t found)
{
    if (found == 0)
        return no_function(ctl, function);
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "the header names no case in which %s returns %s (%s); see the program's log, "
                    "and 'docactl why %s' for what it returns",
                    function, error, meaning_of(error), function);
}

// Rules of docad-run --check=rules. Returns false for any other word.
static bool add_rule(const char *id, struct json_object *array)
{
    static const struct why_row rows[] = {
#define ROW(name, rule, what, remedy, why, guide)                                                  \
    {rule, "", "", "This rule says that " what ". " why " " remedy " See " guide "."},
        RULES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].function, id) == 0) {
            add(array, &rows[i]);
            return true;
        }
    return false;
}

enum outcome run_why(struct ctl *ctl)
{
    const char *function = ctl->args.positional[0], *text = ctl->args.positional[1];
    const char *error = text ? find_error(text) : NULL;

    if (text && !error)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "there is no error '%s'; write DOCA_ERROR_IN_USE, in_use or its number",
                        text);
    struct json_object *array = json_object_new_array();
    size_t found = text || !add_rule(function, array) ? collect(function, error, array) : 1;
    if (json_object_array_length(array) > 0)
        return show_array(ctl, array, why_fields);
    json_object_put(array);
    return nothing(ctl, function, error, found);
}
