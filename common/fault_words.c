// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names of errors and signals in rules.

#include "fault_spec.h"

#include "cleanup.h"

#include <signal.h>
#include <string.h>

#define ERROR_PREFIX "DOCA_ERROR_"

// Values that this file uses itself.
enum { NO_MEMORY = 7, IO_FAILED = 17, DRIVER = 21 };

// The index is the value, which is the same in all generations.
static const char *const errors[] = {
    NULL,
    "UNKNOWN",
    "NOT_PERMITTED",
    "IN_USE",
    "NOT_SUPPORTED",
    "AGAIN",
    "INVALID_VALUE",
    "NO_MEMORY",
    "INITIALIZATION",
    "TIME_OUT",
    "SHUTDOWN",
    "CONNECTION_RESET",
    "CONNECTION_ABORTED",
    "CONNECTION_INPROGRESS",
    "NOT_CONNECTED",
    "NO_LOCK",
    "NOT_FOUND",
    "IO_FAILED",
    "BAD_STATE",
    "UNSUPPORTED_VERSION",
    "OPERATING_SYSTEM",
    "DRIVER",
    "UNEXPECTED",
    "ALREADY_EXIST",
    "FULL",
    "EMPTY",
    "IN_PROGRESS",
    "TOO_BIG",
    "AUTHENTICATION",
    "BAD_CONFIG",
    "SKIPPED",
};

static const struct {
    const char *name;
    int number;
} signals[] = {
    {"SIGUSR2", SIGUSR2}, // that of "signal"
    {"SIGUSR1", SIGUSR1}, {"SIGHUP", SIGHUP}, {"SIGALRM", SIGALRM}, {"SIGWINCH", SIGWINCH},
};

const char *fault_error_name(int error)
{
    return error > 0 && (size_t)error < ARRAY_SIZE(errors) ? errors[error] : NULL;
}

int fault_error_value(const char *name)
{
    if (strncmp(name, ERROR_PREFIX, strlen(ERROR_PREFIX)) == 0)
        name += strlen(ERROR_PREFIX);
    if (strcmp(name, "ANY") == 0)
        return FAULT_ANY;
    for (size_t i = 1; i < ARRAY_SIZE(errors); i++)
        if (strcmp(errors[i], name) == 0)
            return (int)i;
    return 0;
}

const char *const *fault_error_names(size_t *count)
{
    *count = ARRAY_SIZE(errors);
    return errors;
}

int fault_fitting_error(const char *name)
{
    static const char *const makes[] = {"create", "alloc", "_init", "_add_", "export", "_open"};
    for (size_t i = 0; i < ARRAY_SIZE(makes); i++)
        if (strstr(name, makes[i]))
            return NO_MEMORY;
    return strchr(name, '.') || strstr(name, "submit") ? IO_FAILED : DRIVER;
}

const char *fault_signal_name(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        if (signals[i].number == number)
            return signals[i].name;
    return NULL;
}

int fault_signal_value(const char *name)
{
    if (strcmp(name, "signal") == 0)
        return signals[0].number;
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        if (strcmp(signals[i].name, name) == 0 || strcmp(signals[i].name + 3, name) == 0)
            return signals[i].number;
    return 0;
}
