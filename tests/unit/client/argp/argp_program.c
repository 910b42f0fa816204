// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program with flags, which writes down how its callbacks are called.

#include "argp_program.h"

#include "log_capture.h"
#include "text_names.h"

#include <check.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

char calls[4096];
doca_error_t callback_result = DOCA_SUCCESS;
int config;

static int log_fd = -1;
static struct standard standard = {-1, -1};

// ---- callbacks -----------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static doca_error_t note(const void *cfg, const char *format,
                                                               ...)
{
    size_t length = strlen(calls);
    va_list args;
    va_start(args, format);
    vsnprintf(calls + length, sizeof(calls) - length, format, args);
    va_end(args);
    ck_assert_ptr_eq(cfg, &config);
    doca_error_t result = callback_result;
    callback_result = DOCA_SUCCESS;
    return result;
}

doca_error_t on_a(void *param, void *cfg)
{
    doca_error_t result = note(cfg, "a(%s) ", (char *)param);
    memset(param, '#', strlen(param)); // it is the callback's to change
    return result;
}

doca_error_t on_b(void *param, void *cfg)
{
    return note(cfg, "b(%s) ", (char *)param);
}

doca_error_t on_n(void *param, void *cfg)
{
    return note(cfg, "n(%d) ", *(int *)param);
}

doca_error_t on_y(void *param, void *cfg)
{
    return note(cfg, "y(%s) ", *(bool *)param ? "" : "false!");
}

doca_error_t on_j(void *param, void *cfg)
{
    return note(cfg, "j(%s) ", json_object_to_json_string_ext(param, JSON_C_TO_STRING_PLAIN));
}

doca_error_t on_version(void *param, void *cfg)
{
    ck_assert_ptr_null(param);
    printf("version 7\n");
    return note(cfg, "version ");
}

doca_error_t on_validation(void *cfg)
{
    return note(cfg, "validation ");
}

doca_error_t on_dpdk(int argc, char **argv)
{
    note(&config, "dpdk(");
    for (int i = 0; i < argc; i++)
        note(&config, "%s%s", i ? "|" : "", argv[i]);
    ck_assert_ptr_null(argv[argc]);
    return note(&config, ") ");
}

// ---- flags ---------------------------------------------------------------------------

static enum doca_argp_type type_of(callback_func callback)
{
    if (callback == on_n)
        return DOCA_ARGP_TYPE_INT;
    if (callback == on_y)
        return DOCA_ARGP_TYPE_BOOLEAN;
    return callback == on_j ? DOCA_ARGP_TYPE_JSON_OBJ : DOCA_ARGP_TYPE_STRING;
}

struct doca_argp_param *flag_make(const char *short_name, const char *long_name,
                                  callback_func callback, int options)
{
    struct doca_argp_param *param = NULL;
    ck_assert_int_eq(doca_argp_param_create(&param), DOCA_SUCCESS);
    if (short_name)
        doca_argp_param_set_short_name(param, short_name);
    if (long_name)
        doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, "Description");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type_of(callback));
    if (options & MANDATORY)
        doca_argp_param_set_mandatory(param);
    if (options & CLI_ONLY)
        doca_argp_param_set_cli_only(param);
    if (options & REPEATED)
        doca_argp_param_set_multiplicity(param);
    return param;
}

void flag(const char *short_name, const char *long_name, callback_func callback, int options)
{
    ck_assert_int_eq(doca_argp_register_param(flag_make(short_name, long_name, callback, options)),
                     DOCA_SUCCESS);
}

void program_begin(void)
{
    ck_assert_int_eq(doca_argp_init("prog", &config), DOCA_SUCCESS);
    flag("a", "alpha", on_a, 0);
    flag("b", "beta", on_b, 0);
    flag("n", "number", on_n, 0);
    flag("y", "yes", on_y, 0);
}

// ---- starts --------------------------------------------------------------------------

static doca_error_t start(int argc, char **argv)
{
    calls[0] = 0;
    if (log_fd < 0) {
        standard = standard_capture();
        log_fd = log_sink();
#ifdef DOCA_3
        struct doca_log_backend *backend;
        ck_assert_int_eq(doca_log_backend_create_with_fd_sdk(log_fd, &backend), DOCA_SUCCESS);
#else
        backend_of(log_fd);
#endif
    }
    truncate_to_nothing(log_fd);
    truncate_to_nothing(standard.err);

    // The words must not be needed afterwards.
    char **copies = calloc(argc + 1, sizeof(*copies));
    for (int i = 0; i < argc; i++)
        copies[i] = strdup(argv[i]);
    doca_error_t result = doca_argp_start(argc, copies);
    for (int i = 0; i < argc; i++)
        free(copies[i]);
    free(copies);
    return result;
}

static int words_of(char **argv, int argc, const char *first, va_list args)
{
    for (const char *word = first; word; word = va_arg(args, const char *))
        argv[argc++] = (char *)word;
    return argc;
}

doca_error_t start_words(const char *first, ...)
{
    char *argv[32] = {(char *)"prog"};
    va_list args;
    va_start(args, first);
    int argc = words_of(argv, 1, first, args);
    va_end(args);
    return start(argc, argv);
}

doca_error_t start_file(const char *text, const char *first, ...)
{
    char path[64];
    char *argv[32] = {(char *)"prog", (char *)"-j", path};
    int fd = memfd_create("flags", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    va_list args;
    va_start(args, first);
    int argc = words_of(argv, 3, first, args);
    va_end(args);
    doca_error_t result = start(argc, argv);
    close(fd);
    return result;
}

const char *log_lines(void)
{
    return log_texts(log_fd);
}

const char *usage_text(void)
{
    return log_text(standard.err);
}

void assert_complaint(const char *name)
{
    const char *lines = log_lines();
    assert_names(lines, name);
    ck_assert_msg(strchr(lines, '\n') == lines + strlen(lines) - 1, "\"%s\" is not one line",
                  lines);
}

int child_status(doca_error_t (*function)(void), const char **out)
{
    int fd = log_sink(), status = 0;
    fflush(stdout);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(fd, 1);
        int result = function();
        fflush(stdout);
        _exit(result);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    *out = log_text(fd);
    close(fd);
    return WEXITSTATUS(status);
}
