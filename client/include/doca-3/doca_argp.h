/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp.h
 * Command lines and JSON files of programs: parameters, commands, and what is built in.
 *
 * Order of use: doca_argp_init(); for each flag doca_argp_param_create(), its properties,
 * doca_argp_register_param(); doca_argp_start(); doca_argp_destroy().
 *
 * Flags of a program: a short name after one dash ("-p", or of several letters, "-ld"), a
 * long name after two ("--pci-addr"), or both. A value is the next word, or follows an
 * equals sign: "--pci-addr 03:00.0", "--pci-addr=03:00.0". A flag of type BOOLEAN has no
 * value.
 *
 * Flags of every program, unless the program has one of the same name:
 *
 *     -h, --help                 print the flags and commands and end
 *     -v, --version              run the version callback and end
 *     -l, --log-level LEVEL      10 to 70: doca_log_level_set_global_lower_limit()
 *         --sdk-log-level LEVEL  10 to 70: doca_log_level_set_global_sdk_limit()
 *     -j, --json FILE            take flags from a file
 *
 * The file has up to three members, and may have comments and trailing commas:
 *
 *     {
 *         "doca_general_flags": {"log-level": 60, "sdk-log-level": 40},
 *         "doca_program_flags": {"pci-addr": "03:00.0", "loud": true},
 *         "doca_dpdk_flags": {"devices": ["03:00.0"],
 *                             "core-mask": "0x3", "flags": "--no-huge"}
 *     }
 *
 * The file has long names only: those of the program, and of the commands on the command line. A
 * flag on the command line overrides the same flag in the file.
 *
 * One thread at a time may use these functions. No callback runs before the whole command
 * line, and the file, have been checked. A process has one parser: parts that are written for
 * different interfaces share it.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter. */
struct doca_argp_param;
/** A command. */
struct doca_argp_cmd;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/**
 * Types of parameters.
 *
 * DOCA 3.1 has devices in place of the objects of a JSON file. Here both have the value 4: what is
 * given tells which it is, a text or an object.
 */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,    /**< not set */
    DOCA_ARGP_TYPE_STRING = 1,     /**< const char * */
    DOCA_ARGP_TYPE_INT = 2,        /**< int */
    DOCA_ARGP_TYPE_BOOLEAN = 3,    /**< bool */
    DOCA_ARGP_TYPE_JSON_OBJ = 4,   /**< an object of a JSON file */
    DOCA_ARGP_TYPE_DEVICE = 4,     /**< struct doca_argp_device_ctx: "pci/03:00.0,devargs" */
    DOCA_ARGP_TYPE_DEVICE_REP = 5, /**< struct doca_argp_device_rep_ctx: "pci/03:00.0,pf0vf1" */
    DOCA_ARGP_TYPE_DOUBLE = 6      /**< double */
};

/** What the callback of a device gets. From then on the device is the program's, to be closed. */
struct doca_argp_device_ctx {
    struct doca_dev *dev; /**< open; flags that name one device share it */
    const char *devargs;  /**< what stands behind the comma, or NULL; valid during the call */
};

/** What the callback of a representor gets. */
struct doca_argp_device_rep_ctx {
    struct doca_argp_device_ctx dev_ctx; /**< the device that the representor is listed under */
    struct doca_dev_rep *dev_rep;        /**< open; to be closed by the program */
};

/** Called with the value of a parameter, and the configuration of the program. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/** Called with the configuration when a command was given. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/** Called with the arguments that are for DPDK. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/** Called with the configuration when all parameters were read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/** Called to open a device that a flag names, with the context that was registered with it. */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
                                                struct doca_dev **dev);

