// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The reason of a failure, written where it is detected and printed once by main().

#ifndef PERFTEST_PROBLEM_H
#define PERFTEST_PROBLEM_H

#include <doca_error.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct problem {
    char s[400];
};

// Returns false, so that a function ends with `return problem_set(…)`.
__attribute__((format(printf, 2, 3))) static inline bool problem_set(struct problem *problem,
                                                                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->s, sizeof(problem->s), format, args);
    va_end(args);
    return false;
}

// The same for a call into the library, which logs the details itself.
static inline bool problem_doca(struct problem *problem, const char *call, doca_error_t result)
{
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 30
    return problem_set(problem, "%s: %s (%s)", call, doca_error_get_name(result),
                       doca_error_get_descr(result));
#else
    return problem_set(problem, "%s: %s (%s)", call, doca_get_error_name(result),
                       doca_get_error_string(result));
#endif
}

// Notes and returns false if the call failed.
#define DOCA_TRY(problem, call, ...)                                                               \
    do {                                                                                           \
        doca_error_t doca_try_result = call(__VA_ARGS__);                                          \
        if (doca_try_result != DOCA_SUCCESS)                                                       \
            return problem_doca(problem, #call, doca_try_result);                                  \
    } while (0)

#endif
