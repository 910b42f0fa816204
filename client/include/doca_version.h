/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_version.h
 * The version of the interface: that of the headers a program was compiled with, and
 * that of the library it runs with.
 *
 * These are versions of the DOCA interface, not of docad.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15
/* For programs of the 1.3 interface; the third number is our choice. */
#define DOCA_VER_MAJOR  1
#define DOCA_VER_MINOR  3
#define DOCA_VER_PATCH  0
#define DOCA_VER_STRING "1.3.0000"
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
/* For programs of the 1.5 interface. */
#define DOCA_VER_MAJOR  1
#define DOCA_VER_MINOR  5
#define DOCA_VER_PATCH  1007
#define DOCA_VER_STRING "1.5.1007"
#else
/** First number of the version of these headers. */
#define DOCA_VER_MAJOR  2

/** Second number of the version of these headers. */
#define DOCA_VER_MINOR  2

/** Third number of the version of these headers. */
#define DOCA_VER_PATCH  80

/** The version of these headers as text; the third number has four digits. */
#define DOCA_VER_STRING "2.2.0080"
#endif

/**
 * A version as one number (size_t; constant if its arguments are constant). Later
 * versions are larger.
 *
 * Source: table. Since: 2.2.
 */
#define DOCA_VERSION_NUM(major, minor, patch)                                                      \
    ((size_t)(((size_t)(major) << 24) | ((size_t)(minor) << 16) | (size_t)(patch)))

/** The version of these headers as one number. */
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)

/** True if these headers have exactly the given version. Source: table. Since: 2.2. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (DOCA_VERSION_NUM(major, minor, patch) == DOCA_CURRENT_VERSION_NUM)

/** True if the given version is that of these headers or earlier. Source: table. Since: 2.2. */
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_NUM(major, minor, patch) <= DOCA_CURRENT_VERSION_NUM)

/**
 * The version of the headers that the calling code was compiled with.
 *
 * May be called at any time, from any thread.
 *
 * @return static text, DOCA_VER_STRING.
 *
 * Source: table. Since: 2.2.
 */
static __inline__ const char *doca_version(void)
{
    return DOCA_VER_STRING;
}

/**
 * The version of the interface that the loaded library implements, in the form of
 * DOCA_VER_STRING.
 *
 * May be called at any time, from any thread.
 *
 * @return static text, never NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
