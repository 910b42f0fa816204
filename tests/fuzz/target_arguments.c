// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// JSON files with arguments of programs, in the interfaces of DOCA 2.2 and 3: the first byte of an
// input chooses. What a callback gets is of the type of its flag.

#include "argp/argp.h"
#include "cleanup.h"
#include "input.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile size_t sum;

static doca_error_t take_string(void *value, void *config)
{
    (void)config;
    sum += strlen(value);
    return DOCA_SUCCESS;
}

static doca_error_t take_number(void *value, void *config)
{
    (void)config;
    sum += (size_t) * (int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t take_yes(void *value, void *config)
{
    (void)config;
    sum += *(bool *)value; // UndefinedBehaviorSanitizer knows what a bool may be
    return DOCA_SUCCESS;
}

static doca_error_t take_object(void *value, void *config)
{
    (void)config;
    sum += value != NULL;
    return DOCA_SUCCESS;
}

static doca_error_t take_words(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        sum += strlen(argv[i]);
    if (argv[argc])
        abort();
    return DOCA_SUCCESS;
}

__attribute__((format(printf, 2, 0))) static doca_error_t
take_text(enum doca_log_level level, const char *format, va_list args)
{
    static char text[65536];
    (void)level;
    sum += (size_t)vsnprintf(text, sizeof(text), format, args);
    if (getenv("FUZZ_VERBOSE"))
        dprintf(2, "%s\n", text);
    return DOCA_SUCCESS;
}

static void add_flag(enum argp_interface interface, const char *name, enum doca_argp_type type,
                     argp_value_cb callback, bool several)
{
    struct doca_argp_param *param;
    if (doca_argp_param_create(&param) != DOCA_SUCCESS)
        abort();
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, name);
    param_set_callback(param, callback, false);
    doca_argp_param_set_type(param, type);
    param->multiplicity = several;
    param->cli_only = strcmp(name, "line") == 0;
    if (param_register("fuzz", interface, &argp.program, param) != DOCA_SUCCESS)
        abort();
}

static void start(enum argp_interface interface, int fd)
{
    char name[] = "fuzz", flag[] = "--json", path[32];
    char *argv[] = {name, flag, path, NULL};

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (argp_init("fuzz", interface, name, NULL) != DOCA_SUCCESS)
        abort();
    argp.dpdk = take_words;
    argp.logger = take_text;
    add_flag(interface, "string", DOCA_ARGP_TYPE_STRING, take_string, false);
    add_flag(interface, "strings", DOCA_ARGP_TYPE_STRING, take_string, true);
    add_flag(interface, "number", DOCA_ARGP_TYPE_INT, take_number, false);
    add_flag(interface, "numbers", DOCA_ARGP_TYPE_INT, take_number, true);
    add_flag(interface, "yes", DOCA_ARGP_TYPE_BOOLEAN, take_yes, true);
    add_flag(interface, "object", DOCA_ARGP_TYPE_JSON_OBJ, take_object, true);
    add_flag(interface, "line", DOCA_ARGP_TYPE_INT, take_number, false);
    argp_start("fuzz", interface, 3, argv);
    argp_destroy("fuzz", interface);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (!getenv("FUZZ_VERBOSE"))
        stderr = fopen("/dev/null", "w"); // libFuzzer writes to the descriptor
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    enum argp_interface interface = input_u8(&in) & 1 ? ARGP_3 : ARGP_2_2;
    cleanup_fd int fd = memfd_create("arguments.json", MFD_CLOEXEC);

    if (fd < 0 || write(fd, in.at, in.left) != (ssize_t)in.left)
        abort();
    start(interface, fd);
    return 0;
}
