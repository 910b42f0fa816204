// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_argp.h
 * Command lines and JSON files of programs: parameters, commands, and what is built in.
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

/** Types of parameters. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,  /**< not set */
    DOCA_ARGP_TYPE_STRING = 1,   /**< const char * */
    DOCA_ARGP_TYPE_INT = 2,      /**< int */
    DOCA_ARGP_TYPE_BOOLEAN = 3,  /**< bool */
    DOCA_ARGP_TYPE_JSON_OBJ = 4, /**< an object of a JSON file */
};

/** Called with the value of a parameter, and the configuration of the program. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/** Called with the configuration when a command was given. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/** Called with the arguments that are for DPDK. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/** Called with the configuration when all parameters were read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/** Called with each text that the parser writes. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);

/**
 * Prints the help.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * Registers built-in flags; program_config goes to callbacks. NULL name allowed.
 *
 * @param program_name the program name.
 * @param program_config passed to every callback.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Takes ownership.
 *
 * @param input_param the parameter.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Adds a sub-command to the program.
 *
 * @param input_cmd the command.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Called for -v.
 *
 * @param callback the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Called after parsing.
 *
 * @param callback the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Called with both chosen log levels.
 *
 * @param callback the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_ALREADY_EXIST it is there already;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Drops the built-in handling of the log flags.
 *
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * Parses argv (or the JSON file given by -j) and calls the callbacks.
 *
 * @param argc the argc.
 * @param argv where to put the argv.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_IO_FAILED the input or output failed;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * Frees all.
 *
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * For DPDK programs.
 *
 * @param callback the function to call.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * A parameter to describe and register.
 *
 * @param param where to put the parameter.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Short name of the parameter or command.
 *
 * @param param the parameter.
 * @param name the name.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Long name of the parameter or command.
 *
 * @param param the parameter.
 * @param name the name.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Arguments of the parameter or command.
 *
 * @param param the parameter.
 * @param arguments the arguments.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Description of the parameter or command.
 *
 * @param param the parameter.
 * @param description the description.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Callback of the parameter or command.
 *
 * @param param the parameter.
 * @param callback the function to call.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * Type of the parameter or command.
 *
 * @param param the parameter.
 * @param type the type.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * Mandatory of the parameter or command.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Cli only of the parameter or command.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Multiplicity of the parameter or command.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * May appear once only.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Also valid in sub-commands.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Not in the help.
 *
 * @param param the parameter.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * Frees a parameter that was not registered.
 *
 * @param param the parameter.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * A sub-command.
 *
 * @param cmd where to put the command.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Name of the parameter or command.
 *
 * @param cmd the command.
 * @param name the name.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Description of the parameter or command.
 *
 * @param cmd the command.
 * @param description the description.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Callback of the parameter or command.
 *
 * @param cmd the command.
 * @param callback the function to call.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Hidden of the parameter or command.
 *
 * @param cmd the command.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Adds a parameter to a sub-command.
 *
 * @param cmd the command.
 * @param input_param the parameter.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);

/**
 * Adds a sub-command below another.
 *
 * @param cmd the command.
 * @param input_cmd the command.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * Frees one that was not registered.
 *
 * @param cmd the command.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * Level chosen with -l.
 *
 * @param log_level where to put the log level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * Level chosen with --sdk-log-level.
 *
 * @param log_level where to put the log level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
