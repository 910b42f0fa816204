// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_config.h
 * Build-time configuration that every header shares.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/*
 * Which interface a program is written for: 13 is that of DOCA 1.2 to 1.4, 15 that of DOCA
 * 1.5; what they have in forms of their own is in doca-1.3 and doca-1.5. 22, or nothing, is
 * that of DOCA 2.2. A generation's include directory defines it, or a program does before it
 * includes anything. (Our choice.)
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION != 22 && DOCA_USE_VERSION != 15 &&               \
    (DOCA_USE_VERSION < 12 || DOCA_USE_VERSION > 14)
#error "DOCA_USE_VERSION is 13 (DOCA 1.2 to 1.4), 15 (DOCA 1.5) or 22 (DOCA 2.2)"
#endif

/*
 * Some functions of the 1.5 interface have the name of one of 2.2 that takes other
 * arguments, or does something else: these are linked by another name, which may be that of
 * 1.3.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#define DOCA_1_5_SYMBOL(name)        __asm__("doca_1_5_" #name)
#define DOCA_1_5_SYMBOL_OF_1_3(name) __asm__("doca_1_3_" #name)
#endif

/* Helpers of doca_compat.h that need the C library are there for CPU code. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
