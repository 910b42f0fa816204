// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Help, printed from the tables of commands and options.

#include "docactl.h"

#include <stdio.h>
#include <string.h>

static void print_options(const struct option_spec *options)
{
    for (; options && options->name; options++) {
        char form[64];
        snprintf(form, sizeof(form), "--%s%s%s", options->name, options->argument ? " " : "",
                 options->argument ? options->argument : "");
        printf("  -%c, %-20s %s\n", options->letter, form, options->help);
    }
}

static void print_command_line(const struct command *command)
{
    char form[64];
    snprintf(form, sizeof(form), "%s%s%s", command->name, command->arguments ? " " : "",
             command->arguments ? command->arguments : "");
    printf("  %-26s %s\n", form, command->summary);
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
         "'docactl help COMMAND' says more. Words of a command may be cut short: exp na. An "
         "export's\n"
         "ID is hexadecimal digits.\n"
         "With --json a list is an array of objects. The id of an export is text, because it has\n"
         "more bits than JSON readers keep of a number. Errors are an object with \"error\" and\n"
         "\"text\" on standard error.\n"
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
    printf("Usage: docactl %s%s%s%s\n\n%c%s.\n", command->name,
           command->options ? " [OPTION...]" : "", command->arguments ? " " : "",
           command->arguments ? command->arguments : "", command->summary[0] - 'a' + 'A',
           command->summary + 1);
    if (command->detail)
        printf("%s\n", command->detail);
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
