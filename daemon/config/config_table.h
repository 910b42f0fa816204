// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration file as a table: its sections and options, where each value is kept, how it
// is read, printed and explained. Loading, printing and docad.conf(5) follow from it.

#ifndef DAEMON_CONFIG_TABLE_H
#define DAEMON_CONFIG_TABLE_H

#include "config.h"

#define CONFIG_OPTIONS_MAX 32 // of one section
#define CONFIG_WHY_SIZE    160

struct config_option;

// `base` is what the section fills: the configuration, or one peer, function or rule.
struct config_type {
    // Takes a value, or the next element of a list. False, with *why filled ("what is wrong
    // (what to write instead)"), if the text is not one.
    bool (*read)(const struct config_option *option, void *base, const char *text,
                 char why[CONFIG_WHY_SIZE]);
    // Prints the value as it can be read. False: nothing was said; what is printed may be an
    // example.
    bool (*print)(const struct config_option *option, const void *base, FILE *out);
    bool is_list;
};

struct config_option {
    const char *name;
    const struct config_type *type;
    size_t at, size;          // of the value in what the section fills
    size_t setting;           // and of the enum setting beside it
    size_t given;             // of what says that the list is there; 0: nothing does
    const char *noun;         // what a value is: "a role", "a number of threads"
    const char *const *words; // all that it can be; some may be NULL
    size_t n_words;
    uint64_t min, max; // of a number; of config_bytes what "unlimited" is
    uint64_t scale;    // the value is so many times the number; 0: once
    bool octal;
    bool (*shown)(const void *base); // whether it is worth printing; NULL: always
    const char *text;                // the comment in front of it
    const char *by_default;          // printed for a default that depends on the machine
};

struct config_section {
    const char *name;       // NULL: what is outside of all sections
    const char *text;       // the comment in front of it
    const char *text_after; // and behind those of its options
    const char *example;    // printed where there is nothing of the kind
    const struct config_option *options;
    size_t n_options;
    bool sparse; // printed as far as something was said
    // Sections with titles fill an array of the configuration. 0: there is one section.
    size_t max, items, item_size, count, title, title_size;
};

// All sections, what is outside of them first.
const struct config_section *config_sections(size_t *n);

// Reads the value of an option outside of sections into the configuration, and the socket of a
// peer. False with *why filled if the text is not one.
bool config_set(struct config *config, const char *option, const char *text,
                char why[CONFIG_WHY_SIZE]);
bool config_set_peer_socket(struct config_peer *peer, const char *text, char why[CONFIG_WHY_SIZE]);

#endif
