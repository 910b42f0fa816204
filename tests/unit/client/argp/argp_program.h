// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program with flags, which writes down how its callbacks are called.

#ifndef TESTS_UNIT_ARGP_PROGRAM_H
#define TESTS_UNIT_ARGP_PROGRAM_H

#include <doca_argp.h>

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 30
#define callback_func doca_argp_param_cb_t // the same, by the name of DOCA 3
#endif

// The callbacks got this, in order: "a(text) n(5) y() ".
extern char calls[4096];

// The next callback returns this.
extern doca_error_t callback_result;

// The configuration that the program hands to doca_argp_init().
extern int config;

doca_error_t on_a(void *param, void *cfg); // STRING
doca_error_t on_b(void *param, void *cfg); // STRING
doca_error_t on_n(void *param, void *cfg); // INT
doca_error_t on_y(void *param, void *cfg); // BOOLEAN
doca_error_t on_j(void *param, void *cfg); // JSON_OBJ
doca_error_t on_version(void *param, void *cfg);
doca_error_t on_validation(void *cfg);
doca_error_t on_dpdk(int argc, char **argv);

enum flag_options { MANDATORY = 1, CLI_ONLY = 2, REPEATED = 4 };

// Makes a complete flag; the callback decides its type. Either name may be NULL.
struct doca_argp_param *flag_make(const char *short_name, const char *long_name,
                                  callback_func callback, int options);

// Makes and registers it.
void flag(const char *short_name, const char *long_name, callback_func callback, int options);

// Calls doca_argp_init("prog") and registers -a/--alpha, -b/--beta, -n/--number, -y/--yes.
void program_begin(void);

// Calls doca_argp_start() with these words behind the program's name; the last one is NULL.
doca_error_t start_words(const char *first, ...);
#define START(...) start_words(__VA_ARGS__ __VA_OPT__(, ) NULL)

// The same with a file of this text behind -j, and these words behind that.
doca_error_t start_file(const char *text, const char *first, ...);
#define START_FILE(text, ...) start_file(text __VA_OPT__(, ) __VA_ARGS__, NULL)

// The text that the start wrote to the log and to stderr.
const char *log_lines(void);
const char *usage_text(void);

// Fails unless exactly one line was written to the log, and it names this.
void assert_complaint(const char *name);

// Runs a function in a child. Returns its exit status (the result of the function, unless
// it ended the process itself) and what it wrote to stdout.
int child_status(doca_error_t (*function)(void), const char **out);

#endif
