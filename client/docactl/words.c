// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "words.h"

#include "choice.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX CHOICE_WORD_MAX

static struct choice first_words(void)
{
    struct choice choice = {.n = 0};
    for (size_t i = 0; i < n_ctl_commands; i++)
        choice_add(&choice, ctl_commands[i].name, strcspn(ctl_commands[i].name, " "));
    return choice;
}

static struct choice second_words(const char *first)
{
    struct choice choice = {.n = 0};
    size_t length = strlen(first);
    for (size_t i = 0; i < n_ctl_commands; i++) {
        const char *name = ctl_commands[i].name;
        if (strncmp(name, first, length) == 0 && name[length] == ' ')
            choice_add(&choice, name + length + 1, strlen(name + length + 1));
    }
    return choice;
}

// ---- errors ---------------------------------------------------------------------

static void ambiguous(const struct choice *found, const char *word, char *why, size_t size)
{
    snprintf(why, size, "'%s' is ambiguous: ", word);
    choice_list(found, why, size);
}

// If only the second word of a command was typed, suggests the commands that have it, else a
// similar one.
static void no_first(const struct choice *firsts, const char *word, char *why, size_t size)
{
    struct choice whole = {.n = 0};
    for (size_t i = 0; i < n_ctl_commands; i++) {
        const char *second = strchr(ctl_commands[i].name, ' ');
        if (second && strcmp(second + 1, word) == 0)
            choice_add(&whole, ctl_commands[i].name, strlen(ctl_commands[i].name));
    }
    snprintf(why, size, "there is no command '%s'", word);
    if (whole.n > 0)
        choice_did_you_mean(&whole, why, size);
    else
        choice_suggest(firsts, word, why, size);
}

void words_no_second(const char *first, const char *second, char *why, size_t size)
{
    struct choice choice = second_words(first);
    struct choice found = choice_matches(&choice, second);

    if (found.n > 1) {
        ambiguous(&found, second, why, size);
        return;
    }
    snprintf(why, size, "'docactl %s' has no command '%s'", first, second);
    choice_suggest(&choice, second, why, size);
}

bool words_begin_commands(const char *word)
{
    return second_words(word).n > 0;
}

static const struct command *named(const char *first, const char *second)
{
    char name[2 * WORD_MAX + 2];
    snprintf(name, sizeof(name), "%s%s%s", first, second ? " " : "", second ? second : "");
    for (size_t i = 0; i < n_ctl_commands; i++)
        if (strcmp(ctl_commands[i].name, name) == 0)
            return &ctl_commands[i];
    return NULL;
}

int words_find(const struct command **command, int argc, char **argv, char *why, size_t size)
{
    struct choice choice = first_words();
    struct choice first = choice_matches(&choice, argv[0]);

    if (first.n != 1) {
        if (first.n > 1)
            ambiguous(&first, argv[0], why, size);
        else
            no_first(&choice, argv[0], why, size);
        return 0;
    }
    choice = second_words(first.words[0]);
    if (argc > 1) {
        struct choice second = choice_matches(&choice, argv[1]);
        if (second.n == 1) {
            *command = named(first.words[0], second.words[0]);
            return 2;
        }
    }
    *command = named(first.words[0], NULL);
    if (*command)
        return 1;
    if (argc > 1)
        words_no_second(first.words[0], argv[1], why, size);
    else
        snprintf(why, size, "a word is missing after '%s'", first.words[0]);
    return 0;
}
