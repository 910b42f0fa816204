// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser of DOCA 1.2 and 1.3: flags are structures of the program, its functions and
// callbacks return nothing, and doca_argp_init() and doca_argp_start() take three arguments. In
// source code, the number of arguments distinguishes these releases. Executables of 1.4 call
// functions of the same names with two arguments; their flags were made by
// doca_argp_param_create(), those of 1.2 and 1.3 were not. For an executable that registers no
// flag, docad-run finds the number of arguments (client/run/third_argument.h).

#include "argp/argp.h"
#include "argp_variable.h"
#include "compat13/compat13.h"
#include "core/report.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct flag_1_3 {
    const char *short_name, *long_name, *arguments, *description;
    argp_plain_cb callback;
    int type;
    bool mandatory, cli_only;
};

struct type_1_3 {
    bool dpdk, grpc;
};

struct general_1_3 {
    int log_level;
    char grpc_address[24];
};

// The later arguments of doca_argp_init(). Those of an executable of 1.4 are its configuration, and
// an undefined third argument: they are used once the program has turned out to be of 1.2 or 1.3.
static const struct type_1_3 *type;
static void *config;
static struct general_1_3 general;

// ---- DPDK --------------------------------------------------------------------------------------

// The parser of these releases starts DPDK's environment by itself.
static doca_error_t start_dpdk(int argc, char **argv)
{
    int (*init)(int, char **);

    *(void **)&init = dlsym(RTLD_DEFAULT, "rte_eal_init");
    if (!init)
        return report_why("doca_argp_start", DOCA_ERROR_NOT_SUPPORTED,
                          "the program says that it is one of DPDK, which is not loaded");
    return init(argc, argv) >= 0 ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

// ---- the functions -----------------------------------------------------------------------------

// Records that the program is one of 1.2 or 1.3.
static void take_structs(void)
{
    if (argp.no_results)
        return;
    argp.no_results = true;
    argp.config = config;
    argp.grpc = type && type->grpc;
    argp.dpdk = type && type->dpdk ? start_dpdk : NULL;
}

// These releases have no results: a program whose arguments are wrong ends.
static doca_error_t must(doca_error_t result)
{
    if (result != DOCA_SUCCESS)
        exit(EXIT_FAILURE);
    return result;
}

doca_error_t doca_1_3_argp_init(const char *program_name, void *second, void *third)
{
    doca_error_t result = argp_init("doca_argp_init", ARGP_2_2, program_name, second);
    if (result != DOCA_SUCCESS)
        return result;
    type = second;
    config = third;
    if (secure_getenv(ARGP_VARIABLE))
        take_structs();
    return DOCA_SUCCESS;
}

void doca_1_3_argp_init_structs(const char *program_name, const void *program_type, void *third)
{
    must(doca_1_3_argp_init(program_name, (void *)(uintptr_t)program_type, third));
    take_structs();
}

static doca_error_t register_struct(const struct flag_1_3 *flag, int first_type)
{
    struct doca_argp_param *p = param_make();

    if (!p)
        return report("doca_argp_register_param", DOCA_ERROR_NO_MEMORY, NULL);
    param_set_text(p, &p->short_name, flag->short_name);
    param_set_text(p, &p->long_name, flag->long_name);
    param_set_text(p, &p->arguments, flag->arguments);
    param_set_text(p, &p->description, flag->description);
    p->callback = (argp_value_cb)(void (*)(void))flag->callback;
    p->no_result = true;
    p->type = flag->type - first_type + DOCA_ARGP_TYPE_STRING;
    if (p->type < DOCA_ARGP_TYPE_STRING || p->type > DOCA_ARGP_TYPE_JSON_OBJ)
        p->type = DOCA_ARGP_TYPE_UNKNOWN;
    p->mandatory = flag->mandatory;
    p->cli_only = flag->cli_only;
    return param_register("doca_argp_register_param", ARGP_2_2, &argp.program, p);
}

// A program of 1.4 may register a flag that was registered or destroyed: its memory is not a
// structure of the program, and may be free.
static bool is_structure(const struct doca_argp_param *param)
{
    return param && !param_is_new(param) && (argp.no_results || !param_by_create());
}

static doca_error_t register_any(struct doca_argp_param *param, int first_type)
{
    if (!is_structure(param))
        return doca_argp_register_param(param);
    take_structs();
    return must(register_struct((const void *)param, first_type));
}

doca_error_t doca_1_3_argp_register_param(struct doca_argp_param *param)
{
    return register_any(param, DOCA_ARGP_TYPE_STRING);
}

// The types of 1.2 and 1.3 begin with 0.
doca_error_t doca_1_3_argp_register_flag(struct doca_argp_param *param)
{
    return register_any(param, 0);
}

void doca_1_3_argp_start_structs(int argc, char **argv, void **general_config)
{
    const char *address = NULL;

    take_structs();
    must(argp_start("doca_argp_start", ARGP_2_2, argc, argv));
    memset(&general, 0, sizeof(general));
    doca_argp_get_log_level(&general.log_level);
    if (argp.grpc_address && doca_argp_get_grpc_addr(&address) == DOCA_SUCCESS)
        strncpy(general.grpc_address, address, sizeof(general.grpc_address) - 1);
    if (general_config)
        *general_config = &general;
}

doca_error_t doca_1_3_argp_start(int argc, char **argv, void **general_config)
{
    if (!argp.no_results)
        return argp_start("doca_argp_start", ARGP_2_2, argc, argv);
    doca_1_3_argp_start_structs(argc, argv, general_config);
    return DOCA_SUCCESS;
}
