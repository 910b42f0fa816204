// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the main() of a test program calls.

#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include <check.h>

#define TEST_SKIPPED 77 // exit status: the whole program could not run here, and said why

// Runs the suite, each test function in a process of its own, and frees it. Shows the
// logs of tests that failed (and keeps them where DOCAD_TEST_KEEP is set). Returns the
// program's exit status.
int run_suite(Suite *suite);

// Removes a directory and what is in it.
void remove_tree(const char *path);

#endif
