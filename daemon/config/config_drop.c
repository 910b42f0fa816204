// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "config_drop.h"

#include <stddef.h>
#include <string.h>

#define BLANKS   " \t\r\n"
#define WORD_END BLANKS "{}()=+,\"'"

struct walker {
    char *at;
    int line;
    // the word to find
    int wanted;
    const char *word;
};

static void skip_blanks(struct walker *w)
{
    for (; *w->at && strchr(BLANKS, *w->at); w->at++)
        w->line += *w->at == '\n';
}

// A text in quotation marks, a word, or one of the other characters. Texts end: the file was
// prepared.
static void skip_token(struct walker *w)
{
    char quote = *w->at;

    if (quote != '"' && quote != '\'') {
        size_t length = strcspn(w->at, WORD_END);
        w->at += length ? length : *w->at != '\0';
        return;
    }
    for (w->at++; *w->at && *w->at != quote; w->at++) {
        if (*w->at == '\\' && w->at[1])
            w->at++;
        w->line += *w->at == '\n';
    }
    w->at += *w->at != '\0';
}

// From an opening brace to behind the one that closes it.
static void skip_braces(struct walker *w)
{
    int depth = 0;
    do {
        depth += (*w->at == '{') - (*w->at == '}');
        skip_token(w);
        if (depth > 0)
            skip_blanks(w);
    } while (*w->at && depth > 0);
}

static void skip_value(struct walker *w)
{
    while (*w->at == '=' || *w->at == '+') {
        skip_token(w);
        skip_blanks(w);
    }
    if (*w->at == '{')
        skip_braces(w);
    else if (*w->at && *w->at != '}')
        skip_token(w);
}

// The words of a statement, up to a brace or to the end of an option's value. Words in another line
// belong to the next statement.
static void skip_head(struct walker *w)
{
    int begun = w->line;
    struct walker end;

    do {
        skip_token(w);
        end = *w;
        skip_blanks(w);
        if (*w->at == '=' || *w->at == '+') {
            skip_value(w);
            return;
        }
    } while (*w->at && !strchr("{}", *w->at) && (w->line == begun || strchr("\"'", *w->at)));
    if (*w->at != '{')
        *w = end;
}

static bool is_wanted(const struct walker *w, const char *begin, int first)
{
    size_t length = w->word ? strlen(w->word) : 0;
    bool named = !w->word || (strncmp(begin, w->word, length) == 0 &&
                              (!begin[length] || strchr(WORD_END, begin[length])));
    return named && first <= w->wanted && w->line >= w->wanted;
}

static bool blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
    return true;
}

// `late`: the parser may notice an error only at the next word, in a later line.
static bool drop(char *text, int line, const char *word, bool late)
{
    struct walker w = {.at = text, .line = 1, .wanted = line, .word = word};

    for (skip_blanks(&w); *w.at; skip_blanks(&w)) {
        char *begin = w.at;
        int first = w.line;
        if (*w.at == '}') { // of a section that was entered
            w.at++;
            continue;
        }
        skip_head(&w);
        struct walker next = w;
        skip_blanks(&next);
        bool wanted = is_wanted(late ? &next : &w, begin, first);
        if (*w.at == '{' && wanted)
            skip_braces(&w);
        if (wanted)
            return blank(begin, w.at);
        if (*w.at == '{')
            w.at++; // its contents follow
    }
    return false;
}

bool config_drop(char *text, int line, const char *word)
{
    return drop(text, line, word, false) || (word && drop(text, line, word, true));
}
