/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp.h
 * The difference of the 1.3 interface from the later doca_argp.h, which includes this file
 * for programs of the 1.3 interface.
 *
 * In DOCA 1.4 the callbacks of flags, and the version callback, get the configuration first and the
 * value second,
 *
 *     doca_error_t callback(void *config, void *param);
 *
 * and all else is as later. In DOCA 1.2 and 1.3 a flag is a structure of the program, and nothing
 * has a result:
 *
 *     void callback(void *config, void *param);
 *
 *     struct doca_argp_param flag = {
 *         .short_flag = "p", .long_flag = "pci-addr",
 *         .arguments = "<address>", .description = "device",
 *         .callback = callback, .arg_type = DOCA_ARGP_TYPE_STRING};
 *     doca_argp_init("program", &type_config, &config);
 *     doca_argp_register_param(&flag);
 *     doca_argp_start(argc, argv, &general_config);
 *
 * Both are here: calls with three arguments are those of 1.2 and 1.3.
 *
 * Since 1.3.
 */
#ifndef DOCA_1_3_ARGP_H_
#define DOCA_1_3_ARGP_H_

#include "doca_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Room for the address of a gRPC server, in DOCA 1.2 and 1.3. */
#define MAX_SERVER_ADDRESS 24

/** A flag: of DOCA 1.2 and 1.3. Programs of 1.4 have it of doca_argp_param_create(). */
struct doca_argp_param {
    const char *short_flag;                      /**< short name, or NULL */
    const char *long_flag;                       /**< long name, or NULL */
    const char *arguments;                       /**< for help, or NULL */
    const char *description;                     /**< for help */
    void (*callback)(void *config, void *param); /**< gets the value */
    enum doca_argp_type arg_type;                /**< the type of the value */
    bool is_mandatory;                           /**< doca_argp_start() fails without it */
    bool is_cli_only;                            /**< it does not stand in files */
};

/** What a program is. Of DOCA 1.2 and 1.3. */
struct doca_argp_program_type_config {
    bool is_dpdk; /**< arguments before "--" are DPDK's, which doca_argp_start() starts */
    bool is_grpc; /**< it has the mandatory flag --grpc-address */
};

/** Values of the flags of every program. Of DOCA 1.2 and 1.3. */
struct doca_argp_program_general_config {
    int log_level;                         /**< the level of --log-level, or what is set */
    char grpc_address[MAX_SERVER_ADDRESS]; /**< that of --grpc-address */
};

/**
 * Begins, as doca_argp_init() with three arguments. On failure the process ends.
 *
 * @param program_name name of the program, for help and messages.
 * @param type_config what the program is, or NULL. It must exist until doca_argp_start().
 * @param program_config what callbacks get.
 *
 * Source: programs. Since: 1.2; 1.3 is the last release that has it.
 */
__DOCA_EXPERIMENTAL
void doca_argp_init_structs(const char *program_name,
                            const struct doca_argp_program_type_config *type_config,
                            void *program_config) DOCA_1_3_SYMBOL(argp_init_structs);

/**
 * Adds a flag. That of a structure is copied, its texts too; on failure the process ends. Another
 * one becomes the parser's, as later.
 *
 * @param param a structure of the program, or a flag of doca_argp_param_create().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if param is NULL, or a name is not valid or taken;
 *   DOCA_ERROR_INITIALIZATION before doca_argp_init(), or if the flag lacks a name, a description,
 * a callback or a type.
 *
 * Source: programs. Since: 1.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *param)
    DOCA_1_3_SYMBOL(argp_register_param);

/**
 * Reads the command line, as doca_argp_start() with three arguments. If it is wrong, the process
 * ends.
 *
 * @param argc argument of main().
 * @param argv argument of main().
 * @param general_config receives values that every program has; they exist until the next start.
 *
 * Source: programs. Since: 1.2; 1.3 is the last release that has it.
 */
__DOCA_EXPERIMENTAL
void doca_argp_start_structs(int argc, char **argv,
                             struct doca_argp_program_general_config **general_config)
    DOCA_1_3_SYMBOL(argp_start_structs);

/**
 * Sets the function that takes the value: callback(configuration, value).
 *
 * @param param a flag not registered yet.
 * @param callback called by doca_argp_start() each time the flag is given.
 *
 * Source: programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, callback_func callback)
    DOCA_1_3_SYMBOL(argp_param_set_callback);

/**
 * Sets the function that -v calls: callback(configuration, NULL).
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if callback is NULL, or before doca_argp_init().
 *
 * Source: programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(callback_func callback)
    DOCA_1_3_SYMBOL(argp_register_version_callback);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_1_3_ARGP_H_ */
