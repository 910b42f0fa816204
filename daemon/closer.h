// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Closes descriptors that came from outside. Closing can wait for whoever is behind the
// file: a file system in user space that does not answer, a socket that lingers, a
// terminal that drains. Such closes are left to threads of their own.

#ifndef DAEMON_CLOSER_H
#define DAEMON_CLOSER_H

#include <stdbool.h>
#include <sys/types.h>

// Closes a descriptor that a process of this uid has sent.
void closer_take(int fd, uid_t uid);

// Has the uid sent so much that does not close that nothing more is taken from it?
bool closer_is_clogged(uid_t uid);

// Waits for closes under way, but not for ever.
void closer_stop(void);

#endif
