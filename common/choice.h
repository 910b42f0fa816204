// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Words from which a user chooses on a command line: finds the one for a word that is cut short or
// mistyped.

#ifndef DOCAD_CHOICE_H
#define DOCAD_CHOICE_H

#include <stddef.h>

#define CHOICE_WORD_MAX 72
#define CHOICE_MAX      128

// Each word once.
struct choice {
    char words[CHOICE_MAX][CHOICE_WORD_MAX];
    size_t n;
    size_t far; // the edit distance of the words, if choice_add_near() has added them
};

// Words that are too long, or too many, are left out.
void choice_add(struct choice *choice, const char *word, size_t length);

// The long option of this name, with its two hyphens.
void choice_add_option(struct choice *choice, const char *name);

// Adds `meant` as a suggestion for a word, and removes suggestions with a larger distance.
void choice_add_near(struct choice *choice, const char *meant, const char *word);

// The words that begin so; the word itself alone, if it is one.
struct choice choice_matches(const struct choice *choice, const char *word);

// Appends "; did you mean X or Y?" to a text, with the words that begin so, else with the nearest
// ones; nothing if none is near.
void choice_suggest(const struct choice *choice, const char *word, char *text, size_t size);

// The same, with these words.
void choice_did_you_mean(const struct choice *near, char *text, size_t size);

// Appends "X, Y or Z" to a text.
void choice_list(const struct choice *choice, char *text, size_t size);

#endif
