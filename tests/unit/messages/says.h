// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks the text of a message.

#ifndef TESTS_UNIT_SAYS_H
#define TESTS_UNIT_SAYS_H

#include <check.h>
#include <string.h>

#define SAYS_MAX 5

// All of them, in whatever order; NULL ends the list.
static inline void assert_says(const char *text, const char *const says[SAYS_MAX])
{
    for (size_t i = 0; i < SAYS_MAX && says[i]; i++)
        ck_assert_msg(strstr(text, says[i]), "\"%s\" is not said in: %s", says[i], text);
}

#define ASSERT_SAYS(text, ...) assert_says(text, (const char *const[SAYS_MAX]){__VA_ARGS__})

#endif
