/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_common_defines.h
 * Small helpers for programs and headers.
 *
 * Since 2.2.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

/** The condition x, which the compiler is told to expect true. Source: table. Since: 2.2. */
#ifndef doca_likely
#define doca_likely(x) __builtin_expect(!!(x), 1)
#endif

/** The condition x, which the compiler is told to expect false. Source: table. Since: 2.2. */
#ifndef doca_unlikely
#define doca_unlikely(x) __builtin_expect(!!(x), 0)
#endif

#endif /* DOCA_COMMON_DEFINES_H_ */
