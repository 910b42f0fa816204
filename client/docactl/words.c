// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "words.h"

#include "copy_text.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX   24
#define FAR        3 // changes of letters that make another word
#define CHOICE_MAX 64

// Words that may stand at a place: each of them once.
struct choice {
    char words[CHOICE_MAX][WORD_MAX];
    size_t n;
};

static void add(struct choice *choice, const char *word, size_t length)
{
    for (size_t i = 0; i < choice->n; i++)
        if (strlen(choice->words[i]) == length && memcmp(choice->words[i], word, length) == 0)
            return;
    if (choice->n < CHOICE_MAX && length < WORD_MAX) {
        memcpy(choice->words[choice->n], word, length);
        choice->words[choice->n++][length] = '\0';
    }
}

static struct choice first_words(void)
{
    struct choice choice = {.n = 0};
    for (size_t i = 0; i < n_ctl_commands; i++)
        add(&choice, ctl_commands[i].name, strcspn(ctl_commands[i].name, " "));
    return choice;
}

static struct choice second_words(const char *first)
{
    struct choice choice = {.n = 0};
    size_t length = strlen(first);
    for (size_t i = 0; i < n_ctl_commands; i++) {
        const char *name = ctl_commands[i].name;
        if (strncmp(name, first, length) == 0 && name[length] == ' ')
            add(&choice, name + length + 1, strlen(name + length + 1));
    }
    return choice;
}

// ---- which one is meant ----------------------------------------------------------------

// The words that begin so; the word itself alone, if it is one.
static struct choice matches(const struct choice *choice, const char *word)
{
    struct choice found = {.n = 0};
    for (size_t i = 0; i < choice->n; i++) {
        if (strcmp(choice->words[i], word) == 0) {
            found.n = 0;
            add(&found, word, strlen(word));
            break;
        }
        if (strncmp(choice->words[i], word, strlen(word)) == 0)
            add(&found, choice->words[i], strlen(choice->words[i]));
    }
    return found;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// How many letters have to be changed, added, left out, or swapped with the next one.
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[WORD_MAX + 1][WORD_MAX + 1];

    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] =
                least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, WORD_MAX);
        }
    }
    return d[n][m];
}

static struct choice nearest(const struct choice *choice, const char *word)
{
    struct choice found = {.n = 0};
    size_t best = FAR;
    for (size_t i = 0; i < choice->n; i++) {
        size_t far = distance(word, choice->words[i]);
        if (far < best)
            found.n = 0;
        if (far < FAR && far <= best) {
            best = far;
            add(&found, choice->words[i], strlen(choice->words[i]));
        }
    }
    return found;
}

// ---- what is wrong ---------------------------------------------------------------------

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static void append_words(const struct choice *choice, char *text, size_t size)
{
    for (size_t i = 0; i < choice->n; i++) {
        if (i > 0)
            append(text, size, i == choice->n - 1 ? " or " : ", ");
        append(text, size, choice->words[i]);
    }
}

// `none` says in front of the word that there is none.
static void explain(const struct choice *choice, const struct choice *found, const char *none,
                    const char *word, char *why, size_t size)
{
    struct choice near = nearest(choice, word);

    if (found->n > 1) {
        snprintf(why, size, "'%s' is ambiguous: ", word);
        append_words(found, why, size);
        return;
    }
    snprintf(why, size, "%s '%s'", none, word);
    if (near.n == 0)
        return;
    append(why, size, "; did you mean ");
    append_words(&near, why, size);
    append(why, size, "?");
}

void words_no_second(const char *first, const char *second, char *why, size_t size)
{
    struct choice choice = second_words(first);
    struct choice found = matches(&choice, second);
    char none[64];

    snprintf(none, sizeof(none), "'docactl %s' has no command", first);
    explain(&choice, &found, none, second, why, size);
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
    struct choice first = matches(&choice, argv[0]);

    if (first.n != 1) {
        explain(&choice, &first, "there is no command", argv[0], why, size);
        return 0;
    }
    choice = second_words(first.words[0]);
    if (argc > 1) {
        struct choice second = matches(&choice, argv[1]);
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
