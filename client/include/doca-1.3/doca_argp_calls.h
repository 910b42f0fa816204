/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp_calls.h
 * The end of doca_argp.h for programs of the 1.3 interface: which calls are those of DOCA 1.2
 * and 1.3. Programs need not include it.
 *
 * Since 1.3.
 */
#ifndef DOCA_ARGP_CALLS_H_
#define DOCA_ARGP_CALLS_H_

/* Macros with any number of arguments are newer than C90. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"

/*
 * Chooses by the number of arguments: three are those of DOCA 1.2 and 1.3. More of them are the
 * parts of a compound literal.
 */
#define DOCA_1_3_NINTH(a, b, c, d, e, f, g, h, i, ...) i
#define DOCA_1_3_CALL(three, other, ...)                                                           \
    DOCA_1_3_NINTH(__VA_ARGS__, other, other, other, other, other, three, other, other, 0)         \
    (__VA_ARGS__)
#define doca_argp_init(...)  DOCA_1_3_CALL(doca_argp_init_structs, doca_argp_init, __VA_ARGS__)
#define doca_argp_start(...) DOCA_1_3_CALL(doca_argp_start_structs, doca_argp_start, __VA_ARGS__)

/* Callbacks without a result are called as such. */
#define doca_argp_register_version_callback(callback)                                              \
    doca_argp_register_version_callback((callback_func)(void (*)(void))(callback))
#define doca_argp_register_validation_callback(callback)                                           \
    doca_argp_register_validation_callback((validation_callback)(void (*)(void))(callback))

#pragma GCC diagnostic pop

#endif /* DOCA_ARGP_CALLS_H_ */
