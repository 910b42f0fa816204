// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// In place of Check's header, for files of tests/unit that a target shares: Check reports each
// assertion to the process that runs the tests, and there is none here.

#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stdlib.h>

#define ck_assert(condition)     ((condition) ? (void)0 : abort())
#define ck_assert_int_eq(a, b)   ck_assert((a) == (b))
#define ck_assert_int_ge(a, b)   ck_assert((a) >= (b))
#define ck_assert_int_ne(a, b)   ck_assert((a) != (b))
#define ck_assert_uint_eq(a, b)  ck_assert((a) == (b))
#define ck_assert_uint_le(a, b)  ck_assert((a) <= (b))
#define ck_assert_uint_lt(a, b)  ck_assert((a) < (b))
#define ck_assert_uint_gt(a, b)  ck_assert((a) > (b))
#define ck_assert_ptr_ne(a, b)   ck_assert((a) != (b))
#define ck_assert_ptr_null(a)    ck_assert(!(a))
#define ck_assert_ptr_nonnull(a) ck_assert(a)
#define ck_abort_msg(...)        abort()

#endif
