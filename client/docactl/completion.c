// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Completions for shells, written from the tables of commands and options when docad is built. The
// name of an argument in the tables (FILE, DIR, LEVEL) determines how to complete it.

#include "../log/error_text.h"
#include "copy_text.h"
#include "docactl.h"
#include "why.h"

#include <stdio.h>
#include <string.h>

static size_t first_word(const struct command *command)
{
    return strcspn(command->name, " ");
}

static const char *second_word(const struct command *command)
{
    const char *name = command->name + first_word(command);
    return *name ? name + 1 : NULL;
}

static bool same_group(const struct command *a, const struct command *b)
{
    return first_word(a) == first_word(b) && memcmp(a->name, b->name, first_word(a)) == 0;
}

// Returns whether a group of commands, or a single command, begins here.
static bool begins_group(size_t i)
{
    return i == 0 || !same_group(&ctl_commands[i - 1], &ctl_commands[i]);
}

static bool is_group(size_t i)
{
    return second_word(&ctl_commands[i]) ||
           (i + 1 < n_ctl_commands && same_group(&ctl_commands[i], &ctl_commands[i + 1]));
}

// Finds the next argument name, "ID" and then "NAME" in "ID NAME"; false after the last.
static bool next_name(const char **names, char name[16])
{
    if (!*names || !**names)
        return false;
    size_t n = strcspn(*names, " ");
    snprintf(name, 16, "%.*s", (int)n, *names);
    *names += n + ((*names)[n] == ' ');
    return true;
}

static const char *errors(void)
{
    static char names[N_ERRORS * 40];
    size_t used = 0;
    for (unsigned i = 1; i < N_ERRORS; i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 1 ? " " : "",
                                 error_name(i));
    return names;
}

// Returns the words that an argument of this name accepts, or NULL if it accepts any.
static const char *choices(const char *name)
{
    if (strcmp(name, "[LEVEL]") == 0)
        return "error warning info debug";
    if (strcmp(name, "[ERROR]") == 0)
        return errors();
    return strcmp(name, "FORMAT") == 0 ? "man bash zsh" : NULL;
}

// Returns the command that lists what an argument of this name accepts at the moment, or NULL.
static const char *list_for(const char *name)
{
    static const char *const lists[][2] = {{"ID", "exports -H -o id"},
                                           {"[ID]", "exports -H -o id"},
                                           {"[DEVICE]", "devices -H -o name"},
                                           {"FUNCTION", "why * -H -o function"},
                                           {"[SESSION]", "sessions -H -o id"},
                                           {"SESSION", "sessions -H -o id"},
                                           {"PUBLISHED", "exports names -H -o published"},
                                           {"PID", "sessions -H -o pid"}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(lists[i][0], name) == 0)
            return lists[i][1];
    return NULL;
}

static bool is_file(const char *name)
{
    return strcmp(name, "FILE") == 0 || strcmp(name, "PATH") == 0;
}

// ---- bash ----------------------------------------------------------------------------------

// How bash's function completes an argument: with a list of words, what docactl lists, or a kind of
// file.
static void bash_kind(const char *name)
{
    const char *words = choices(name), *list = list_for(name);
    if (list)
        printf("'@list %s'", list);
    else
        printf("'%s'", words                       ? words
                       : strcmp(name, "PATH") == 0 ? "@socket"
                       : strcmp(name, "FILE") == 0 ? "@file"
                       : strcmp(name, "DIR") == 0  ? "@dir"
                                                   : "@text");
}

static void bash_options_with_argument(const char *command, const struct option_spec *options)
{
    for (const struct option_spec *o = options; o && o->name; o++)
        if (o->argument) {
            printf("        '%s '*--%s | '%s '*-%c) takes=", command, o->name, command, o->letter);
            bash_kind(o->argument);
            puts(" ;;");
        }
}

// The option that is completed depends on the words so far. A group's name may be a command, too.
static void bash_options_before(void)
{
    for (int one = 0; one < 2; one++)
        for (size_t i = 0; i < n_ctl_commands; i++)
            if ((second_word(&ctl_commands[i]) != NULL) != one)
                bash_options_with_argument(ctl_commands[i].name, ctl_commands[i].options);
    bash_options_with_argument("'*'", global_options);
}

static void bash_option_names(const struct option_spec *options)
{
    for (; options && options->name; options++)
        printf(" --%s", options->name);
}

static void bash_first_words(void)
{
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (begins_group(i))
            printf(" %.*s", (int)first_word(&ctl_commands[i]), ctl_commands[i].name);
}

static void bash_second_words(size_t group)
{
    for (size_t i = group; i < n_ctl_commands && same_group(&ctl_commands[group], &ctl_commands[i]);
         i++)
        if (second_word(&ctl_commands[i]))
            printf(" %s", second_word(&ctl_commands[i]));
}

