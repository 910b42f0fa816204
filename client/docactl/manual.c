// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The manual page and the completions, written from the tables of commands, options and
// JSON members when docad is built.

#include "docactl.h"
#include "fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- the manual page ---------------------------------------------------------------------

// Text for roff: a backslash, a dash and a line that begins with . or ' mean themselves.
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

static void man_options(const struct option_spec *options)
{
    for (; options && options->name; options++) {
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
    for (const struct command *c = commands; c < command; c++)
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
         ".TH DOCACTL 1 \"\" \"docad " DOCAD_VERSION "\" \"docad\"\n"
         ".SH NAME\n"
         "docactl \\- show and change what a docad daemon does\n"
         ".SH SYNOPSIS\n"
         "\\fBdocactl\\fR [\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
         ".SH DESCRIPTION\n"
         "docactl is the operator's window into \\fBdocad\\fR(8): devices, programs, exported\n"
         "memory, queues, what happens and how fast.\n"
         "Who is neither root nor docad's own user sees what is its own.\n"
         ".SH OPTIONS\n"
         "Options may stand before or after the command.");
    man_options(global_options);
    puts(".SH COMMANDS");
    for (size_t i = 0; i < n_commands; i++)
        man_command(&commands[i]);
    puts(".SH JSON\n"
         "The id of an export is text of 16 hexadecimal digits: it takes more bits than JSON\n"
         "readers keep of a number.\n"
         "An error is an object with the members \\fBerror\\fR (the name of a doca_error_t) and\n"
         "\\fBtext\\fR, on standard error.\n"
         "\\fBdocactl help \\-\\-json\\fR prints this page's tables for programs.\n"
         "Members may be added; none changes its meaning.\n"
         ".SH EXIT STATUS");
    static const char *const statuses[] = {
        "done", "the daemon refused, there is no such object, or a file cannot be used",
        "wrong usage", "no daemon answers, or the connection was lost", "the time given ran out"};
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

// ---- completions ---------------------------------------------------------------------------

static void bash_options(const struct option_spec *options)
{
    for (; options && options->name; options++)
        printf(" --%s", options->name);
}

static size_t first_word(const struct command *command)
{
    return strcspn(command->name, " ");
}

// The first command with this first word, of which it may have two.
static bool is_first_of_group(size_t i)
{
    size_t n = first_word(&commands[i]);
    for (size_t j = 0; j < i; j++)
        if (first_word(&commands[j]) == n && memcmp(commands[j].name, commands[i].name, n) == 0)
            return false;
    return true;
}

// What may follow the words `name`: options, and the second words of a group.
static void bash_case(const char *name, size_t n, const struct option_spec *options)
{
    printf("    '%.*s') options+=\"", (int)n, name);
    bash_options(options);
    fputs("\" list+=\"", stdout);
    for (size_t i = 0; i < n_commands; i++)
        if (strncmp(commands[i].name, name, n) == 0 && commands[i].name[n] == ' ')
            printf(" %s", commands[i].name + n + 1);
    if (n == 9 && memcmp(name, "log-level", n) == 0)
        fputs("error warning info debug", stdout);
    puts("\" ;;");
}

static void bash(void)
{
    puts("# Completion of docactl for bash, written by docactl from its table of commands.\n"
         "_docactl()\n{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} words=() word skip=\n"
         "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "        if [[ $skip ]]; then skip=; continue; fi\n"
         "        case $word in\n"
         "        --socket | -s | --timeout | -t | --output | -o | --name | -n | --count |"
         " --interval | -i) skip=1 ;;\n"
         "        -*) ;;\n"
         "        *) words+=(\"$word\") ;;\n"
         "        esac\n"
         "    done\n"
         "    local options list=");
    fputs("    options=\"", stdout);
    bash_options(global_options);
    puts("\"\n    case \"${words[*]}\" in");
    fputs("    '' | help) list=\"", stdout);
    for (size_t i = 0; i < n_commands; i++)
        if (is_first_of_group(i))
            printf(" %.*s", (int)first_word(&commands[i]), commands[i].name);
    puts("\" ;;\n    esac\n    case \"${words[*]}\" in");
    for (size_t i = 0; i < n_commands; i++) {
        const struct command *c = &commands[i];
        bash_case(c->name, strlen(c->name), c->options);
        if (is_first_of_group(i) && strchr(c->name, ' '))
            bash_case(c->name, first_word(c), NULL);
    }
    puts("    esac\n"
         "    if [[ $cur == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
         "    elif [[ $list ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$cur\")\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "    fi\n"
         "}\n"
         "complete -F _docactl docactl");
}

// Text within single quotes, where : [ and ] mean something to _arguments.
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '\n')
            putchar(' ');
        else if (strchr(":[]\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_options(const struct option_spec *options)
{
    for (; options && options->name; options++) {
        printf("        '--%s%s[", options->name, options->argument ? "=" : "");
        zsh_text(options->help);
        printf("]");
        if (options->argument)
            printf(":%s:%s", options->argument,
                   strstr(options->argument, "FILE") || strstr(options->argument, "PATH") ? "_files"
                                                                                          : "");
        puts("' \\");
    }
}

static void zsh(void)
{
    puts("#compdef docactl\n"
         "# Completion of docactl for zsh, written by docactl from its table of commands.\n"
         "_docactl() {\n"
         "    local -a commands\n    commands=(");
    for (size_t i = 0; i < n_commands; i++) {
        fputs("        '", stdout);
        zsh_text(commands[i].name);
        putchar(':');
        zsh_text(commands[i].summary);
        puts("'");
    }
    puts("    )\n"
         "    _arguments -C \\");
    zsh_options(global_options);
    puts("        '1:command:->command' '*::argument:->argument'\n"
         "    case $state in\n"
         "    command) _describe command commands ;;\n"
         "    argument)\n"
         "        case $words[1] in");
    for (size_t i = 0; i < n_commands; i++) {
        if (strchr(commands[i].name, ' '))
            continue;
        printf("        %s)\n            _arguments \\\n", commands[i].name);
        zsh_options(commands[i].options);
        puts("            '*:argument:_files' ;;");
    }
    puts("        esac ;;\n    esac\n}\n_docactl \"$@\"");
}

bool help_as(const char *format)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } formats[] = {{"man", man_page}, {"bash", bash}, {"zsh", zsh}};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i].name, format) == 0) {
            formats[i].print();
            return true;
        }
    }
    return false;
}
