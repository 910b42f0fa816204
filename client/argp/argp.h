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
#include "log/own.h"

#include <doca_argp.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json_object;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

// Callbacks of all interfaces.
typedef doca_error_t (*argp_value_cb)(void *, void *);
typedef doca_error_t (*argp_config_cb)(void *);
typedef void (*argp_plain_cb)(void *, void *); // in DOCA 1.2 and 1.3: the configuration, a value
typedef doca_error_t (*argp_dpdk_cb)(int, char **);
typedef doca_error_t (*argp_open_cb)(struct doca_devinfo *, void *, struct doca_dev **);
typedef doca_error_t (*argp_text_cb)(enum doca_log_level, const char *, va_list);

// Each interface has its own codes, built-in flags and log levels.
enum argp_interface { ARGP_2_2, ARGP_3 };

// Types of DOCA 3.1 and later. The value 4 is an object of a JSON file before 3.1 and a device
// since 3.1; a text names a device.
enum { ARGP_TYPE_DEVICE = DOCA_ARGP_TYPE_JSON_OBJ, ARGP_TYPE_DEVICE_REP, ARGP_TYPE_DOUBLE };

struct doca_argp_param {
    struct list link;       // in the program's flags, or among those not registered yet
    const char *short_name; // without dash, or NULL
    const char *long_name;  // without dashes, or NULL
    const char *arguments;  // for help, or NULL
    const char *description;
    argp_value_cb callback;
    bool config_first; // the callback has the arguments of the 1.3 interface
    bool no_result;    // and that of DOCA 1.2 and 1.3: it returns nothing
    int type;          // enum doca_argp_type, or one of the above
    bool mandatory, cli_only, multiplicity;
    bool singular;   // alone, without other flags of the program
    bool inherited;  // in the commands below, too
    bool hidden;     // not in the help
    bool incomplete; // a setter ran out of memory
    bool given;      // in the present start
};

// A command: a word that comes before flags of its own. Only in DOCA 3.
struct doca_argp_cmd {
    struct list link;            // among its siblings, or those not registered yet
    struct doca_argp_cmd *above; // NULL: the program, or not registered
    char *name, *description;    // or NULL
    argp_config_cb callback;     // or NULL
    bool hidden;                 // not in the help
    bool incomplete;             // a setter ran out of memory
    struct list params, cmds;    // in order of registration
};

// Flags of every program.
enum builtin {
    BUILTIN_HELP,
    BUILTIN_VERSION,
    BUILTIN_LOG_LEVEL,
    BUILTIN_SDK_LOG_LEVEL, // in DOCA 3
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
    enum argp_interface interface;
    struct doca_argp_cmd program;  // flags that belong to no command
    struct doca_argp_cmd *current; // of the present start; else the program
    bool grpc;
    argp_dpdk_cb dpdk;         // or NULL
    argp_value_cb version;     // or NULL
    bool version_config_first; // it has the arguments of the 1.3 interface
    argp_config_cb validation; // or NULL
    bool no_results;           // callbacks of DOCA 1.2 and 1.3, like those of flags
    argp_text_cb logger;       // or NULL: the library's log
    argp_open_cb open_device;  // or NULL: doca_dev_open()
    void *open_context;
    bool lenient; // unknown members of a file are ignored

    int log_level, sdk_log_level; // of -l and --sdk-log-level; 0: not given
    char *grpc_address;           // or NULL
    struct words dpdk_words;
    bool running; // doca_argp_start() is in progress
};

extern struct argp argp;
void argp_reset(void); // resets everything, and frees nothing

// ---- argp.c, argp_start.c: what the interfaces have in common; `function` was called ------

doca_error_t argp_init(const char *function, enum argp_interface interface, const char *name,
                       void *config);
doca_error_t argp_destroy(const char *function, enum argp_interface interface);
doca_error_t argp_start(const char *function, enum argp_interface interface, int argc, char **argv);
doca_error_t argp_set_version(const char *function, enum argp_interface interface,
                              argp_value_cb callback, bool config_first);
doca_error_t argp_set_validation(const char *function, enum argp_interface interface,
                                 argp_config_cb callback);
// Reports that there was no doca_argp_init(), with the code of 2.2 or that of DOCA 3.
doca_error_t argp_need_init(const char *function, enum argp_interface interface, doca_error_t old);
int argp_sdk_log_level(void); // the level of --sdk-log-level, or the one that is set

