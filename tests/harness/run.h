// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions that the main() of a test program calls.

#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include <check.h>

#define TEST_SKIPPED 77 // exit status: the whole program could not run here, and printed the reason

// Runs the suite, each test function in a process of its own, and frees it. Shows the logs of
// tests that failed (and keeps them if DOCAD_TEST_KEEP is set). Returns the program's exit
// status.
int run_suite(Suite *suite);

// Removes a directory and its contents.
void remove_tree(const char *path);

#endif
