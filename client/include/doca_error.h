/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_error.h
 * Status codes that every DOCA function returns.
 *
 * Since 2.2. Values are part of the binary interface.
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <stddef.h>

#include <doca_common_defines.h>
#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The outcome of a call or a job. Zero is success. */
typedef enum doca_error {
    DOCA_SUCCESS = 0,                      /**< Done. */
    DOCA_ERROR_UNKNOWN = 1,                /**< Failed for a reason without a code. */
    DOCA_ERROR_NOT_PERMITTED = 2,          /**< Not allowed now, or not to this caller. */
    DOCA_ERROR_IN_USE = 3,                 /**< Something still uses the object. */
    DOCA_ERROR_NOT_SUPPORTED = 4,          /**< This device or build cannot do it. */
    DOCA_ERROR_AGAIN = 5,                  /**< Nothing yet: ask again. */
    DOCA_ERROR_INVALID_VALUE = 6,          /**< An argument is not valid. */
    DOCA_ERROR_NO_MEMORY = 7,              /**< Memory, or a fixed number of places, ran out. */
    DOCA_ERROR_INITIALIZATION = 8,         /**< A resource could not be set up. */
    DOCA_ERROR_TIME_OUT = 9,               /**< The time limit was reached. */
    DOCA_ERROR_SHUTDOWN = 10,              /**< Shutting down, or shut down. */
    DOCA_ERROR_CONNECTION_RESET = 11,      /**< The other side went away. */
    DOCA_ERROR_CONNECTION_ABORTED = 12,    /**< The connection could not be made. */
    DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< The connection is being made. */
    DOCA_ERROR_NOT_CONNECTED = 14,         /**< There is no connection. */
    DOCA_ERROR_NO_LOCK = 15,               /**< A lock could not be taken. */
    DOCA_ERROR_NOT_FOUND = 16,             /**< There is no such thing. */
    DOCA_ERROR_IO_FAILED = 17,             /**< A job failed; its event tells why. */
    DOCA_ERROR_BAD_STATE = 18,             /**< The object is in the wrong state for it. */
    DOCA_ERROR_UNSUPPORTED_VERSION = 19,   /**< Made by, or for, another version. */
    DOCA_ERROR_OPERATING_SYSTEM = 20,      /**< A system call failed. */
    DOCA_ERROR_DRIVER = 21,                /**< docad, or a device driver, failed. */
    DOCA_ERROR_UNEXPECTED = 22             /**< Something that should never happen did. */
#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
    ,
    DOCA_ERROR_ALREADY_EXIST = 23, /**< It exists already. */
    DOCA_ERROR_FULL = 24,          /**< There is no room left. */
    DOCA_ERROR_EMPTY = 25,         /**< There is nothing in it. */
    DOCA_ERROR_IN_PROGRESS = 26    /**< It is under way. */
#endif
} doca_error_t;

/**
 * The name of a code, spelt as its enumerator ("DOCA_ERROR_AGAIN").
 *
 * @param error any value.
 * @return static text, never NULL; "unrecognized error code" for a value that is not a
 *   code.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
const char *doca_get_error_name(doca_error_t error);

/**
 * A short description of a code, to be shown to people.
 *
 * @param error any value.
 * @return static text, never NULL; "unrecognized error code" for a value that is not a
 *   code.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
const char *doca_get_error_string(doca_error_t error);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/** True for every code but DOCA_SUCCESS. Source: table. Since: 2.2. */
#define DOCA_IS_ERROR(r) ((r) != DOCA_SUCCESS)
#endif

/**
 * Statement: keeps the first failure, by assigning t to r only while r is DOCA_SUCCESS.
 * Source: table. Since: 2.2.
 */
#define DOCA_ERROR_PROPAGATE(r, t)                                                                 \
    do {                                                                                           \
        if ((r) == DOCA_SUCCESS)                                                                   \
            (r) = (t);                                                                             \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