// Writes a text of the parser to the program's function, or to the log.
void argp_print(struct log_place place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- argp_param.c --------------------------------------------------------------

void param_free(struct doca_argp_param *param); // takes NULL

// Returns whether the parameter was made by doca_argp_param_create() and is not registered yet.
// Does not dereference any other address.
bool param_is_new(const struct doca_argp_param *param);

// Returns whether the process has ever called doca_argp_param_create().
bool param_by_create(void);

// Like doca_argp_param_create(). Returns NULL if there is no memory.
struct doca_argp_param *param_make(void);

// Sets a text; a failure is reported by the registration. NULL is ignored.
void param_set_text(struct doca_argp_param *param, const char **field, const char *text);

// The setter of a callback, which gets the configuration first or second.
void param_set_callback(struct doca_argp_param *param, argp_value_cb callback, bool config_first);

// Setters of DOCA 3.
enum param_option { PARAM_SINGULAR, PARAM_INHERITED, PARAM_HIDDEN };
void param_set_option(const char *function, struct doca_argp_param *param,
                      enum param_option option);

// Adds a flag to a command, and takes it even if that fails.
doca_error_t param_register(const char *function, enum argp_interface interface,
                            struct doca_argp_cmd *cmd, struct doca_argp_param *param);

// ---- argp_cmd.c ------------------------------------------------------------------

// Frees the contents of a command, with all commands below.
void cmd_clear(struct doca_argp_cmd *cmd);

// Finds a command below by its name, or NULL.
struct doca_argp_cmd *cmd_named(const struct doca_argp_cmd *cmd, const char *name);

// Returns whether a flag was added to it, or to a command below; or to any, also of the program's
// own.
bool cmd_has_param(const struct doca_argp_cmd *cmd, const struct doca_argp_param *param);
bool cmds_have_param(const struct doca_argp_param *param);

// Resets which of its flags, and of those below, were given.
void cmd_reset(struct doca_argp_cmd *cmd);

doca_error_t cmd_create(const char *function, struct doca_argp_cmd **cmd);
doca_error_t cmd_destroy(const char *function, struct doca_argp_cmd *cmd);
void cmd_set_name(const char *function, struct doca_argp_cmd *cmd, const char *name);
void cmd_set_description(const char *function, struct doca_argp_cmd *cmd, const char *description);
void cmd_set_callback(const char *function, struct doca_argp_cmd *cmd, argp_config_cb callback);
void cmd_set_hidden(const char *function, struct doca_argp_cmd *cmd);
doca_error_t cmd_register_param(const char *function, struct doca_argp_cmd *cmd,
                                struct doca_argp_param *param);
// `above` is NULL for the program. Takes the command even if that fails.
doca_error_t cmd_register(const char *function, struct doca_argp_cmd *above, bool to_program,
                          struct doca_argp_cmd *cmd);

// ---- argp_flags.c: the flags of the program and of every program ----------------

extern struct doca_argp_param builtins[BUILTINS];

// Finds a built-in flag. BUILTINS if it is a flag of the program.
enum builtin flag_builtin(const struct doca_argp_param *param);

// The names that a built-in flag keeps, or NULL: the program's flags take precedence.
const char *builtin_short(enum builtin b);
const char *builtin_long(enum builtin b);

// Finds a flag of this command by its whole name, or NULL.
struct doca_argp_param *cmd_flag_by_short(const struct doca_argp_cmd *cmd, const char *name);
struct doca_argp_param *cmd_flag_by_long(const struct doca_argp_cmd *cmd, const char *name);

// Calls a function for each possible flag: those of the current command, and those that it
// inherits.
void flags_visit(void (*visit)(struct doca_argp_param *param, void *data), void *data);

const char *builtin_description(enum builtin b);

// Finds a possible flag by its whole name. Returns NULL if there is none.
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

// ---- argp_device.c ---------------------------------------------------------------

// The argument of the callback of a device, or of a representor: the structures of DOCA 3.1.
struct argp_device {
    struct doca_dev *dev;
    const char *arguments; // or NULL
};
struct argp_device_rep {
    struct argp_device device;
    struct doca_dev_rep *rep;
};

struct values;

// Opens the devices that were given, each once.
doca_error_t devices_open(struct values *values, struct errtext *err);
// Closes those that were not passed to a callback.
void devices_close(struct values *values);

// ---- argp_value.c ----------------------------------------------------------------

// A flag that was given, with its value.
struct value {
    struct list link;
    struct doca_argp_param *param;
    char *string; // from the command line, or `owned`
    char *owned;
    int number;
    bool yes;
    double real;
    struct json_object *json; // belongs to the document; NULL: from the command line
    struct argp_device_rep device;
    char *device_text;        // a copy of `string`, cut into parts
    bool own_device, own_rep; // opened for this value, and not passed to a callback yet
};

// Returns whether a value is a device, or a representor.
bool value_is_device(const struct value *value);

struct values {
    struct list from_line, from_file;
    const char *file;             // -j, or NULL
    struct json_object *document; // the contents of the file
    int log_level, sdk_log_level; // 0: not given
    const char *grpc_address;     // in a value's string
};

#define cleanup_values cleanup(values_clear)

void values_init(struct values *values);
void values_clear(struct values *values);

// Appends a new value to a list; NULL if out of memory.
struct value *value_add(struct list *list, struct doca_argp_param *param);

// Reads a whole number that fits an int.
bool number_parse(const char *text, int *out);
// Reads a number that may have a fraction.
bool real_parse(const char *text, double *out);

// Remembers the value of a built-in flag.
doca_error_t builtin_take(struct values *values, const struct value *value, struct errtext *err);

// Appends copies to words. Returns false if out of memory.
bool words_add(struct words *words, const char *first, const char *second);
void words_clear(struct words *words);

// ---- argp_cli.c --------------------------------------------------------------------

// Parses the command line. -h and -v act immediately: the process ends, or *ended is set and the
// result is that of the version callback.
doca_error_t cli_parse(int argc, char **argv, struct values *values, bool *ended,
                       struct errtext *err);

// ---- argp_json.c, argp_dpdk.c --------------------------------------------------------

// Reads values->file. Skips flags that the command line has given already.
doca_error_t json_parse(struct values *values, struct errtext *err);

// Makes the arguments of DPDK from doca_dpdk_flags.
doca_error_t dpdk_from_json(struct json_object *flags, struct errtext *err);

// ---- argp_help.c -------------------------------------------------------------------

void help_print(FILE *out);
void version_print(FILE *out);

#endif
