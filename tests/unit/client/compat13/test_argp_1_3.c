// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Callbacks of programs of the 1.3 interface: the configuration comes first, the value
// second. Those of later programs in the same process get theirs as ever.

#include "argp/argp_program.h"
#include "log_capture.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static doca_error_t on_text_1_3(void *cfg, void *param)
{
    return on_b(param, cfg);
}

static doca_error_t on_number_1_3(void *cfg, void *param)
{
    return on_n(param, cfg);
}

static doca_error_t on_version_1_3(void *cfg, void *param)
{
    ck_assert_ptr_eq(cfg, &config);
    ck_assert_ptr_null(param);
    puts("version of 1.3");
    return DOCA_SUCCESS;
}

static struct doca_argp_param *make(const char *name, callback_func callback,
                                    enum doca_argp_type type)
{
    struct doca_argp_param *param;
    ck_assert_int_eq(doca_argp_param_create(&param), DOCA_SUCCESS);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, "a flag");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    return param;
}

static struct doca_argp_param *add(const char *name, callback_func callback,
                                   enum doca_argp_type type)
{
    struct doca_argp_param *param = make(name, callback, type);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
    return param;
}

START_TEST(configuration_first)
{
    program_begin(); // its flags are of a later program
    add("text", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    add("count", on_number_1_3, DOCA_ARGP_TYPE_INT);
    ck_assert_int_eq(START("--text", "one", "-a", "x", "--count=7", "-n", "3"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(one) a(x) n(7) n(3) ");
    ck_assert_int_eq(START_FILE("{\"doca_program_flags\": {\"text\": \"f\", \"alpha\": \"g\"}}"),
                     DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(f) a(g) ");
    callback_result = DOCA_ERROR_IO_FAILED;
    ck_assert_int_eq(START("--text", "two", "-y"), DOCA_ERROR_IO_FAILED);
    ck_assert_str_eq(calls, "b(two) ");
    doca_argp_destroy();
}
END_TEST

static doca_error_t ask_version(void)
{
    program_begin();
    ck_assert_int_eq(doca_argp_register_version_callback(on_version_1_3), DOCA_SUCCESS);
    return doca_argp_start(2, (char *[]){(char *)"prog", (char *)"-v", NULL});
}

START_TEST(version)
{
    const char *out;
    ck_assert_int_eq(child_status(ask_version, &out), 0);
    ck_assert_str_eq(out, "version of 1.3\n");
}
END_TEST

START_TEST(refusals)
{
    ck_assert_int_eq(doca_argp_register_version_callback(on_version_1_3), DOCA_ERROR_INVALID_VALUE);
    program_begin();
    ck_assert_int_eq(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    // A registered flag keeps its callback and the order of the callback's arguments.
    struct doca_argp_param *param = add("text", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(param, on_number_1_3);
    doca_argp_param_set_callback(NULL, on_number_1_3);
    ck_assert_int_eq(START("--text", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(x) ");
    doca_argp_destroy();
}
END_TEST

// ---- DOCA 1.2 and 1.3: structures, and nothing has a result -------------------------------------

static void on_role(void *cfg, void *param)
{
    ck_assert_int_eq(on_b(param, cfg), DOCA_SUCCESS);
}

static void on_count(void *cfg, void *param)
{
    ck_assert_int_eq(on_n(param, cfg), DOCA_SUCCESS);
}

static void on_end(void *cfg, void *param)
{
    ck_assert_ptr_eq(cfg, &config);
    ck_assert_ptr_null(param);
    puts("validated");
}

static void on_version_plain(void *cfg, void *param)
{
    ck_assert_ptr_eq(cfg, &config);
    ck_assert_ptr_null(param);
    puts("version of 1.2");
}

static struct doca_argp_param role = {
    "r", "role", "<role>", "the role", on_role, DOCA_ARGP_TYPE_STRING, true, false};
static struct doca_argp_param count = {.short_flag = "c",
                                       .description = "a number",
                                       .callback = on_count,
                                       .arg_type = DOCA_ARGP_TYPE_INT};

static void begin_structs(bool grpc)
{
    static struct doca_argp_program_type_config type;

    type.is_grpc = grpc;
    calls[0] = 0;
    doca_argp_init("prog", &type, &config);
    doca_argp_register_param(&role);
    doca_argp_register_param(&count);
}

static struct doca_argp_program_general_config *start_structs(int argc, const char **argv)
{
    struct doca_argp_program_general_config *general = NULL;

    doca_argp_start(argc, (char **)(uintptr_t)argv, &general);
    return general;
}
#define STRUCTS(...)                                                                               \
    start_structs(sizeof((const char *[]){"prog", __VA_ARGS__}) / sizeof(char *),                  \
                  (const char *[]){"prog", __VA_ARGS__, NULL})

static doca_error_t validated(void)
{
    begin_structs(false);
    doca_argp_register_validation_callback(on_end);
    STRUCTS("-r", "server");
    return DOCA_SUCCESS;
}

static doca_error_t version_of_structs(void)
{
    begin_structs(false);
    doca_argp_register_version_callback(on_version_plain);
    STRUCTS("-v");
    return DOCA_ERROR_UNEXPECTED;
}

static doca_error_t lacks_a_flag(void)
{
    begin_structs(false);
    STRUCTS("-c", "1");
    return DOCA_SUCCESS; // it has ended
}

static doca_error_t is_of_dpdk(void)
{
    struct doca_argp_program_type_config type = {.is_dpdk = true};

    doca_argp_init("prog", &type, &config);
    STRUCTS("-c", "1", "--");
    return DOCA_SUCCESS; // it has ended: DPDK is not here
}

START_TEST(structures)
{
    const char *out;

    begin_structs(false);
    struct doca_argp_program_general_config *general = STRUCTS("--role", "server", "-c", "7");
    ck_assert_str_eq(calls, "b(server) n(7) ");
    ck_assert_ptr_nonnull(general);
    ck_assert_str_eq(general->grpc_address, "");
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);

    begin_structs(true);
    general = STRUCTS("-r", "x", "--grpc-address", "192.0.2.1:50051");
    ck_assert_str_eq(general->grpc_address, "192.0.2.1:50051");
    doca_argp_destroy();

    ck_assert_int_eq(child_status(validated, &out), 0);
    ck_assert_str_eq(out, "validated\n");
    ck_assert_int_eq(child_status(version_of_structs, &out), 0);
    ck_assert_str_eq(out, "version of 1.2\n");
    ck_assert_int_eq(child_status(lacks_a_flag, &out), EXIT_FAILURE);
    ck_assert_int_eq(child_status(is_of_dpdk, &out), EXIT_FAILURE);
    // And a later program begins as ever.
    program_begin();
    ck_assert_int_eq(START("-a", "x"), DOCA_SUCCESS);
    doca_argp_destroy();
}
END_TEST

// ---- executables: two or three arguments, and types that begin with 0
// -----------------------------

doca_error_t exe_init(const char *name, ...) __asm__("doca_1_3_argp_init");
doca_error_t exe_register(struct doca_argp_param *param) __asm__("doca_1_3_argp_register_flag");
doca_error_t exe_start(int argc, char **argv, ...) __asm__("doca_1_3_argp_start");

START_TEST(executables)
{
    struct doca_argp_program_type_config type = {false, false};
    struct doca_argp_program_general_config *general = NULL;
    struct doca_argp_param text = {
        .short_flag = "r", .description = "the role", .callback = on_role};
    struct doca_argp_param *of_1_4;
    char *words[] = {(char *)"prog", (char *)"-r", (char *)"peer", NULL};

    calls[0] = 0;
    ck_assert_int_eq(exe_init("prog", &type, &config), DOCA_SUCCESS);
    exe_register(&text);
    exe_start(3, words, &general);
    ck_assert_str_eq(calls, "b(peer) ");
    ck_assert_ptr_nonnull(general);
    doca_argp_destroy();

    // One of 1.4. What is in the register of the third argument is not read.
    calls[0] = 0;
    ck_assert_int_eq(exe_init("prog", &config, (void *)8), DOCA_SUCCESS);
    ck_assert_int_eq(doca_argp_param_create(&of_1_4), DOCA_SUCCESS);
    doca_argp_param_set_short_name(of_1_4, "r");
    doca_argp_param_set_description(of_1_4, "a flag");
    doca_argp_param_set_callback(of_1_4, on_text_1_3);
    doca_argp_param_set_type(of_1_4, DOCA_ARGP_TYPE_STRING);
    ck_assert_int_eq(exe_register(of_1_4), DOCA_SUCCESS);
    ck_assert_int_eq(exe_register(NULL), DOCA_ERROR_INVALID_VALUE);
    callback_result = DOCA_ERROR_IO_FAILED;
    ck_assert_int_eq(exe_start(3, words, (void *)8), DOCA_ERROR_IO_FAILED);
    ck_assert_str_eq(calls, "b(peer) ");
    doca_argp_destroy();
}
END_TEST

typedef doca_error_t (*registers)(struct doca_argp_param *param);

// What 1.4 makes of a flag that is not the program's any more is a code: the flag is not taken for
// a structure of 1.3, which would be read.
static void register_again(registers of)
{
    struct doca_argp_param *good = make("good", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    struct doca_argp_param *same = make("good", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    struct doca_argp_param *gone = make("gone", on_text_1_3, DOCA_ARGP_TYPE_STRING);

    ck_assert_int_eq(of(good), DOCA_SUCCESS);
    ck_assert_int_eq(of(good), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(of(same), DOCA_ERROR_INVALID_VALUE); // and it is freed
    ck_assert_int_eq(of(same), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_param_destroy(gone), DOCA_SUCCESS);
    ck_assert_int_eq(of(gone), DOCA_ERROR_INVALID_VALUE);
    // The flag that was registered works, and its callback has a result.
    callback_result = DOCA_ERROR_IO_FAILED;
    ck_assert_int_eq(START("--good", "x"), DOCA_ERROR_IO_FAILED);
    ck_assert_str_eq(calls, "b(x) ");
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
    ck_assert_int_eq(of(good), DOCA_ERROR_INVALID_VALUE);
}

static doca_error_t registers_source(struct doca_argp_param *param)
{
    return doca_argp_register_param(param);
}

START_TEST(registered_again_by_executable)
{
    calls[0] = 0;
    ck_assert_int_eq(exe_init("prog", &config, (void *)8), DOCA_SUCCESS);
    register_again(exe_register);
}
END_TEST

START_TEST(registered_again_by_source)
{
    calls[0] = 0;
    ck_assert_int_eq(doca_argp_init("prog", &config), DOCA_SUCCESS);
    register_again(registers_source);
}
END_TEST

UNIT_MAIN("argp_1_3", configuration_first, version, refusals, structures, executables,
          registered_again_by_executable, registered_again_by_source)
