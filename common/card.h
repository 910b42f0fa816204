// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Card profiles: what a card can do and up to which limits. A profile is a text of lines
// `key = value # source`, see docad-cards(7). Those of docad are in common/cards/ and built in;
// users may have others in files. A value that a profile does not name is that of `software`.

#ifndef COMMON_CARD_H
#define COMMON_CARD_H

#include "card_keys.h"
#include "choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARD_NAME_SIZE 64   // of a profile with its release; longer texts keep only their end
#define CARD_SPEC_SIZE 1024 // of a text that names a profile
#define CARD_WHY_SIZE  512
#define CARD_SOFTWARE  "software"
#define CARD_UNLIMITED UINT64_MAX

enum card_kind {
    CARD_KIND_FEATURE,
    CARD_KIND_QUIRK,
    CARD_KIND_LIMIT,
    CARD_KIND_MULTIPLE,
    CARD_KIND_NUMBER,
};

struct card {
    char name[CARD_NAME_SIZE]; // "bluefield-2/2.9"
    uint64_t values[CARD_KEYS_END];
};

struct card_key_info {
    const char *key, *text;
    enum card_kind kind;
};

// Returns a key by its number; `key` is NULL for CARD_NONE.
extern const struct card_key_info card_key_infos[CARD_KEYS_END];

// The value of a key in `software`.
uint64_t card_software_value(enum card_key key);

// Makes *card the profile `software`.
void card_init(struct card *card);

// Finds the profile of a text: "bluefield-3", "bluefield-2/2.2" (a release), the name of a user's
// file, or its path if it begins with '/' or "./". Values may follow:
// "bluefield-3,reorder=7,sha=yes". Returns false with *why filled ("what is wrong (what to write
// instead)").
bool card_find(const char *name, struct card *card, char why[CARD_WHY_SIZE]);

// The name of the profile that a text names: its last CARD_NAME_SIZE - 1 characters.
const char *card_short_name(const char *name);

// Adds to a text that names a profile the release for a program that was built with `release`
// ("3.1.0105"): the last one of the profile that is not later, else its first. The text stays if it
// names a release already, or the profile has none. False with *why filled.
bool card_fit_release(const char *name, const char *release, char fitting[CARD_SPEC_SIZE],
                      char why[CARD_WHY_SIZE]);

// Adds a value to a text that names a profile; NULL: the profile `software`. False with *why filled
// if that is too long.
bool card_add_value(const char *name, enum card_key key, const char *value,
                    char with[CARD_SPEC_SIZE], char why[CARD_WHY_SIZE]);

// Reads "key = value" into *card. False with *why filled.
bool card_read_line(char *line, struct card *card, char why[CARD_WHY_SIZE]);

// The releases of a profile's text, in its order.
void card_releases(const char *text, struct choice *releases);

// Reads the text of a profile into *card, which has the defaults. An empty release is the last one
// of the text. False with *why filled.
bool card_parse(const char *text, const char *release, struct card *card, char why[CARD_WHY_SIZE]);

// The text of a profile, with its sources; the caller frees it. NULL with *why filled.
char *card_text(const char *name, char why[CARD_WHY_SIZE]);

// Lists the names of all profiles, with those of users' files.
void card_names(struct choice *names);

static inline bool card_is_flag(enum card_key key)
{
    return card_key_infos[key].kind == CARD_KIND_FEATURE ||
           card_key_infos[key].kind == CARD_KIND_QUIRK;
}

// The least number that a profile may have for a limit or a multiple.
uint64_t card_least(enum card_key key);

// Prints a value as a profile has it: yes, 2097152, unlimited.
void card_print_value(enum card_key key, uint64_t value, char text[24]);

// Returns the key of this name; CARD_NONE if there is none.
enum card_key card_key_find(const char *name, size_t length);

static inline bool card_has(const struct card *card, enum card_key key)
{
    return card->values[key] != 0;
}

// The smaller of the card's limit and ours.
static inline uint64_t card_most(const struct card *card, enum card_key key, uint64_t ours)
{
    return card->values[key] < ours ? card->values[key] : ours;
}

// ---- the profiles that are built in, made from common/cards/ ------------------------------------

struct card_built_in {
    const char *name, *text;
};

extern const struct card_built_in cards_built_in[]; // ends with a NULL name

#endif
