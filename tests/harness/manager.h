// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A service manager for tests: it makes docad's socket, keeps the descriptors that docad stores,
// and starts docad again with all of them.
//
//     struct daemon *d = daemon_start(&(struct daemon_options){.run = manager_run, ...});
//     manager_restart(d, SIGKILL);

#ifndef HARNESS_MANAGER_H
#define HARNESS_MANAGER_H

#include "daemon.h"

// The daemon process itself: docad is its child.
int manager_run(char **argv);

// Ends docad, with SIGTERM or SIGKILL, and starts it again; waits until it is ready.
void manager_restart(struct daemon *daemon, int signal);

// The same without waiting. manager_wait() waits for one of them.
void manager_begin_restart(struct daemon *daemon, int signal);
void manager_wait(struct daemon *daemon);

// Waits until `n` objects are kept: records in the file that docad gave to the manager.
void manager_wait_kept(struct daemon *daemon, unsigned n);

#endif
