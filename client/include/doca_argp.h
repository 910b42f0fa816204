/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp.h
 * The command line of DOCA programs.
 *
 * Order of use: doca_argp_init(); for each flag doca_argp_param_create(), its properties,
 * doca_argp_register_param(); doca_argp_start(); doca_argp_destroy().
 *
 * Flags of a program: a short name after one dash ("-p", or of several letters, "-ld"), a
 * long name after two ("--pci-addr"), or both. A value is the next word, or follows an
 * equals sign: "--pci-addr 03:00.0", "--pci-addr=03:00.0". A flag of type BOOLEAN has no
 * value. A long name with spaces is one word for the shell: "--log file" in quotes.
 *
 * Flags of every program, unless the program has one of the same name:
 *
 *     -h, --help              print the flags and end
 *     -v, --version           run the version callback and end
 *     -l, --log-level LEVEL   20, 30, 40, 50 or 60: doca_log_global_level_set()
 *     -j, --json FILE         take flags from a file
 *
 * The file has up to three members, and may have comments and trailing commas:
 *
 *     {
 *         "doca_general_flags": {"log-level": 60},
 *         "doca_program_flags": {"pci-addr": "03:00.0", "loud": true},
 *         "doca_dpdk_flags": {"devices": ["03:00.0"],
 *                             "core-mask": "0x3", "flags": "--no-huge"}
 *     }
 *
 * The file has long names only. A flag on the command line overrides the same flag in the
 * file.
 *
 * One thread at a time may use these functions. No callback runs before the whole command
 * line, and the file, have been checked.
 *
 * Since 2.2.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdbool.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The type of value that a flag takes, and that its callback gets. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0, /**< Not set yet. */
    DOCA_ARGP_TYPE_STRING = 1,  /**< Text: char *. */
    DOCA_ARGP_TYPE_INT = 2,     /**< A whole number, decimal or 0x…: int *. */
    DOCA_ARGP_TYPE_BOOLEAN = 3, /**< Given or not: bool *, always true. */
    DOCA_ARGP_TYPE_JSON_OBJ = 4 /**< An object or array in a file: struct json_object *. */
};

/** A flag. */
struct doca_argp_param;

/**
 * Called for each time a flag is given, and for the version flag.
 *
 * A result other than DOCA_SUCCESS ends doca_argp_start(), which returns it.
 *
 * (In programs of the 1.3 interface the two arguments come in the opposite order.)
 *
 * @param param the value, by type; valid, and the callback's to change, during the call.
 *   NULL for the version flag.
 * @param config what doca_argp_init() was given.
 */
typedef doca_error_t (*callback_func)(void *param, void *config);

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* the setters of such callbacks */
#include "doca-1.3/doca_argp.h"
#endif

/**
 * Called once, after the callbacks of all flags.
 *
 * Its result is that of doca_argp_start().
 *
 * @param config what doca_argp_init() was given.
 */
typedef doca_error_t (*validation_callback)(void *config);

/**
 * Called once, before the callbacks of flags, with the arguments for DPDK's environment.
 *
 * A result other than DOCA_SUCCESS ends doca_argp_start(), which returns it.
 *
 * @param argc number of words: the program's name and the arguments before "--".
 * @param argv the words, and NULL behind them; they exist until doca_argp_destroy() or the
 *   next doca_argp_start().
 */
typedef doca_error_t (*dpdk_callback)(int argc, char **argv);

