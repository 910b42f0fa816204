// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_config.h
 * Build-time configuration that every header shares.
 *
 * These are the headers of the interface of DOCA 2.5 to 3. The include directory selects them by
 * itself: a program needs no DOCA_USE_VERSION, and headers of an earlier interface are not mixed
 * with these. (Our choice.)
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

#ifndef DOCA_USE_VERSION
#define DOCA_USE_VERSION 30
#elif DOCA_USE_VERSION != 30
#error                                                                                             \
    "DOCA_USE_VERSION is not 30, but these are the headers of DOCA 3: remove doca-3 from the path"
#endif

/*
 * Some functions share their name with a function of the 2.2 interface that takes other
 * arguments or objects. They are linked by another name.
 */
#define DOCA_3_SYMBOL(name) __asm__("doca_3_" #name)

/* Only CPU code gets the helpers of doca_compat.h that need the C library. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
