// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Help, printed from the tables of commands and options.

#include "docactl.h"

#include "cleanup.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 79
// The columns where the text of a command and of an option begins.
#define COMMAND_COLUMN 31
#define OPTION_COLUMN  27

// Fills lines with a text, whose own lines end where they did in the source. Those after the first
// begin at a column.
static void print_filled(const char *text, size_t column)
{
    cleanup_free char *filled = strdup(text);
    if (!filled) {
        puts(text);
        return;
    }
    for (char *c = filled; (c = strchr(c, '\n'));)
        *c = ' ';
    text_wrap(filled, WIDTH - column);
    for (char *line = filled, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        printf("%*s%s\n", line == filled ? 0 : (int)column, "", line);
    }
}

static void print_options(const struct option_spec *options)
{
    for (; options && options->name; options++) {
        char form[64];
        snprintf(form, sizeof(form), "--%s%s%s", options->name, options->argument ? " " : "",
                 options->argument ? options->argument : "");
        printf("  -%c, %-*s ", options->letter, OPTION_COLUMN - 7, form);
        print_filled(options->help, OPTION_COLUMN);
    }
}

static void print_command_line(const struct command *command)
{
    char form[64];
    snprintf(form, sizeof(form), "%s%s%s", command->name, command->arguments ? " " : "",
             command->arguments ? command->arguments : "");
    printf("  %-*s ", COMMAND_COLUMN - 3, form);
    print_filled(command->summary, COMMAND_COLUMN);
}

void help_overview(void)
{
    puts("Usage: docactl [OPTION...] COMMAND [ARGUMENT...]\n"
         "\n"
         "Shows and changes what a docad daemon does: devices, programs, exported memory.\n"
         "\n"
         "Commands:");
    for (size_t i = 0; i < n_ctl_commands; i++)
        print_command_line(&ctl_commands[i]);
    puts("\nOptions, before or after the command:");
    print_options(global_options);
    puts("\n"
         "'docactl help COMMAND' says more. Words of a command may be cut short: exp na.\n"
         "An export's ID is hexadecimal digits.\n"
         "With --json a list is an array of objects. The id of an export is text, because\n"
         "it has more bits than JSON readers keep of a number. Errors are an object with\n"
         "\"error\" and \"text\" on standard error.\n"
         "\n"
         "Exit status:\n"
         "  0  done\n"
         "  1  the daemon refused, there is no such object, or a file cannot be used\n"
         "  2  wrong usage\n"
         "  3  no daemon answers, or the connection was lost\n"
         "  4  the time limit was reached");
}

void help_command(const struct command *command)
{
    char summary[160];
    snprintf(summary, sizeof(summary), "%c%s.", command->summary[0] - 'a' + 'A',
             command->summary + 1);
    printf("Usage: docactl %s%s%s%s\n\n", command->name, command->options ? " [OPTION...]" : "",
           command->arguments ? " " : "", command->arguments ? command->arguments : "");
    print_filled(summary, 0);
    if (command->detail)
        print_filled(command->detail, 0);
    if (command->options) {
        puts("\nOptions:");
        print_options(command->options);
    }
    puts("\n'docactl help' lists what every command takes, and the exit statuses.");
}

bool help_topic(const char *const *words, size_t n)
{
    char topic[128];
    int length =
        snprintf(topic, sizeof(topic), "%s%s%s", words[0], n > 1 ? " " : "", n > 1 ? words[1] : "");
    const struct command *exact = NULL;
    size_t matches = 0;
    for (size_t i = 0; i < n_ctl_commands; i++) {
        const char *name = ctl_commands[i].name;
        if (strncmp(name, topic, (size_t)length) != 0 ||
            (name[length] != '\0' && name[length] != ' '))
            continue;
        matches++;
        if (!name[length])
            exact = &ctl_commands[i];
    }
    if (exact)
        help_command(exact);
    else if (matches > 1)
        printf("Usage: docactl %s COMMAND [ARGUMENT...]\n", topic);
    if (matches > 1) {
        puts("\nCommands:");
        for (size_t i = 0; i < n_ctl_commands; i++) {
            if (strncmp(ctl_commands[i].name, topic, (size_t)length) == 0)
                print_command_line(&ctl_commands[i]);
        }
    }
    return matches > 0;
}
