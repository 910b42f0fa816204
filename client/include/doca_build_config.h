/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_build_config.h
 * The side and the processor that a program is built for.
 *
 * One installation serves both sides, so the program chooses its side: build with
 * -DDOCA_ARCH_DPU for the DPU side; without it a program is built for the host
 * (DOCA_ARCH_HOST). Programs test one of these macros and assume the other side if it is
 * not defined, so one of the two is always defined. (Our choice; the packages for the card
 * fix the side for each machine.)
 *
 * DOCA_ARCH_X86 and DOCA_ARCH_ARM name the processor that the compiler compiles for. The
 * side does not change them.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#ifdef DOCA_ARCH_DPU
#undef DOCA_ARCH_HOST
#elif !defined(DOCA_ARCH_HOST)
#define DOCA_ARCH_HOST
#endif

#if defined(__aarch64__) || defined(__arm__)
#undef DOCA_ARCH_X86
#ifndef DOCA_ARCH_ARM
#define DOCA_ARCH_ARM
#endif
#else
#undef DOCA_ARCH_ARM
#ifndef DOCA_ARCH_X86
#define DOCA_ARCH_X86
#endif
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
