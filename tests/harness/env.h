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

// The surroundings of a whole test case, in the process that runs its tests one after the other,
// and of each test in them:
//
//     tcase_add_unchecked_fixture(tcase, env_setup, env_teardown_shared);
//     tcase_add_checked_fixture(tcase, env_enter, env_leave);
//
// The daemons that the setup has started are there for all tests of the case. They must not be
// stopped by a test, which is not their parent.
void env_enter(void);
// Fails if the test left a child, a descriptor, or a file.
void env_leave(void);
// env_teardown(), but the logs stay if a test has not come to its end.
void env_teardown_shared(void);

// A name in the test's private directory.
struct path temp_path(const char *name);

// The directory for logs: files in it may stay, and are shown if the test fails.
struct path log_path(const char *name);

// Records which test this is, for the process that shows the logs. (In env_setup() Check does
// not know it yet.)
void env_note_test(void);

// Writes a file below the private directory and returns its name. The test removes it.
struct path temp_file(const char *name, const char *content);

// Call it first in a child process after fork(): the daemons and client processes belong to the
// parent, so it closes the inherited descriptors.
void env_in_child(void);

#endif
