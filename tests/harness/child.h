// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Client processes of a test: a function that runs in a child, talks to a daemon and
// takes turns with the test. The test process itself must not have used libdoca-client
// before.
//
// ck_assert works in the child too; its message becomes the test's.

#ifndef HARNESS_CHILD_H
#define HARNESS_CHILD_H

#include "daemon.h"

struct child {
    const char *name;
    pid_t pid; // 0 in the child itself, and after it has been waited for
    int pidfd;
    int channel;         // to the other side
    bool may_leave_open; // the child sets it if it leaves descriptors open on purpose
    int leak_limit_ms;   // for others that threads of the library still close
    struct child *next;
};

typedef int (*child_fn)(struct child *self, void *arg); // returns the exit status

// Runs fn(child, arg) in a new process with DOCAD_SOCKET set to the daemon's socket (left alone
// if `daemon` is NULL). Descriptors that the function leaves open are an error.
struct child *child_start(const struct daemon *daemon, const char *name, child_fn fn, void *arg);

// For either side. A word tells how far a side has come. Waiting fails if a different word
// comes, or if the other side ends.
void child_tell(struct child *child, const char *word);
void child_wait(struct child *child, const char *word);
bool child_hears(const struct child *child); // there is a word: child_wait() would not wait

// The same with bytes instead of words: at most 4096. child_receive returns the number received.
void child_send(struct child *child, const void *data, size_t size);
size_t child_receive(struct child *child, void *data, size_t size);

// The test's side: waits for the child, which must exit with 0.
void child_join(struct child *child);

// Waits for the child and returns its status from waitpid().
int child_status(struct child *child);

// Kills the child at once and waits for it.
void child_kill(struct child *child);

// Called in a child: Check stops recording the child's position.
void child_mark_nothing(void);

void child_close_all(void); // env_in_child() calls it
bool child_running_any(char *text, size_t size);
void child_free_all(void); // env_teardown() calls it

// ---- commands ------------------------------------------------------------------

struct command_result {
    int status; // exit status; 128 + signal
    char out[262144];
    char err[16384];
};

// Runs a program (a name without a slash is one of the build tree) to its end and captures its
// output. DOCAD_SOCKET is the daemon's socket, if one is given.
void command_run(const struct daemon *daemon, const char *const argv[], struct command_result *out);

// Ends all exports of a program, by docactl.
void revoke_all_of(const struct daemon *daemon, const struct child *owner);

#endif
