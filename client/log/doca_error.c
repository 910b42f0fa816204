// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names and descriptions of status codes.

#include "error_text.h"

#include <doca_error.h>

#include "cleanup.h"

static const struct {
    const char *name;
    const char *description;
} codes[] = {
#define CODE(code, description) [code] = {#code, description}
    CODE(DOCA_SUCCESS, "Success"),
    CODE(DOCA_ERROR_UNKNOWN, "Unknown error"),
    CODE(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
    CODE(DOCA_ERROR_IN_USE, "Resource in use"),
    CODE(DOCA_ERROR_NOT_SUPPORTED, "Operation not supported"),
    CODE(DOCA_ERROR_AGAIN, "Nothing available yet, try again"),
    CODE(DOCA_ERROR_INVALID_VALUE, "Invalid input"),
    CODE(DOCA_ERROR_NO_MEMORY, "Out of memory or places"),
    CODE(DOCA_ERROR_INITIALIZATION, "Resource initialization failed"),
    CODE(DOCA_ERROR_TIME_OUT, "Timer expired"),
    CODE(DOCA_ERROR_SHUTDOWN, "Shut down, or shutting down"),
    CODE(DOCA_ERROR_CONNECTION_RESET, "Connection reset by the other side"),
    CODE(DOCA_ERROR_CONNECTION_ABORTED, "Connection aborted"),
    CODE(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection in progress"),
    CODE(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
    CODE(DOCA_ERROR_NO_LOCK, "Lock not available"),
    CODE(DOCA_ERROR_NOT_FOUND, "Not found"),
    CODE(DOCA_ERROR_IO_FAILED, "Input/output operation failed"),
    CODE(DOCA_ERROR_BAD_STATE, "Object in the wrong state"),
    CODE(DOCA_ERROR_UNSUPPORTED_VERSION, "Version not supported"),
    CODE(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
    CODE(DOCA_ERROR_DRIVER, "docad or driver failed"),
    CODE(DOCA_ERROR_UNEXPECTED, "Unexpected situation"),
    CODE(DOCA_ERROR_ALREADY_EXIST, "Already exists"),
    CODE(DOCA_ERROR_FULL, "No more room"),
    CODE(DOCA_ERROR_EMPTY, "Nothing there"),
    CODE(DOCA_ERROR_IN_PROGRESS, "Operation in progress"),
#undef CODE
#define CODE(number, name, description) [number] = {"DOCA_ERROR_" #name, description}
    // Those of DOCA 3, which the header of 2.2 does not have.
    CODE(27, TOO_BIG, "More than the object can hold"),
    CODE(28, AUTHENTICATION, "Authentication failed"),
    CODE(29, BAD_CONFIG, "Configuration not valid"),
    CODE(30, SKIPPED, "Left out on purpose"),
#undef CODE
};

static const char unrecognized[] = "unrecognized error code";

const char *error_name(unsigned int code)
{
    return code < ARRAY_SIZE(codes) ? codes[code].name : unrecognized;
}

const char *error_description(unsigned int code)
{
    return code < ARRAY_SIZE(codes) ? codes[code].description : unrecognized;
}

const char *doca_get_error_name(doca_error_t error)
{
    return error <= DOCA_ERROR_IN_PROGRESS ? error_name(error) : unrecognized;
}

const char *doca_get_error_string(doca_error_t error)
{
    return error <= DOCA_ERROR_IN_PROGRESS ? error_description(error) : unrecognized;
}
