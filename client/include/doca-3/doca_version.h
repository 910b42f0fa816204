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

#if DOCA_USE_VERSION == 25
/** First number of the version of these headers. */
#define DOCA_VERSION_MAJOR 2

/** Second number of the version of these headers. */
#define DOCA_VERSION_MINOR 5

/** Third number of the version of these headers. */
#define DOCA_VERSION_PATCH 108

/** The version of these headers as text; the third number has four digits. */
#define DOCA_VERSION_STRING "2.5.0108"
#elif DOCA_USE_VERSION == 26
/** First number of the version of these headers. */
#define DOCA_VERSION_MAJOR  2

/** Second number of the version of these headers. */
#define DOCA_VERSION_MINOR  6

/** Third number of the version of these headers. */
#define DOCA_VERSION_PATCH  58

/** The version of these headers as text; the third number has four digits. */
#define DOCA_VERSION_STRING "2.6.0058"
#else
/** First number of the version of these headers. */
#define DOCA_VERSION_MAJOR  3

/** Second number of the version of these headers. */
#define DOCA_VERSION_MINOR  0

/** Third number of the version of these headers. */
#define DOCA_VERSION_PATCH  58

/** The version of these headers as text; the third number has four digits. */
#define DOCA_VERSION_STRING "3.0.0058"
#endif

/**
 * A version as one number (size_t; constant if its arguments are constant), from the number that
 * a build has as its third. Source: table. Since: 2.6.
 */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch)                                               \
    ((size_t)((major) << 24 | (minor) << 16 | (patch)))

/** The version of these headers as one number, exact to the build. */
#define DOCA_VERSION_EXACT                                                                         \
    DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/**
 * A version as one number, from the number that a release has as its third.
 * Source: table. Since: 2.6.
 */
#define DOCA_VERSION_CALC(major, minor, patch)                                                     \
    ((size_t)((major) << 24 | (minor) << 16 | ((patch)*1000)))

/** The version of these headers, in the form of DOCA_VERSION_CALC(). */
#define DOCA_VERSION_OFFICIAL                                                                      \
    DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** True if these headers have exactly the given version. Source: table. Since: 2.2. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)

/** True if the given version is that of these headers or earlier. Source: table. Since: 2.2. */
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/* Names that 2.5 has for the above. */
#define DOCA_VER_MAJOR           DOCA_VERSION_MAJOR
#define DOCA_VER_MINOR           DOCA_VERSION_MINOR
#define DOCA_VER_PATCH           DOCA_VERSION_PATCH
#define DOCA_VER_STRING          DOCA_VERSION_STRING
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_EXACT

/** The name of 2.5 for DOCA_VERSION_CALC_EXACT(). Source: table of 2.5. Since: 2.2. */
#define DOCA_VERSION_NUM(major, minor, patch) DOCA_VERSION_CALC_EXACT(major, minor, patch)

/**
 * The version of the headers that the calling code was compiled with.
 *
 * May be called at any time, from any thread.
 *
 * @return static text, DOCA_VERSION_STRING.
 *
 * Source: table. Since: 2.2.
 */
static __inline__ const char *doca_version(void)
{
    return DOCA_VERSION_STRING;
}

/**
 * The version of the interface that the loaded library implements, in the form of
 * DOCA_VERSION_STRING. Programs of each interface get the version of their own.
 *
 * May be called at any time, from any thread.
 *
 * @return static text, never NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void) DOCA_RELEASE_SYMBOL(version_runtime);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
