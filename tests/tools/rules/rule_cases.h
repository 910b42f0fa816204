// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs for test-rules.py: each case breaks one rule of docad-run --check=rules, or does nearly
// the same in the right way.

#ifndef TESTS_TOOLS_RULE_CASES_H
#define TESTS_TOOLS_RULE_CASES_H

#include <doca_error.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule_case {
    const char *name; // the rule, and a '/' with the form
    void (*run)(bool wrong);
};

static inline void must(doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return;
    fprintf(stderr, "rule case: error %d\n", (int)result);
    exit(1);
}

// Runs the case that the arguments name: NAME [well]. No argument: prints all names.
static inline int run_cases(const struct rule_case *cases, size_t count, int argc, char **argv)
{
    for (size_t i = 0; i < count; i++) {
        if (argc < 2)
            puts(cases[i].name);
        else if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run(argc < 3);
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}

#endif
