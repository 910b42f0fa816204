// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Closes descriptors whose close() other processes can delay. It can wait for a file system
// in user space that does not answer, a socket that lingers, a terminal that drains. The
// last close of a Unix socket also closes every descriptor that was sent to it and not
// received. Such closes are left to separate threads.

#ifndef DAEMON_CLOSER_H
#define DAEMON_CLOSER_H

#include <stdbool.h>
#include <sys/types.h>

#define CLOSER_NOBODY ((uid_t)-1) // no user in particular

// Closes a descriptor that a process of this uid has sent or also holds. -1 is ignored.
void closer_take(int fd, uid_t uid);

// Shuts down and closes docad's end of a Unix socket. A process of this uid may hold the
// other end, but nobody else holds this one. The other side reads the end of file at once.
// This close does not wait for descriptors that the uid has sent, and does not linger if
// there are many: docad has room for more. -1 is ignored.
void closer_end(int fd, uid_t uid);

// From now on, descriptors that fd_list_close() closes count as received from this uid.
void closer_receive_from(uid_t uid);

enum closer_load {
    CLOSER_READY,
    CLOSER_BUSY,    // accept nothing more from the uid for now
    CLOSER_CLOGGED, // busy for long: the descriptors that it sent do not close
};

enum closer_load closer_load(uid_t uid);

// Waits for the closes that are under way, but not forever.
void closer_stop(void);

#endif
