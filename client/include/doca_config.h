/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_config.h
 * Build-time configuration that every header shares.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/*
 * The interface that a program is written for: 13 is that of DOCA 1.2 to 1.4, 15 that of
 * DOCA 1.5, and 22, or no definition, that of DOCA 2.2. The directories doca-1.3 and
 * doca-1.5 hold what differs in those. A generation's include directory defines it, or a
 * program defines it before it includes anything. (Our choice.)
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION != 22 && DOCA_USE_VERSION != 15 &&               \
    (DOCA_USE_VERSION < 12 || DOCA_USE_VERSION > 14)
#error "DOCA_USE_VERSION is 13 (DOCA 1.2 to 1.4), 15 (DOCA 1.5) or 22 (2.2); 3 is in include/doca-3"
#endif

/*
 * Some functions of the 1.5 interface share their name with a function of 2.2 that takes
 * other arguments, or does something else. They are linked by another name, which may be
 * that of 1.3.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#define DOCA_1_5_SYMBOL(name)        __asm__("doca_1_5_" #name)
#define DOCA_1_5_SYMBOL_OF_1_3(name) __asm__("doca_1_3_" #name)
#endif

/* Only CPU code gets the helpers of doca_compat.h that need the C library. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