/** Called with each text that the parser writes. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);

/**
 * Prints the flags to stdout and ends the process with status 0. Before
 * doca_argp_init() it says so in the log and returns.
 *
 * Source: table; the status is our choice. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * Begins: the program may register its flags and commands.
 *
 * @param program_name what help and errors call the program; copied. NULL for the name
 *   of its file.
 * @param program_config passed to callbacks, and otherwise not used; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE this was called before, without doca_argp_destroy() since;
 *   DOCA_ERROR_INVALID_VALUE program_name is empty;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config)
    DOCA_3_SYMBOL(argp_init);

/**
 * Adds a flag to the program, which from then on belongs to the parser: it is freed by
 * doca_argp_destroy(), or at once if this fails. A flag takes precedence over a flag of
 * every program with the same name.
 *
 * @param input_param a flag with a name, a description, a callback and a type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), or the flag was registered before;
 *   DOCA_ERROR_INITIALIZATION the flag lacks something (a JSON_OBJ flag needs the long
 *     name);
 *   DOCA_ERROR_INVALID_VALUE input_param is NULL or not a flag that the program owns,
 *     or one of its names belongs to another flag, is empty, begins with a dash or
 *     contains "=", or the short name contains a space.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
    DOCA_3_SYMBOL(argp_register_param);

/**
 * Adds a command to the program, which from then on belongs to the parser: it is freed
 * by doca_argp_destroy(), or at once if this fails. A word of the command line that is
 * the name of a command begins it: the words that follow are its flags, those that it
 * inherits, and its own commands.
 *
 * @param input_cmd a command with a name and a description.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), from a callback, or the command was
 *     registered before;
 *   DOCA_ERROR_INITIALIZATION the command lacks its name or its description;
 *   DOCA_ERROR_INVALID_VALUE input_cmd is NULL or not a command that the program owns,
 *     or its name belongs to another, is empty, begins with a dash, or has a space or
 *     "=".
 *
 * Source: table; what is inherited and the order of callbacks are our choice. Since:
 * 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Sets the function that -v calls, with NULL and the configuration. When it returns
 * DOCA_SUCCESS the process ends with status 0. Without such a function, -v prints the
 * version of the library.
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init();
 *   DOCA_ERROR_INVALID_VALUE callback is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
    DOCA_3_SYMBOL(argp_register_version_callback);

/**
 * Sets the function that checks the configuration as a whole after all flags were read.
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init();
 *   DOCA_ERROR_INVALID_VALUE callback is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
    DOCA_3_SYMBOL(argp_register_validation_callback);

/**
 * Sets the function that gets the texts of the parser about wrong flags and commands.
 * Without it they go to the log of the library.
 *
 * @param callback called with the level, and with a text in the manner of vprintf(3),
 *   without a newline.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init();
 *   DOCA_ERROR_ALREADY_EXIST there is such a function;
 *   DOCA_ERROR_INVALID_VALUE callback is NULL.
 *
 * Source: table; which texts these are is our choice. Since: 3.0 at the latest, and not
 * in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Takes that function away.
 *
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), or there is no such function.
 *
 * Source: table; the meaning is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * Sets the function that opens the devices which flags name; without one they are opened by
 * doca_dev_open(). It is called once for each device. The program closes what it has opened, also
 * if doca_argp_start() fails.
 *
 * @param callback opens the device; its error ends doca_argp_start(), which returns it.
 * @param usr_ctx passed to it; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init();
 *   DOCA_ERROR_INVALID_VALUE callback is NULL.
 *
 * Source: public headers. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx);

/**
 * Members of a JSON file that are unknown are left alone, in place of ending doca_argp_start().
 *
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init().
 *
 * Source: public headers. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

/**
 * Parses the command line and runs the callbacks: the DPDK callback, then those of
 * flags in the order in which they were given (those of a file first), then those of
 * the commands from the outermost on, then the validation callback. If the command line
 * is wrong, it prints the flags to stderr, and logs what is wrong and what to do. After
 * -h and -v it does not return.
 *
 * @param argc as main() got it.
 * @param argv as main() got it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), or called from a callback;
 *   DOCA_ERROR_NOT_SUPPORTED a flag, or a member of the file, that is unknown, a flag of
 *     type JSON_OBJ on the command line, or a flag for the command line only in a file;
 *   DOCA_ERROR_INVALID_VALUE a flag that is given twice, without its value or with a
 *     value not of its type, a mandatory flag of the program or of a given command that
 *     is missing, a singular flag beside others, a word that is neither flag nor command,
 *     argc below 1, or argv that is NULL or has a NULL among its first argc words;
 *   DOCA_ERROR_IO_FAILED the file cannot be read, or is not JSON;
 *   DOCA_ERROR_INVALID_VALUE a device or a representor that there is not, or why it cannot be
 *     opened;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_INITIALIZATION is not returned;
 *   what a callback returned.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv) DOCA_3_SYMBOL(argp_start);

/**
 * Ends the use of the parser: frees all flags and commands.
 *
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), or a callback of doca_argp_start() calls it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void) DOCA_3_SYMBOL(argp_destroy);

/**
 * Says that the program hands arguments to DPDK: those before "--" on the command line,
 * or doca_dpdk_flags of a file. Without "--" the whole command line is the program's.
 * Before doca_argp_init(), or with NULL, it says so in the log and does nothing.
 *
 * @param callback gets the arguments, before other callbacks.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * Makes a flag. It is the caller's until it is registered or destroyed. May be called
 * before doca_argp_init(), too.
 *
 * @param param where to put the flag.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE param is NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_BAD_STATE is not returned.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Sets the name that is given after one dash. It changes nothing, and writes a line to
 * the log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 * @param name one letter or several, without the dash; copied.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the name that is given after two dashes, and in files. It changes nothing, and
 * writes a line to the log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 * @param name without the dashes; may contain spaces; copied.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Sets what help shows in place of the value, for instance "<path>". It changes
 * nothing, and writes a line to the log, if an argument is NULL or not what it should
 * be.
 *
 * @param param a flag that is not registered yet.
 * @param arguments text; copied.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Sets the help text of the flag. Must be set. It changes nothing, and writes a line to
 * the log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 * @param description text; copied.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Sets the function that takes the value. Must be set. It changes nothing, and writes a
 * line to the log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 * @param callback called by doca_argp_start() each time the flag is given.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * Sets the type of the value. Must be set. It changes nothing, and writes a line to the
 * log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 * @param type any but DOCA_ARGP_TYPE_UNKNOWN.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * Makes doca_argp_start() fail if the flag is not given; that of a command only if the
 * command is given. It changes nothing, and writes a line to the log, if an argument is
 * NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Keeps the flag out of files: it may stand on the command line only. It changes
 * nothing, and writes a line to the log, if an argument is NULL or not what it should
 * be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Allows the flag to be given more than once, in a file as an array. Its callback is
 * called each time. It changes nothing, and writes a line to the log, if an argument is
 * NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * Makes the flag stand alone: no other flag of the program may be given with it, and
 * none is mandatory then. It changes nothing, and writes a line to the log, if an
 * argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table; what else may be given is our choice. Since: 3.0 at the latest, and
 * not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Makes the flag valid behind the commands below, too. It changes nothing, and writes a
 * line to the log, if an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Leaves the flag out of the help. It changes nothing, and writes a line to the log, if
 * an argument is NULL or not what it should be.
 *
 * @param param a flag that is not registered yet.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * Frees a flag that was never registered.
 *
 * @param param a flag that is not registered yet.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE param is NULL or freed;
 *   DOCA_ERROR_BAD_STATE param was registered.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Makes a command. It is the caller's until it is registered or destroyed.
 *
 * @param cmd where to put the command.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE cmd is NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_BAD_STATE is not returned.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Sets the word that begins the command. Must be set. It changes nothing, and writes a
 * line to the log, if an argument is NULL or not what it should be.
 *
 * @param cmd a command that is not registered yet.
 * @param name one word; copied.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Sets the help text of the command. Must be set. It changes nothing, and writes a line
 * to the log, if an argument is NULL or not what it should be.
 *
 * @param cmd a command that is not registered yet.
 * @param description text; copied.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Sets the function that is called when the command was given, after the callbacks of
 * all flags. It changes nothing, and writes a line to the log, if an argument is NULL
 * or not what it should be.
 *
 * @param cmd a command that is not registered yet.
 * @param callback gets the configuration.
 *
 * Source: table; the order is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Leaves the command out of the help. It changes nothing, and writes a line to the log,
 * if an argument is NULL or not what it should be.
 *
 * @param cmd a command that is not registered yet.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Adds a flag to a command, as doca_argp_register_param() does to the program.
 *
 * @param cmd a command, registered or not.
 * @param input_param a flag with a name, a description, a callback and a type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), from a callback, or the flag was
 *     registered before;
 *   DOCA_ERROR_INITIALIZATION the flag lacks something;
 *   DOCA_ERROR_INVALID_VALUE cmd is not a command, or as doca_argp_register_param().
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);

/**
 * Adds a command below another, as doca_argp_register_cmd() does below the program.
 *
 * @param cmd a command, registered or not.
 * @param input_cmd a command with a name and a description.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE before doca_argp_init(), from a callback, or input_cmd was
 *     registered before;
 *   DOCA_ERROR_INITIALIZATION the command lacks its name or its description;
 *   DOCA_ERROR_INVALID_VALUE cmd is not a command, cmd is input_cmd or stands below it,
 *     or as doca_argp_register_cmd().
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * Frees a command that was never registered, with what was added to it.
 *
 * @param cmd a command that is not registered yet.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE cmd is NULL or freed;
 *   DOCA_ERROR_BAD_STATE cmd was registered.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * Returns the value of --log-level, or that of doca_log_level_get_global_lower_limit()
 * if it was not given.
 *
 * @param log_level where to put the level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE log_level is NULL, or before doca_argp_init().
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * Returns the value of --sdk-log-level, or that of
 * doca_log_level_get_global_sdk_limit() if it was not given.
 *
 * @param log_level where to put the level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE log_level is NULL, or before doca_argp_init().
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
