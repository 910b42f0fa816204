/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_compat.h
 * Attributes of the public interface, and helpers for structures that carry a version.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

#ifdef DOCA_COMPAT_HELPERS
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#endif

/** Keep the symbol even if nothing in the program refers to it. */
#define DOCA_USED __attribute__((used))

/** Marks a function that stays as it is within a major release. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

/**
 * Marks a function that may change between releases. A program that defines
 * DOCA_ALLOW_EXPERIMENTAL_API accepts that. Without the definition each use draws a warning.
 */
#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL                                                                          \
    __attribute__((deprecated("experimental: define DOCA_ALLOW_EXPERIMENTAL_API to use it"),       \
                   section(".text.experimental"))) DOCA_STABLE
#endif

/**
 * Marks a function that a later release removes. A program that defines
 * DOCA_ALLOW_DEPRECATED_API accepts that. Without the definition each use draws a warning.
 */
#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED __attribute__((section(".text.deprecated"))) DOCA_STABLE
#else
#define DOCA_DEPRECATED                                                                            \
    __attribute__((deprecated("a later release of DOCA removes it"), section(".text.deprecated"))) \
    DOCA_STABLE
#endif

#ifdef DOCA_COMPAT_HELPERS

/** First member of a structure that carries the version it was built for. */
#if DOCA_USE_VERSION == 25
#define DOCA_STRUCT_START uint32_t __doca_api_version
#else
#define DOCA_STRUCT_START size_t __doca_api_version
#endif

/** Initialiser of that member. Source: table. Since: 2.2. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

/** The version in the structure that _X_ points to. Source: table. Since: 2.2. */
#define DOCA_STRUCT_GET_VERSION(_X_) ((_X_)->__doca_api_version)

/**
 * Stamps the structure _X_ with the version of these headers: an expression, whose value is the
 * version. Source: table. Since: 2.2.
 */
#define DOCA_STRUCT_CTOR(_X_) ((_X_).__doca_api_version = DOCA_VERSION_EXACT)

/** The same, through a pointer. Source: table. Since: 2.2. */
#define DOCA_STRUCT_PTR_CTOR(_X_) DOCA_STRUCT_CTOR(*(_X_))

/** Zeroes the structure _X_, then stamps it; also an expression. Source: table. Since: 2.2. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_) ((void)memset(&(_X_), 0, sizeof(_X_)), DOCA_STRUCT_CTOR(_X_))

/** The same, through a pointer. Source: table. Since: 2.2. */
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) DOCA_STRUCT_MEMSET_CTOR(*(_X_))

/**
 * Defines the variable __name__ of the structure __st__, zeroed and stamped.
 * Source: table. Since: 3.0 at the latest.
 */
#define DOCA_STRUCT_DEF(__st__, __name__) struct __st__ __name__ = {DOCA_STRUCT_CTOR_LIST_START}

#endif /* DOCA_COMPAT_HELPERS */

/* Included last, because it needs the definitions above. */
#include <doca_version.h>

#endif /* DOCA_COMPAT_H_ */
