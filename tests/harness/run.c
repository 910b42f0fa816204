// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "run.h"

#include <stdlib.h>

int run_suite(Suite *suite)
{
    // The limit for one test function; only broken code reaches it.
    setenv("CK_DEFAULT_TIMEOUT", "100", 0);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
