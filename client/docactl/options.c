// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "options.h"

#include "choice.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX (7 * 86400)

const struct option_spec global_options[] = {
    {OPTION_SOCKET, 's', "socket", "PATH",
     "the daemon's socket (default: $DOCAD_SOCKET, the system's, the user's)"},
    {OPTION_JSON, 'j', "json", NULL, "print JSON instead of text"},
    {OPTION_TIMEOUT, 't', "timeout", "SECONDS",
     "how long the daemon may take to answer (default: 10)"},
    {OPTION_HELP, 'h', "help", NULL, "print help and exit"},
    {OPTION_VERSION, 'V', "version", NULL, "print the version and exit"},
    {.name = NULL},
};

static const struct option_spec *find_in(const struct option_spec *table, char letter,
                                         const char *name, size_t length)
{
    for (; table && table->name; table++) {
        if (name ? strlen(table->name) == length && memcmp(table->name, name, length) == 0
                 : table->letter == letter)
            return table;
    }
    return NULL;
}

static const struct option_spec *find(const struct option_spec *own, char letter, const char *name,
                                      size_t length)
{
    const struct option_spec *spec = find_in(own, letter, name, length);
    return spec ? spec : find_in(global_options, letter, name, length);
}

// A reader over the argument vector.
struct reader {
    int argc, next;
    char **argv;
    const struct option_spec *own;
    struct arguments *args;
    char *error;
    size_t error_size;
};

static void add_names(struct choice *choice, const struct option_spec *table)
{
    for (; table && table->name; table++)
        choice_add_option(choice, table->name);
}

static bool no_such_long(struct reader *r, const char *word, size_t length)
{
    struct choice choice = {.n = 0};
    char name[CHOICE_WORD_MAX + 1]; // no suggestion is longer

    add_names(&choice, r->own);
    add_names(&choice, global_options);
    snprintf(name, sizeof(name), "--%.*s", (int)length, word);
    snprintf(r->error, r->error_size, "unknown option --%.*s", (int)length, word);
    choice_suggest(&choice, name, r->error, r->error_size);
    return false;
}

static bool read_long(struct reader *r, const char *word)
{
    const char *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    const struct option_spec *spec = find(r->own, 0, word, length);
    if (!spec)
        return no_such_long(r, word, length);
    if (!spec->argument && value) {
        snprintf(r->error, r->error_size, "option --%s takes no argument", spec->name);
        return false;
    }
    if (spec->argument && !value && r->next == r->argc) {
        snprintf(r->error, r->error_size, "option --%s needs %s", spec->name, spec->argument);
        return false;
    }
    if (!spec->argument)
        r->args->options[spec->id] = "";
    else
        r->args->options[spec->id] = value ? value + 1 : r->argv[r->next++];
    return true;
}

// One word of short options: flags may share it, an argument follows in the same word
// or is the next one.
static bool read_short(struct reader *r, const char *letters)
{
    for (; *letters; letters++) {
        const struct option_spec *spec = find(r->own, *letters, NULL, 0);
        if (!spec) {
            snprintf(r->error, r->error_size, "unknown option -%c", *letters);
            return false;
        }
        if (!spec->argument) {
            r->args->options[spec->id] = "";
            continue;
        }
        if (!letters[1] && r->next == r->argc) {
            snprintf(r->error, r->error_size, "option -%c needs %s", *letters, spec->argument);
            return false;
        }
        r->args->options[spec->id] = letters[1] ? letters + 1 : r->argv[r->next++];
        return true;
    }
    return true;
}

static void add_positional(struct arguments *args, const char *word)
{
    if (args->n < POSITIONALS_MAX)
        args->positional[args->n] = word;
    args->n++;
}

int options_parse(struct arguments *args, int argc, char **argv, const struct option_spec *own,
                  bool stop_at_word, char *error, size_t error_size)
{
    struct reader r = {argc, 0, argv, own, args, error, error_size};
    bool options_ended = false;
    while (r.next < argc) {
        const char *word = argv[r.next];
        bool is_option = !options_ended && word[0] == '-' && word[1];
        if (!is_option && stop_at_word)
            break;
        r.next++;
        if (!is_option)
            add_positional(args, word);
        else if (strcmp(word, "--") == 0)
            options_ended = true;
        else if (word[1] == '-' ? !read_long(&r, word + 2) : !read_short(&r, word + 1))
            return -1;
    }
    return r.next;
}

bool parse_seconds(const char *text, uint32_t *ms)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(seconds) || seconds < 0 || seconds > SECONDS_MAX)
        return false;
    *ms = (uint32_t)ceil(seconds * 1000);
    return true;
}

bool parse_count(const char *text, uint64_t *count)
{
    uint64_t value;
    if (!number_read(text, 10, UINT64_MAX, &value) || value == 0)
        return false;
    *count = value;
    return true;
}

bool parse_id(const char *text, uint64_t *id)
{
    return number_read(text, 16, UINT64_MAX, id);
}
