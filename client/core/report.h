// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of a public function: one log line for a failure, and the returned code.

#ifndef CLIENT_CORE_REPORT_H
#define CLIENT_CORE_REPORT_H

#include "errtext.h"
#include "log/own.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Logs a failed public call, with the text if there is one (`err` may be NULL), and returns
// `code`. DOCA_SUCCESS logs nothing, so that a function may end with `return report(__func__,
// r, &err)`. The line shows the place where the text was written.
#define report(function, code, err) report_at(LOG_HERE, function, code, err)
doca_error_t report_at(struct log_place place, const char *function, doca_error_t code,
                       const struct errtext *err);

// The same with a fixed text.
#define report_why(function, code, why) report_why_at(LOG_HERE, function, code, why)
doca_error_t report_why_at(struct log_place place, const char *function, doca_error_t code,
                           const char *why) __attribute__((cold));

// The same, as a warning, for failures that programs run into on purpose and often, because
// they show how far the program has come: a full queue, an empty inventory. After the first
// line of a period it costs some nanoseconds.
#define report_often(function, code, why) report_often_at(LOG_HERE, function, code, why)
doca_error_t report_often_at(struct log_place place, const char *function, doca_error_t code,
                             const char *why) __attribute__((cold));

// Like report(), for queries that a program makes for one object after the other: a mistake in the
// query is logged once, and not for each object.
#define report_once(function, code, err)                                                           \
    ((code) == DOCA_SUCCESS ? DOCA_SUCCESS : report_once_now(function, code, err))
doca_error_t report_once_now(const char *function, doca_error_t code, const struct errtext *err)
    __attribute__((cold));

static inline struct log_place errtext_place(const struct errtext *err)
{
    return (struct log_place){err->file, err->line};
}

// An argument, as a public function received it.
struct argument {
    const char *name;
    bool number, given;
};

// Logs which of the arguments (up to the one without a name) is NULL, or 0, and returns
// DOCA_ERROR_INVALID_VALUE.
doca_error_t report_null_at(struct log_place place, const char *function,
                            const struct argument *arguments) __attribute__((cold));

#define IS_NUMBER(x) _Generic((x), size_t : true, uint32_t : true, default : false)
#define ARGUMENT(x)                                                                                \
    {                                                                                              \
        .name = #x, .number = IS_NUMBER(x), .given = (x) ? true : false                            \
    }
#define ARGUMENTS_1(a)                  ARGUMENT(a)
#define ARGUMENTS_2(a, ...)             ARGUMENT(a), ARGUMENTS_1(__VA_ARGS__)
#define ARGUMENTS_3(a, ...)             ARGUMENT(a), ARGUMENTS_2(__VA_ARGS__)
#define ARGUMENTS_4(a, ...)             ARGUMENT(a), ARGUMENTS_3(__VA_ARGS__)
#define ARGUMENTS_N(a, b, c, d, n, ...) n
#define ARGUMENTS(...)                                                                             \
    ARGUMENTS_N(__VA_ARGS__, ARGUMENTS_4, ARGUMENTS_3, ARGUMENTS_2, ARGUMENTS_1, )(__VA_ARGS__)

// `if (!map || len == 0) return REFUSED_NULL(map, len);`, with at most four arguments. _OF is
// for a function that other functions call, and takes the name of the caller.
#define REFUSED_NULL(...) REFUSED_NULL_OF(__func__, __VA_ARGS__)
#define REFUSED_NULL_OF(function, ...)                                                             \
    report_null_at(LOG_HERE, function, (const struct argument[]){ARGUMENTS(__VA_ARGS__), {NULL}})

// Returns the code if the interface lists it for a function, else `fallback`. The listed codes end
// with DOCA_SUCCESS, which is always kept.
doca_error_t code_among(doca_error_t code, doca_error_t fallback, const doca_error_t *listed);

#define CODE_AMONG(code, fallback, ...)                                                            \
    code_among(code, fallback, (const doca_error_t[]){__VA_ARGS__, DOCA_SUCCESS})

#endif
