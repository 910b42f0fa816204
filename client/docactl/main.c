// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl: the operator's window into a docad daemon.

#include "cleanup.h"
#include "listing.h"
#include "output.h"
#include "text.h"
#include "themes.h"
#include "words.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 10000

enum outcome ctl_fail(struct ctl *ctl, enum outcome outcome, doca_error_t error, const char *format,
                      ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctl->error_text, sizeof(ctl->error_text), format, args);
    va_end(args);
    ctl->error = error;
    return outcome;
}

enum outcome ctl_take_count(struct ctl *ctl, uint64_t *count)
{
    const char *text = ctl->args.options[OPTION_COUNT];
    *count = UINT64_MAX;
    if (!text || parse_count(text, count))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "--count takes a number of at least 1, not '%s'", text);
}

static void report(const struct ctl *ctl, enum outcome outcome)
{
    if (ctl->json) {
        struct json_object *object = json_object_new_object();
        put_text(object, "error", doca_get_error_name(ctl->error));
        put_text(object, "text", ctl->error_text);
        output_json_to(stderr, object, 0);
        json_object_put(object);
        return;
    }
    cleanup_free char *text = text_for_terminal(ctl->error_text);
    fprintf(stderr, "docactl%s%s: %s%s\n", ctl->command ? " " : "",
            ctl->command ? ctl->command->name : "", text ? text : "?",
            outcome == OUTCOME_USAGE ? " (see 'docactl help')" : "");
}

static enum outcome usage(struct ctl *ctl, const char *text, const char *word)
{
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE, "%s%s%s%s", text,
                    word ? " '" : "", word ? word : "", word ? "'" : "");
}

// Takes over the options that every command has.
static enum outcome take_global(struct ctl *ctl, const struct arguments *args)
{
    if (args->options[OPTION_JSON])
        ctl->json = true;
    if (args->options[OPTION_SOCKET])
        ctl->socket = args->options[OPTION_SOCKET];
    const char *timeout = args->options[OPTION_TIMEOUT];
    if (timeout && !parse_seconds(timeout, &ctl->timeout_ms))
        return usage(ctl, "--timeout takes seconds, such as 2 or 0.5, not", timeout);
    return OUTCOME_DONE;
}

static enum outcome check_arguments(struct ctl *ctl)
{
    const struct command *command = ctl->command;
    if (ctl->args.n < command->min_arguments)
        return usage(ctl, "missing argument:", command->arguments);
    if (ctl->args.n > command->max_arguments && words_begin_commands(command->name)) {
        char why[160];
        words_no_second(command->name, ctl->args.positional[0], why, sizeof(why));
        return usage(ctl, why, NULL);
    }
    if (ctl->args.n > command->max_arguments)
        return usage(ctl, "unexpected argument",
                     command->max_arguments < POSITIONALS_MAX
                         ? ctl->args.positional[command->max_arguments]
                         : "...");
    return OUTCOME_DONE;
}

// Reads the global options before any command.
static enum outcome run_without_command(struct ctl *ctl, const struct arguments *args)
{
    if (args->options[OPTION_VERSION]) {
        puts("docactl (docad) " DOCAD_VERSION);
        return OUTCOME_DONE;
    }
    if (args->options[OPTION_HELP]) {
        help_overview();
        return OUTCOME_DONE;
    }
    return usage(ctl, "no command given", NULL);
}

static enum outcome run(struct ctl *ctl, int argc, char **argv)
{
    struct arguments before = {0};
    char error[160];
    int n = options_parse(&before, argc, argv, NULL, true, error, sizeof(error));
    if (before.options[OPTION_JSON])
        ctl->json = true;
    if (n < 0)
        return usage(ctl, error, NULL);
    enum outcome outcome = take_global(ctl, &before);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (n == argc || before.options[OPTION_VERSION] || before.options[OPTION_HELP])
        return run_without_command(ctl, &before);

    int words = words_find(&ctl->command, argc - n, argv + n, error, sizeof(error));
    if (!words)
        return usage(ctl, error, NULL);
    n += words;
    int m = options_parse(&ctl->args, argc - n, argv + n, ctl->command->options, false, error,
                          sizeof(error));
    if (ctl->args.options[OPTION_JSON])
        ctl->json = true;
    if (m < 0)
        return usage(ctl, error, NULL);
    if (ctl->args.options[OPTION_VERSION])
        return run_without_command(ctl, &ctl->args);
    if (ctl->args.options[OPTION_HELP]) {
        help_command(ctl->command);
        return OUTCOME_DONE;
    }
    outcome = take_global(ctl, &ctl->args);
    if (outcome == OUTCOME_DONE)
        outcome = check_arguments(ctl);
    return outcome == OUTCOME_DONE ? ctl->command->run(ctl) : outcome;
}

// Help for a command whose words are cut short, or why there is none.
static enum outcome help_cut_short(struct ctl *ctl)
{
    const struct command *command;
    char *words[POSITIONALS_MAX], why[160];

    for (size_t i = 0; i < ctl->args.n; i++)
        words[i] = (char *)ctl->args.positional[i];
    int found = words_find(&command, (int)ctl->args.n, words, why, sizeof(why));
    if (found == 0)
        return usage(ctl, why, NULL);
    if ((size_t)found == ctl->args.n) {
        help_command(command);
        return OUTCOME_DONE;
    }
    words_no_second(command->name, words[found], why, sizeof(why));
    return usage(ctl, why, NULL);
}

enum outcome run_help(struct ctl *ctl)
{
    const char *format = ctl->args.options[OPTION_AS];
    if (format && !help_as(format))
        return usage(ctl, "--as takes man, bash or zsh, not", format);
    if (format)
        return OUTCOME_DONE;
    if (ctl->json)
        return written(ctl, output_json(help_table()));
    if (ctl->args.n == 0) {
        help_overview();
        return OUTCOME_DONE;
    }
    if (help_topic(ctl->args.positional, ctl->args.n))
        return OUTCOME_DONE;
    return help_cut_short(ctl);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    struct ctl ctl = {.timeout_ms = DEFAULT_TIMEOUT_MS, .line.sock = -1};
    enum outcome outcome = run(&ctl, argc > 0 ? argc - 1 : 0, argv + 1);
    if (outcome == OUTCOME_DONE && (fflush(stdout) != 0 || ferror(stdout)))
        outcome = ctl_fail(&ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM,
                           "cannot write to standard output: %s", strerror(errno));
    if (outcome != OUTCOME_DONE)
        report(&ctl, outcome);
    ctl_close(&ctl);
    return (int)outcome;
}
