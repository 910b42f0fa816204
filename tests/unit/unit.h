// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The main() of a Check program with one list of tests, or one case.

#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

// Runs the tests of the case, for main().
static inline int unit_run_case(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int unit_run(const char *name, const TTest *const *tests, size_t n)
{
    TCase *tcase = tcase_create(name);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case(name, tcase);
}

#define UNIT_MAIN(name, ...)                                                                       \
    int main(void)                                                                                 \
    {                                                                                              \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return unit_run(name, tests, sizeof(tests) / sizeof(tests[0]));                            \
    }

#endif
