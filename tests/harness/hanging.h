// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that make whoever uses or closes them wait: files of a file system whose process
// never answers, things that are watched or used by somebody who waits for such a file. They hang
// until hanging_end(), whatever signal the one that waits gets.

#ifndef HARNESS_HANGING_H
#define HARNESS_HANGING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Calls of the descriptor that wait.
enum hanging_kind {
    HANGING_FILE,      // each close, and what asks the file system
    HANGING_POSITION,  // what needs the position of a file called .../1/mem
    HANGING_MEMFD,     // the same of a memory file of one page, sealed
    HANGING_EVENTFD,   // the last close
    HANGING_PIPE,      // the last close of the end that is read
    HANGING_FULL_PIPE, // that, and reading: it is being written to
    HANGING_TIMERFD,
    HANGING_EPOLL,
    HANGING_SOCKET,   // a Unix datagram socket, whose last close waits
    HANGING_RECEIVER, // a Unix datagram socket, from which receiving waits
    HANGING_USERFAULTFD,
    HANGING_IO_URING,
    HANGING_KINDS,
};

extern const char *const hanging_names[HANGING_KINDS];

struct hanging {
    int fd; // must not be closed before the end, unless by hanging_leave()
    enum hanging_kind kind;
    pid_t server;
    int held; // a byte comes for each request that is not answered
};

// False if it cannot be made here, because there is no /dev/fuse, no user namespace or the
// like; `why` (may be NULL) says so.
bool hanging_open(struct hanging *h, enum hanging_kind kind, const char **why);

// Opens many whose last close waits, all at once: they are the caller's.
bool hanging_open_many(struct hanging *h, int *fds, size_t n);

// Makes the last close of each of these wait, and of whatever else refers to the same. They remain
// the caller's, but it must not do the last close.
bool hanging_watch(struct hanging *h, const int *fds, size_t n);

// Closes it in the test process, if that does not wait by itself.
void hanging_leave(struct hanging *h);

// Ends all waiting, and the processes that took part.
void hanging_end(struct hanging *h);

#endif
