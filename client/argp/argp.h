// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Declarations that the parts of the argument parser share.
//
// A start has two halves: first the command line and the file become lists of values, each
// checked against its flag; callbacks run only after that.

#ifndef CLIENT_ARGP_ARGP_H
#define CLIENT_ARGP_ARGP_H

#include "cleanup.h"
#include "errtext.h"
#include "list.h"

#include <doca_argp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json_object;

struct doca_argp_param {
    struct list link;       // in the program's flags, or among those not registered yet
    const char *short_name; // without dash, or NULL
    const char *long_name;  // without dashes, or NULL
    const char *arguments;  // for help, or NULL
    const char *description;
    callback_func callback;
    bool config_first; // the callback has the arguments of the 1.3 interface
    enum doca_argp_type type;
    bool mandatory, cli_only, multiplicity;
    bool incomplete; // a setter ran out of memory
    bool given;      // in the start under way
};

// Flags of every program.
enum builtin {
    BUILTIN_HELP,
    BUILTIN_VERSION,
    BUILTIN_LOG_LEVEL,
    BUILTIN_JSON,
    BUILTIN_GRPC,
    BUILTINS,
};

// Words for DPDK, without the program's name.
struct words {
    char **list; // room for the name in front and NULL at the end
    int count;
};

// The parser of this process.
struct argp {
    char *name; // NULL: not initialised
    void *config;
    struct list params; // the program's, in order of registration
    bool grpc;
    dpdk_callback dpdk;             // or NULL
    callback_func version;          // or NULL
    bool version_config_first;      // it has the arguments of the 1.3 interface
    validation_callback validation; // or NULL

    int log_level;      // of -l; 0: not given
    char *grpc_address; // or NULL
    struct words dpdk_words;
    bool running; // doca_argp_start() is under way
};

extern struct argp argp;

// ---- argp_param.c --------------------------------------------------------------

void param_free(struct doca_argp_param *param); // takes NULL

// The setters of callbacks, which get the configuration first or second.
void param_set_callback(struct doca_argp_param *param, callback_func callback, bool config_first);
doca_error_t set_version_callback(callback_func callback, bool config_first);

// ---- argp_flags.c: the flags of the program and of every program ----------------

extern struct doca_argp_param builtins[BUILTINS];

// Finds a built-in flag. BUILTINS if it is a flag of the program.
enum builtin flag_builtin(const struct doca_argp_param *param);

// The names that a built-in flag keeps, or NULL: the program's flags take precedence.
const char *builtin_short(enum builtin b);
const char *builtin_long(enum builtin b);

// Finds a flag by its whole name. NULL if there is none.
struct doca_argp_param *program_flag_by_short(const char *name, size_t length);
struct doca_argp_param *program_flag_by_long(const char *name, size_t length);
struct doca_argp_param *flag_by_short(const char *name, size_t length);
struct doca_argp_param *flag_by_long(const char *name, size_t length);

// The flag that a word of the command line names exactly ("-l", "--log-level"), or NULL.
struct doca_argp_param *flag_by_word(const char *word);

// The name of a flag in messages: "--long" or "-s".
struct flag_name {
    char s[80];
};
struct flag_name flag_name(const struct doca_argp_param *param);
#define FLAG_NAME(param) (flag_name(param).s)

// ---- argp_value.c ----------------------------------------------------------------

// A flag that was given, with its value.
struct value {
    struct list link;
    struct doca_argp_param *param;
    char *string; // from the command line, or `owned`
    char *owned;
    int number;
    bool yes;
    struct json_object *json; // belongs to the document
};

struct values {
    struct list from_line, from_file;
    const char *file;             // -j, or NULL
    struct json_object *document; // the contents of the file
    int log_level;                // 0: not given
    const char *grpc_address;     // in a value's string
};

#define cleanup_values cleanup(values_clear)

void values_init(struct values *values);
void values_clear(struct values *values);

// Appends a new value to a list; NULL if out of memory.
struct value *value_add(struct list *list, struct doca_argp_param *param);

// Reads a whole number that fits an int.
bool number_parse(const char *text, int *out);

// Remembers the value of a built-in flag.
doca_error_t builtin_take(struct values *values, const struct value *value, struct errtext *err);

// Appends copies to words. False if out of memory.
bool words_add(struct words *words, const char *first, const char *second);
void words_clear(struct words *words);

// ---- argp_cli.c --------------------------------------------------------------------

// Parses the command line. -h and -v act at once: the process ends, or *ended is set and
// the result is that of the version callback.
doca_error_t cli_parse(int argc, char **argv, struct values *values, bool *ended,
                       struct errtext *err);

// ---- argp_json.c, argp_dpdk.c --------------------------------------------------------

// Reads values->file. Skips flags that the command line has given already.
doca_error_t json_parse(struct values *values, struct errtext *err);

// Makes words for DPDK from doca_dpdk_flags.
doca_error_t dpdk_from_json(struct json_object *flags, struct errtext *err);

// ---- argp_help.c -------------------------------------------------------------------

void help_print(FILE *out);
void version_print(FILE *out);

#endif
