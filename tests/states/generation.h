// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// For tables of more than one generation of the interface: 1.5, 2.2 and 3. A table is compiled once
// with the headers of each. Functions have the names of DOCA 3 here, also where they are called;
// FN() is the name, as text, in the generation that is compiled.

#ifndef STATES_GENERATION_H
#define STATES_GENERATION_H

#include "tables.h"

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION == 22
#define EACH(of_1_5, of_2_2, of_3) of_2_2
#define OF_1_5(...)
#define OF_2_2(...) __VA_ARGS__
#define OF_3(...)
#elif DOCA_USE_VERSION == 15
#define EACH(of_1_5, of_2_2, of_3) of_1_5
#define OF_1_5(...)                __VA_ARGS__
#define OF_2_2(...)
#define OF_3(...)
#else
#define EACH(of_1_5, of_2_2, of_3) of_3
#define OF_1_5(...)
#define OF_2_2(...)
#define OF_3(...) __VA_ARGS__
#endif
#define EITHER(before_3, of_3) EACH(before_3, before_3, of_3)
#define BEFORE_3(...)          OF_1_5(__VA_ARGS__) OF_2_2(__VA_ARGS__)

// clang-format off
// Rows that not all generations have.
#define ROW_OF_1_5(...) {OF_1_5(__VA_ARGS__)}
#define ROW_OF_2_2(...) {OF_2_2(__VA_ARGS__)}
#define ROW_OF_3(...) {OF_3(__VA_ARGS__)}
#define ROW_BEFORE_3(...) {BEFORE_3(__VA_ARGS__)}
// clang-format on

#define FN(function)    FN_OF(function)
#define FN_OF(function) #function

// ---- what DOCA 3 has given other names

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 30
#endif

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#define doca_compress_get_max_buf_size doca_compress_get_max_buffer_size
#endif

#endif