static void bash_command(const struct command *c)
{
    const char *names = c->arguments;
    char name[16];
    if (!c->options && !names)
        return; // as for an unknown command: only the global options
    printf("    '%s '*) n=%d options+='", c->name, second_word(c) ? 2 : 1);
    bash_option_names(c->options);
    fputs("' args=(", stdout);
    while (next_name(&names, name)) {
        bash_kind(name);
        putchar(' ');
    }
    puts(") ;;");
}

// The second words of a group, for the commands and for help on them. The group's name may be
// a command with options, but without arguments.
static void bash_group(size_t group)
{
    const struct command *c = &ctl_commands[group];
    for (int help = 0; help < 2; help++) {
        printf("    '%s%.*s '*) n=%d options+='", help ? "help " : "", (int)first_word(c), c->name,
               help ? 2 : 1);
        if (!help && !second_word(c))
            bash_option_names(c->options);
        fputs("' args=('", stdout);
        bash_second_words(group);
        puts("') ;;");
    }
}

static void bash_cases(void)
{
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (second_word(&ctl_commands[i]))
            bash_command(&ctl_commands[i]);
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (begins_group(i) && is_group(i))
            bash_group(i);
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (!is_group(i) && strcmp(ctl_commands[i].name, "help") != 0)
            bash_command(&ctl_commands[i]);
    fputs("    'help '*) n=1 options+=' --as' args=('", stdout);
    bash_first_words();
    puts("') ;;");
}

static void bash(void)
{
    // bash splits words at = and passes the sign as a word of its own.
    puts("# Completion of docactl for bash, written by docactl from its table of commands.\n"
         "_docactl()\n{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} words=() socket=() word takes='' n=0 want "
         "IFS=$' \\n'\n"
         "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "        if [[ $takes ]]; then\n"
         "            [[ $word != = ]] || continue\n"
         "            [[ $takes != @socket ]] || socket=(--socket \"$word\")\n"
         "            takes=\n"
         "            continue\n"
         "        fi\n"
         "        case \"${words[*]} $word\" in");
    bash_options_before();
    puts("        *' -'*) ;;\n"
         "        *) words+=(\"$word\") ;;\n"
         "        esac\n"
         "    done\n"
         "    [[ $cur != = ]] || cur=");
    fputs("    local options='", stdout);
    bash_option_names(global_options);
    fputs("' args=('", stdout);
    bash_first_words();
    puts("')\n"
         "    case \"${words[*]} \" in");
    bash_cases();
    puts("    esac\n"
         "    want=${args[${#words[@]} - n]-}\n"
         "    [[ $cur != -* ]] || want=$options\n"
         "    case ${takes:-$want} in\n"
         "    @list*)\n"
         "        word=${takes:-$want}\n"
         "        read -ra words <<<\"${word#@list }\"\n"
         "        mapfile -t COMPREPLY < <(IFS=$'\\n'\n"
         "            compgen -W \"$(docactl \"${socket[@]}\" \"${words[@]}\" 2>/dev/null)\" -- "
         "\"$cur\") ;;\n"
         "    @file | @socket)\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
         "    @dir)\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
         "    @text) COMPREPLY=() ;;\n"
         "    *) mapfile -t COMPREPLY < <(compgen -W \"${takes:-$want}\" -- \"$cur\") ;;\n"
         "    esac\n"
         "}\n"
         "complete -F _docactl docactl");
}

// ---- zsh -----------------------------------------------------------------------------------

// A text within single quotes, in which : [ and ] are special to _arguments.
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

// zsh would match * with files.
static void zsh_list(const char *list)
{
    size_t n = strcspn(list, "*");
    printf(" _docactl_list %.*s%s%s", (int)n, list, list[n] ? "\\*" : "",
           list[n] ? list + n + 1 : "");
}

// How zsh completes an argument of this name; a blank: zsh only shows the name.
static void zsh_action(const char *name)
{
    const char *words = choices(name), *list = list_for(name);
    if (words)
        printf("(%s)", words);
    else if (list)
        zsh_list(list);
    else
        fputs(is_file(name) ? "_files" : strcmp(name, "DIR") == 0 ? "_path_files -/" : " ", stdout);
}

static void zsh_options(const struct option_spec *options)
{
    for (; options && options->name; options++) {
        const char *name = options->name, *argument = options->argument;
        printf(" \\\n            '(-%c --%s)'{-%c%s,--%s%s}'[", options->letter, name,
               options->letter, argument ? "+" : "", name, argument ? "=" : "");
        zsh_text(options->help);
        putchar(']');
        if (argument) {
            printf(":%s:", argument);
            zsh_action(argument);
        }
        putchar('\'');
    }
}

// The global options, without those that have another meaning here.
static void zsh_globals(const struct option_spec *own)
{
    fputs("_arguments ", stdout);
    for (const struct option_spec *global = global_options; global->name; global++)
        for (const struct option_spec *o = own; o && o->name; o++)
            if (strcmp(o->name, global->name) == 0) {
                printf("${globals:#*--%s*}", o->name);
                return;
            }
    fputs("$globals", stdout);
}

