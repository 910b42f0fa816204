// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The manual page, written from the tables of commands, options and JSON members when
// docad is built.

#include "docactl.h"
#include "fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- the manual page ---------------------------------------------------------------------

// Escapes text for roff: a backslash, a dash, and . or ' at the beginning of a line.
static void roff(const char *text)
{
    bool begin = true;
    for (; *text; text++) {
        if (begin && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        begin = *text == '\n';
    }
}

// Options of commands that list are explained once. `lists`: print these, or all others.
static bool is_of_lists(const struct option_spec *option)
{
    return option->id == OPTION_COLUMNS || option->id == OPTION_FILTER ||
           option->id == OPTION_SORT || option->id == OPTION_NO_HEADERS;
}

static void man_some(const struct option_spec *options, bool lists)
{
    for (; options && options->name; options++) {
        if (is_of_lists(options) != lists)
            continue;
        printf(".TP\n\\fB\\-%c\\fR, \\fB\\-\\-", options->letter);
        roff(options->name);
        printf("\\fR");
        if (options->argument)
            printf(" \\fI%s\\fR", options->argument);
        putchar('\n');
        roff(options->help);
        puts(".");
    }
}

static void man_options(const struct option_spec *options)
{
    bool lists = false;

    man_some(options, false);
    for (const struct option_spec *o = options; o && o->name; o++)
        lists |= is_of_lists(o);
    if (!lists)
        return;
    fputs(".PP\nAs every list:", stdout);
    const char *before = " ";
    for (const struct option_spec *o = options; o->name; o++) {
        if (!is_of_lists(o))
            continue;
        printf("%s\\fB\\-\\-", before);
        roff(o->name);
        printf("\\fR");
        before = ", ";
    }
    puts(".");
}

static void man_fields(const struct column *columns)
{
    for (const struct column *c = columns; c->key; c++) {
        fputs(".TP\n\\fB", stdout);
        roff(c->key);
        printf("\\fR (%s%s)\n", column_type(c), c->optional ? ", may be absent" : "");
        roff(c->help);
        puts(".");
        if (c->members) {
            puts(".RS");
            man_fields(c->members);
            puts(".RE");
        }
    }
}

// The fields are described where they are first used.
static const struct command *same_fields(const struct command *command)
{
    for (const struct command *c = ctl_commands; c < command; c++)
        if (c->fields == command->fields)
            return c;
    return NULL;
}

static void man_command(const struct command *command)
{
    static const char *const shapes[] = {[SHAPE_OBJECT] = "an object",
                                         [SHAPE_ARRAY] = "an array of objects",
                                         [SHAPE_LINES] = "an object on each line"};
    fputs(".SS ", stdout);
    roff(command->name);
    printf("%s%s\n", command->arguments ? " " : "", command->arguments ? command->arguments : "");
    putchar(toupper((unsigned char)command->summary[0]));
    roff(command->summary + 1);
    puts(".");
    if (command->detail) {
        roff(command->detail);
        putchar('\n');
    }
    man_options(command->options);
    if (!command->fields)
        return;
    const struct command *first = same_fields(command);
    printf(".PP\nWith \\fB\\-\\-json\\fR: %s%s", shapes[command->shape],
           first ? ", with the members of " : ".\n");
    if (first) {
        fputs("\\fB", stdout);
        roff(first->name);
        puts("\\fR.");
        return;
    }
    puts(".RS");
    man_fields(command->fields);
    puts(".RE");
}

static void man_page(void)
{
    puts(".\\\" Written by docactl from its table of commands.\n"
         ".TH DOCACTL 1 \"" DOCAD_RELEASED "\" \"docad " DOCAD_VERSION "\" \"docad\"\n"
         ".SH NAME\n"
         "docactl \\- show and change what a docad daemon does\n"
         ".SH SYNOPSIS\n"
         "\\fBdocactl\\fR [\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
         ".SH DESCRIPTION\n"
         "docactl is the operator's window into \\fBdocad\\fR(8): devices, programs, exported\n"
         "memory, queues, events and rates.\n"
         "Users other than root and docad's own see only their own objects.\n"
         ".SH OPTIONS\n"
         "Options may stand before or after the command. Words of a command may be cut short as\n"
         "long as they are unambiguous: \\fBdocactl exp na\\fR is \\fBdocactl exports names\\fR.\n"
         "On a terminal a table leaves out columns for which there is no room, and says which.");
    man_options(global_options);
    puts(".SS Options of commands that list");
    man_some(list_options, true);
    puts(".SH COMMANDS");
    for (size_t i = 0; i < n_ctl_commands; i++)
        man_command(&ctl_commands[i]);
    puts(
        ".SH JSON\n"
        "The id of an export is text of 16 hexadecimal digits, because it has more bits than JSON\n"
        "readers keep of a number.\n"
        "An error is an object with the members \\fBerror\\fR (the name of a doca_error_t) and\n"
        "\\fBtext\\fR, on standard error.\n"
        "\\fBdocactl help \\-\\-json\\fR prints this page's tables for programs.\n"
        "New members may be added; no member changes its meaning.\n"
        ".SH EXIT STATUS");
    static const char *const statuses[] = {
        "done", "the daemon refused, there is no such object, or a file cannot be used",
        "wrong usage", "no daemon answers, or the connection was lost",
        "the time limit was reached"};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        printf(".TP\n\\fB%zu\\fR\n%s.\n", i, statuses[i]);
    puts(".SH ENVIRONMENT\n.TP\n\\fBDOCAD_SOCKET\\fR\nThe daemon's socket.\n"
         ".TP\n\\fBNO_COLOR\\fR\nIf set and not empty: no bold text on terminals.\n"
         ".SH FILES\n.TP\n\\fI/run/docad/docad.sock\\fR\nThe system's daemon.\n"
         ".TP\n\\fI$XDG_RUNTIME_DIR/docad/docad.sock\\fR\nThe user's.\n"
         ".SH EXAMPLES\n.nf\n"
         "docactl sessions\n"
         "docactl exports revoke 5c1f2e9a00000001\n"
         "docactl \\-\\-json monitor | jq \\-c \\(aqselect(.event == \"export\\-end\")\\(aq\n"
         "docactl check\n.fi\n"
         ".SH SEE ALSO\n"
         "\\fBdocad\\fR(8), \\fBdocad.conf\\fR(5), \\fBdoca\\-perftest\\fR(1)");
}

bool help_as(const char *format)
{
    if (strcmp(format, "man") != 0)
        return completion_print(format);
    man_page();
    return true;
}
