// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The surroundings of one test function: a private directory, and the check that the
// test leaves nothing behind. Add both to every test case that uses the harness:
//
//     tcase_add_checked_fixture(tcase, env_setup, env_teardown);

#ifndef HARNESS_ENV_H
#define HARNESS_ENV_H

struct path {
    char s[108]; // fits a socket address
};

void env_setup(void);

// Stops the daemons that still run, each of which must exit with 0, and fails if the
// test left a child, a descriptor, or a file in its directory.
void env_teardown(void);

// A name in the test's private directory.
struct path temp_path(const char *name);

// Where logs go: what is there may stay, and is shown if the test fails.
struct path log_path(const char *name);

// Writes down which test this is, for whoever shows the logs. (In env_setup() Check does
// not know it yet.)
void env_note_test(void);

// Writes a file below the private directory and returns its name. The test removes it.
struct path temp_file(const char *name, const char *content);

// The daemons and client processes are the parent's: called first thing in a child
// process after fork(), it closes what was inherited.
void env_in_child(void);

#endif
