/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_compat.h
 * Attributes of the public interface, and helpers for structures that carry a version.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

#include <stddef.h>

#ifdef DOCA_COMPAT_HELPERS
#include <stdint.h>
#include <string.h>
#endif

/** Keep the symbol even if nothing in the program refers to it. */
#define DOCA_USED __attribute__((used))

/** Part of the library's interface. */
#define DOCA_EXPORTED __attribute__((visibility("default"), used))

/**
 * Marks every function of the interface: it may change between releases. A program that defines
 * DOCA_ALLOW_EXPERIMENTAL_API accepts that. Without the definition each use draws a deprecation
 * warning, except in programs of the 1.3 interface, which did not need it.
 */
#if defined(DOCA_ALLOW_EXPERIMENTAL_API) || (defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15)
#define __DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_EXPORTED
#else
#define __DOCA_EXPERIMENTAL                                                                        \
    __attribute__((section(".text.experimental"),                                                  \
                   deprecated("experimental: define DOCA_ALLOW_EXPERIMENTAL_API to use it")))      \
    DOCA_EXPORTED
#endif

#ifdef DOCA_COMPAT_HELPERS

/** First member of a structure that carries the version it was built for. */
#define DOCA_STRUCT_START uint32_t __doca_api_version

/** Initialiser of that member. Source: table. Since: 2.2. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_CURRENT_VERSION_NUM

/** The version in the structure that _X_ points to. Source: table. Since: 2.2. */
#define DOCA_STRUCT_GET_VERSION(_X_) ((_X_)->__doca_api_version)

/**
 * Stamps the structure _X_ with the version of these headers: an expression, whose value is the
 * version. Source: table. Since: 2.2.
 */
#define DOCA_STRUCT_CTOR(_X_) ((_X_).__doca_api_version = DOCA_CURRENT_VERSION_NUM)

/** The same, through a pointer. Source: table. Since: 2.2. */
#define DOCA_STRUCT_PTR_CTOR(_X_) DOCA_STRUCT_CTOR(*(_X_))

/** Zeroes the structure _X_, then stamps it; also an expression. Source: table. Since: 2.2. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_) ((void)memset(&(_X_), 0, sizeof(_X_)), DOCA_STRUCT_CTOR(_X_))

/** The same, through a pointer. Source: table. Since: 2.2. */
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) DOCA_STRUCT_MEMSET_CTOR(*(_X_))

#endif /* DOCA_COMPAT_HELPERS */

/* Included last, because it needs the definitions above. */
#include <doca_version.h>

#endif /* DOCA_COMPAT_H_ */