static void zsh_command(const struct command *c)
{
    const char *names = c->arguments;
    char name[16];
    printf("    '%s') ", c->name);
    zsh_globals(c->options);
    zsh_options(c->options);
    if (strcmp(c->name, "help") == 0)
        fputs(" '1:command:->command' '2:command:->second'", stdout);
    else
        while (next_name(&names, name)) {
            char bare[16];
            copy_text(bare, name + (*name == '['));
            bare[strcspn(bare, "]")] = '\0';
            printf(" ':%s:", bare);
            zsh_action(name);
            putchar('\'');
        }
    puts(" && ret=0 ;;");
}

static void zsh_described(const char *word, int length, const struct command *c)
{
    printf("        '%.*s:", length, word);
    zsh_text(c->summary);
    puts("'");
}

static void zsh_commands(void)
{
    puts("_docactl_commands() {\n"
         "    local -a commands\n"
         "    commands=(");
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (begins_group(i))
            zsh_described(ctl_commands[i].name, (int)first_word(&ctl_commands[i]),
                          &ctl_commands[i]);
    puts("    )\n"
         "    _describe -t commands command commands\n"
         "}");
}

static void zsh_second_words(void)
{
    puts("_docactl_second_words() {\n"
         "    local -a commands\n"
         "    case $1 in");
    for (size_t group = 0; group < n_ctl_commands; group++) {
        if (!begins_group(group) || !is_group(group))
            continue;
        printf("    %.*s) commands=(\n", (int)first_word(&ctl_commands[group]),
               ctl_commands[group].name);
        for (size_t i = group;
             i < n_ctl_commands && same_group(&ctl_commands[group], &ctl_commands[i]); i++) {
            const char *second = second_word(&ctl_commands[i]);
            if (second)
                zsh_described(second, (int)strlen(second), &ctl_commands[i]);
        }
        puts("    ) ;;");
    }
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "    _describe -t commands command commands\n"
         "}");
}

// The options of groups whose name is a command.
static void zsh_group_options(void)
{
    puts("        case $command in");
    for (size_t i = 0; i < n_ctl_commands; i++) {
        if (!begins_group(i) || !is_group(i) || second_word(&ctl_commands[i]))
            continue;
        printf("        %s) own=(", ctl_commands[i].name);
        zsh_options(ctl_commands[i].options);
        puts(") ;;");
    }
    puts("        esac");
}

// The arguments of commands: those of one word, and of the second words of a group.
static void zsh_arguments(void)
{
    puts("_docactl_arguments() {\n"
         "    case $1 in");
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (ctl_commands[i].options || ctl_commands[i].arguments)
            zsh_command(&ctl_commands[i]);
    puts("    *) _arguments $globals && ret=0 ;;\n"
         "    esac\n"
         "}");
}

static void zsh(void)
{
    puts("#compdef docactl\n"
         "# Completion of docactl for zsh, written by docactl from its table of commands.");
    puts("_docactl_list() {\n"
         "    local -a items\n"
         "    local socket=${opt_args[-s]:-${opt_args[--socket]:-$named}}\n"
         "    items=(${(f)\"$(docactl ${socket:+--socket=$socket} $@ 2>/dev/null)\"})\n"
         "    compadd -a items\n"
         "}");
    zsh_commands();
    zsh_second_words();
    zsh_arguments();
    fputs("_docactl() {\n"
          "    local curcontext=$curcontext context state state_descr command ret=1\n"
          "    local -a globals own line\n"
          "    local -A opt_args\n"
          "    globals=(",
          stdout);
    zsh_options(global_options);
    puts(
        "\n    )\n"
        "    _arguments -C $globals '(-)1:command:->command' '(-)*::argument:->argument' && ret=0\n"
        "    local named=${opt_args[-s]:-${opt_args[--socket]}}\n"
        "    case $state in\n"
        "    command) _docactl_commands && ret=0 ;;\n"
        "    argument)\n"
        "        command=$words[1]\n"
        "        state=");
    zsh_group_options();
    puts("        case $command in");
    fputs("        ", stdout);
    for (size_t i = 0, n = 0; i < n_ctl_commands; i++)
        if (begins_group(i) && is_group(i))
            printf("%s%.*s", n++ ? " | " : "", (int)first_word(&ctl_commands[i]),
                   ctl_commands[i].name);
    puts(")\n"
         "            _arguments -C $globals $own '(-)1:command:->second' "
         "'(-)*::argument:->argument' "
         "&&\n"
         "                ret=0\n"
         "            [[ $state != argument ]] || { state= command+=\" $words[1]\"; "
         "_docactl_arguments $command; } ;;\n"
         "        *) _docactl_arguments $command ;;\n"
         "        esac\n"
         "        case $state in\n"
         "        command) _docactl_commands && ret=0 ;;\n"
         "        second) _docactl_second_words ${${command:#help}:-$line[1]} && ret=0 ;;\n"
         "        esac ;;\n"
         "    esac\n"
         "    return ret\n"
         "}\n"
         "_docactl \"$@\"");
}

bool completion_print(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash();
    else if (strcmp(shell, "zsh") == 0)
        zsh();
    else
        return false;
    return true;
}
