// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "choice.h"

#include <stdio.h>
#include <string.h>

#define FAR 3 // at this distance, or of more than half of its letters, it is another word

void choice_add(struct choice *choice, const char *word, size_t length)
{
    for (size_t i = 0; i < choice->n; i++)
        if (strlen(choice->words[i]) == length && memcmp(choice->words[i], word, length) == 0)
            return;
    if (choice->n < CHOICE_MAX && length < CHOICE_WORD_MAX) {
        memcpy(choice->words[choice->n], word, length);
        choice->words[choice->n++][length] = '\0';
    }
}

void choice_add_option(struct choice *choice, const char *name)
{
    char word[CHOICE_WORD_MAX];
    int length = snprintf(word, sizeof(word), "--%s", name);
    choice_add(choice, word, (size_t)length);
}

struct choice choice_matches(const struct choice *choice, const char *word)
{
    struct choice found = {.n = 0};
    for (size_t i = 0; i < choice->n; i++) {
        if (strcmp(choice->words[i], word) == 0) {
            found.n = 0;
            choice_add(&found, word, strlen(word));
            break;
        }
        if (strncmp(choice->words[i], word, strlen(word)) == 0)
            choice_add(&found, choice->words[i], strlen(choice->words[i]));
    }
    return found;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Returns how many letters have to be changed, added, left out, or swapped with the next one.
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[CHOICE_WORD_MAX + 1][CHOICE_WORD_MAX + 1];

    if (n > CHOICE_WORD_MAX || m > CHOICE_WORD_MAX)
        return CHOICE_WORD_MAX;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] =
                least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, CHOICE_WORD_MAX);
        }
    }
    return d[n][m];
}

void choice_add_near(struct choice *choice, const char *meant, const char *word)
{
    size_t far = distance(word, meant);
    if (far >= FAR || 2 * far > strlen(word) || (choice->n > 0 && far > choice->far))
        return;
    if (far < choice->far)
        choice->n = 0;
    choice->far = far;
    choice_add(choice, meant, strlen(meant));
}

static struct choice nearest(const struct choice *choice, const char *word)
{
    struct choice found = {.n = 0};
    for (size_t i = 0; i < choice->n; i++)
        choice_add_near(&found, choice->words[i], word);
    return found;
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

void choice_list(const struct choice *choice, char *text, size_t size)
{
    for (size_t i = 0; i < choice->n; i++) {
        if (i > 0)
            append(text, size, i == choice->n - 1 ? " or " : ", ");
        append(text, size, choice->words[i]);
    }
}

void choice_did_you_mean(const struct choice *near, char *text, size_t size)
{
    if (near->n == 0)
        return;
    append(text, size, "; did you mean ");
    choice_list(near, text, size);
    append(text, size, "?");
}

void choice_suggest(const struct choice *choice, const char *word, char *text, size_t size)
{
    struct choice near = *word ? choice_matches(choice, word) : (struct choice){.n = 0};
    if (near.n == 0)
        near = nearest(choice, word);
    choice_did_you_mean(&near, text, size);
}
