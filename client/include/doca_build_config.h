// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_build_config.h
 * Which side a program is built for.
 *
 * One installation serves both sides, so the side is the program's choice: build with
 * -DDOCA_ARCH_DPU for the DPU side; without it a program is built for the host. The
 * processor macro follows from the side, as in the packages for either: DOCA_ARCH_X86
 * with DOCA_ARCH_HOST, DOCA_ARCH_ARM with DOCA_ARCH_DPU. (Our choice; the packages for
 * the card fix the side per machine.)
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#ifdef DOCA_ARCH_DPU
#undef DOCA_ARCH_HOST
#undef DOCA_ARCH_X86
#ifndef DOCA_ARCH_ARM
#define DOCA_ARCH_ARM
#endif
#else
#ifndef DOCA_ARCH_HOST
#define DOCA_ARCH_HOST
#endif
#ifndef DOCA_ARCH_X86
#define DOCA_ARCH_X86
#endif
#undef DOCA_ARCH_ARM
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
