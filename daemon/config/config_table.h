// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The configuration file as a table: its sections and options, where each value is kept, how it
// is read, printed and explained. Loading, printing and docad.conf(5) follow from it.

#ifndef DAEMON_CONFIG_TABLE_H
#define DAEMON_CONFIG_TABLE_H

#include "config.h"

#define CONFIG_OPTIONS_MAX 32 // of one section
#define CONFIG_WHY_SIZE    400

struct config_option;

// `base` is the object that the section fills: the configuration, or one peer, function or rule.
struct config_type {
    // Reads a value, or the next element of a list. Returns false, with *why filled ("what is wrong
    // (what to write instead)"), if the text is not valid.
    bool (*read)(const struct config_option *option, void *base, const char *text,
                 char why[CONFIG_WHY_SIZE]);
    // Prints the value in the form in which it is read. Returns false: the option was not set; the
    // printed value may be an example.
    bool (*print)(const struct config_option *option, const void *base, FILE *out);
    bool is_list;
};

struct config_option {
    const char *name;
    const struct config_type *type;
    size_t at, size;          // offset and size of the value in `base`
    size_t setting;           // offset of the enum setting that belongs to it
    size_t given;             // offset of the flag that is set if the list is given; 0: none
    const char *noun;         // describes a value: "a role", "a number of threads"
    const char *const *words; // all possible values; some may be NULL
    size_t n_words;
    uint64_t min, max; // range of a number; in config_bytes `max` is "unlimited"
    uint64_t scale;    // the number is multiplied by this; 0: by one
    bool octal;
    bool (*shown)(const void *base); // whether to print it; NULL: always
    const char *text;                // the comment before it
    const char *by_default;          // printed instead of a default that depends on the machine
};

struct config_section {
    const char *name;       // NULL: the options outside of all sections
    const char *text;       // the comment before it
    const char *text_after; // the comment after its options
    const char *example;    // printed if there is no such section
    const struct config_option *options;
    size_t n_options;
    bool sparse; // only options that were set are printed
    // Sections with titles fill an array in the configuration. max is 0 if there is only one
    // section.
    size_t max, items, item_size, count, title, title_size;
};

// The value in the form of the file.
struct config_printed {
    bool is_set; // the option was set
    char *text;  // to be freed; NULL: memory ran out
};

struct config_printed config_print_value(const struct config_option *option, const void *base);

// All sections; the options outside of sections come first.
const struct config_section *config_sections(size_t *n);

// Reads the value of an option outside of sections, or the socket of a peer, into the
// configuration. False with *why filled if the text is not valid.
bool config_set(struct config *config, const char *option, const char *text,
                char why[CONFIG_WHY_SIZE]);
bool config_set_peer_socket(struct config_peer *peer, const char *text, char why[CONFIG_WHY_SIZE]);

#endif
