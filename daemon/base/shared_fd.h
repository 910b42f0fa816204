// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A descriptor that several objects use, of the loop and of other threads: it is closed with the
// last of them.

#ifndef DAEMON_SHARED_FD_H
#define DAEMON_SHARED_FD_H

struct shared_fd;

// Takes over `fd`. Returns NULL, without taking it, if memory ran out.
struct shared_fd *shared_fd_new(int fd);

// May be called by any thread that has a reference.
struct shared_fd *shared_fd_ref(struct shared_fd *shared);   // takes NULL
struct shared_fd *shared_fd_unref(struct shared_fd *shared); // takes NULL, returns NULL
int shared_fd_get(const struct shared_fd *shared);

#endif