/**
 * Prints all flags to stdout and ends the process with status 0. Before doca_argp_init()
 * it says so in the log and returns.
 *
 * Source: table; the status is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * Begins: the program may register its flags.
 *
 * @param program_name what help and errors call the program; copied.
 * @param program_config passed to callbacks, and otherwise not used; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if program_name is NULL or empty, or this was called before
 *     without doca_argp_destroy() since (what was registered stays);
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; NO_MEMORY is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Adds a flag to the program, which from then on belongs to the parser: it is freed by
 * doca_argp_destroy(), or at once if this fails.
 *
 * A flag takes precedence over a flag of every program with the same name. A mandatory flag
 * of type BOOLEAN is allowed, though of little use, and so is a flag of type JSON_OBJ that is
 * for the command line only.
 *
 * @param input_param a flag with a name, a description, a callback and a type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if input_param is NULL or not a flag that the program owns, or
 *     one of its names belongs to another flag, is empty, begins with a dash or contains "=",
 *     or the short name contains a space;
 *   DOCA_ERROR_INITIALIZATION before doca_argp_init(), or if the flag lacks something (a
 *     JSON_OBJ flag needs the long name).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Sets the function that -v calls, with NULL and the program's configuration. When it
 * returns DOCA_SUCCESS the process ends with status 0. Without such a function, -v prints
 * the version of the library.
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if callback is NULL, or before doca_argp_init().
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(callback_func callback);

/**
 * Sets the function that checks the configuration as a whole after all flags were read.
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if callback is NULL, or before doca_argp_init().
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(validation_callback callback);

/**
 * Parses the command line and runs the callbacks: the DPDK callback, then those of
 * flags in the order in which they were given (those of a file first), then the
 * validation callback.
 *
 * If the command line is wrong, it prints the flags to stderr, and logs what is wrong and
 * what to do. After -h and -v it does not return.
 *
 * @param argc as main() got it.
 * @param argv as main() got it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED for a flag, or a member of the file, that is unknown, and for a
 *     flag in the wrong place: a flag of type JSON_OBJ on the command line, or a flag for the
 *     command line only in a file;
 *   DOCA_ERROR_INVALID_VALUE for a flag that is given twice, without its value or with a
 *     value not of its type, a mandatory flag that is missing, a word that is not a flag, argc
 *     below 1, or argv that is NULL or has a NULL among its first argc words;
 *   DOCA_ERROR_IO_FAILED if the file cannot be read, or is not JSON;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_INITIALIZATION before doca_argp_init(), or called from a callback;
 *   what a callback returned.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * Ends the use of the parser: frees all flags, and the texts that getters returned.
 *
 * @return DOCA_SUCCESS, also before doca_argp_init();
 *   DOCA_ERROR_IN_USE if a callback of doca_argp_start() calls it.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * Says that the program hands arguments to DPDK: those before "--" on the command line,
 * or doca_dpdk_flags of a file. Without "--" the whole command line is the program's.
 *
 * In doca_dpdk_flags, "devices" becomes -a for each of its strings, "core-mask" becomes -c
 * and "core-list" -l; "flags" is divided at spaces; any other member becomes a long flag.
 *
 * Before doca_argp_init(), or with NULL, it says so in the log and does nothing.
 *
 * @param callback gets the arguments.
 *
 * Source: table; the members of doca_dpdk_flags are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(dpdk_callback callback);

/**
 * Gives the program the mandatory flag -g, --grpc-address, for doca_argp_get_grpc_addr().
 *
 * Before doca_argp_init() it says so in the log and does nothing.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_set_grpc_program(void);

/**
 * Makes a flag. It is the caller's until doca_argp_register_param() or
 * doca_argp_param_destroy(). May be called before doca_argp_init().
 *
 * @param param where to put the flag.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if param is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Sets the name that is given after one dash.
 *
 * A flag has at least one name. If param is not a flag of the caller, or an argument is
 * NULL, this function and those below change nothing and write a line to the log.
 *
 * @param param a flag not registered yet.
 * @param name one letter or several, without the dash; copied.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the name that is given after two dashes, and in files.
 *
 * @param param a flag not registered yet.
 * @param name without the dashes; may contain spaces; copied.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Sets what help shows in place of the value, for instance "<path>".
 *
 * @param param a flag not registered yet.
 * @param arguments text; copied.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Sets the help text of the flag. Must be set.
 *
 * @param param a flag not registered yet.
 * @param description text; copied.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Sets the function that takes the value. Must be set.
 *
 * @param param a flag not registered yet.
 * @param callback called by doca_argp_start() each time the flag is given.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, callback_func callback);

/**
 * Sets the type of the value. Must be set.
 *
 * @param param a flag not registered yet.
 * @param type any but DOCA_ARGP_TYPE_UNKNOWN.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * Makes doca_argp_start() fail if the flag is not given. A flag is optional otherwise.
 *
 * @param param a flag not registered yet.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Keeps the flag out of files: it may stand on the command line only.
 *
 * @param param a flag not registered yet.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Allows the flag to be given more than once, in a file as an array. Its callback is
 * called each time.
 *
 * @param param a flag not registered yet.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);
#endif

/**
 * Frees a flag that was never registered.
 *
 * @param param a flag not registered yet.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if param is NULL, registered or freed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Returns the value of --grpc-address.
 *
 * @param address where to put the text, which exists until doca_argp_destroy() or the next
 *   doca_argp_start().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if address is NULL, before doca_argp_init(), or if the flag
 *     was not given.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_grpc_addr(const char **address);

/**
 * Returns the value of --log-level, or that of doca_log_global_level_get() if it was not given.
 *
 * @param log_level where to put the level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if log_level is NULL, or before doca_argp_init().
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15
#include "doca-1.3/doca_argp_calls.h"
#endif

#endif /* DOCA_ARGP_H_ */
