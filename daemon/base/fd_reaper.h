// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// All descriptors that docad receives pass through here, and all descriptors that clients also hold
// are closed here. No thread of docad makes a close() that may block (received.h has the rule):
// helper processes do that, a few for each user.
//
// - Before docad receives a packet with descriptors, a helper inspects them: files of file systems
//   and devices, where each close may block, do not enter docad at all.
// - docad passes a descriptor that it does not need any more to a helper, which closes it last.
//   Small memory files are closed directly. What cannot be passed on now stays open until it can,
//   and counts: docad accepts nothing more from a user with too many of those.

#ifndef DAEMON_FD_REAPER_H
#define DAEMON_FD_REAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FD_REAPER_NO_UID ((uid_t)-1) // no user in particular

enum fd_verdict {
    FD_VERDICT_GOOD,
    FD_VERDICT_REFUSED,  // a helper has taken the packet, because of its descriptors
    FD_VERDICT_TOO_MANY, // because they were too many
};

struct fd_inspection;
typedef void (*fd_reaper_inspected_fn)(void *arg, enum fd_verdict verdict);

// Makes the first helpers. Call it before there are threads, and before anything is open that a
// helper should not have. Returns false on failure. Without fd_reaper_start() everything is closed
// directly.
bool fd_reaper_start(void);

// A descriptor that is readable when fd_reaper_work() has something to do, which may call back.
// -1 before fd_reaper_start().
int fd_reaper_fd(void);
void fd_reaper_work(void);

// Closes a descriptor that a process of this uid has sent or also holds. -1 is ignored.
void fd_reaper_close(int fd, uid_t uid);

// The same for several, which are marked closed.
void fd_reaper_close_all(int *fds, size_t n, uid_t uid);

// Shuts down and closes docad's end of a Unix socket. A process of this uid may hold the other end,
// but only docad holds this one. The other side gets the end of file immediately. This close does
// not wait for descriptors that the uid has sent. -1 is ignored.
void fd_reaper_close_socket(int fd, uid_t uid);

// Makes a helper inspect the next packet of this socket, which a process of this uid has sent, and
// then calls back once. docad receives the packet itself if it is good. Returns NULL if memory runs
// out. The socket must stay open until then, or until fd_reaper_inspect_cancel(); NULL is ignored
// there.
struct fd_inspection *fd_reaper_inspect(int sock, uid_t uid, fd_reaper_inspected_fn done,
                                        void *arg);
// The same, but the helper takes the packet, whatever it brings: FD_VERDICT_REFUSED.
struct fd_inspection *fd_reaper_refuse(int sock, uid_t uid, fd_reaper_inspected_fn done, void *arg);
void fd_reaper_inspect_cancel(struct fd_inspection *inspection);

// From now on, descriptors that fd_list_close() closes count as received from this uid.
void fd_reaper_receive_from(uid_t uid);

enum fd_reaper_load {
    FD_REAPER_READY,
    FD_REAPER_BUSY,  // accept nothing more from the uid for now
    FD_REAPER_STUCK, // busy for long: the descriptors that it sent do not close
};

enum fd_reaper_load fd_reaper_load(uid_t uid);

// Waits for pending closes, but not forever, and ends the helpers.
void fd_reaper_stop(void);

#endif
