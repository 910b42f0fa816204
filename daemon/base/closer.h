// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Closes descriptors that others have a part in. Closing can wait for whoever is behind the
// file: a file system in user space that does not answer, a socket that lingers, a
// terminal that drains. A Unix socket that is closed for good closes in turn what was sent to
// it and not received, whatever that is. Such closes are left to threads of their own.

#ifndef DAEMON_CLOSER_H
#define DAEMON_CLOSER_H

#include <stdbool.h>
#include <sys/types.h>

#define CLOSER_NOBODY ((uid_t)-1) // no user in particular

// Closes a descriptor that a process of this uid has sent, or has as well. -1 is nothing.
void closer_take(int fd, uid_t uid);

// Ends and closes docad's end of a Unix socket, whose other end a process of this uid may
// have, but nobody has this one: the other side reads the end at once. It does not wait for
// what the uid has sent, nor linger if there are many: docad has room for more. -1 is nothing.
void closer_end(int fd, uid_t uid);

// What fd_list_close() closes from now on comes from this uid.
void closer_receive_from(uid_t uid);

enum closer_load {
    CLOSER_READY,
    CLOSER_BUSY,    // take nothing more from the uid for now
    CLOSER_CLOGGED, // and that for long: what it sent does not close
};

enum closer_load closer_load(uid_t uid);

// Waits for closes under way, but not for ever.
void closer_stop(void);

#endif
