// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// All descriptors that docad receives pass through here, and all that clients hold, too, end
// here. No thread of docad closes what may make it wait (received.h has the rule): helper
// processes do that, a few for each user.
//
// - Before docad receives a packet that brings descriptors, a helper looks at them: files of
//   file systems and devices, where each close may wait, do not enter docad at all.
// - docad hands what it does not need any more to a helper, which closes it last. Small memory
//   files are closed at once. What cannot be handed over now stays open until it can, and
//   counts: too many of one user's, and docad accepts nothing more from that user.

#ifndef DAEMON_CLOSER_H
#define DAEMON_CLOSER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CLOSER_NOBODY ((uid_t)-1) // no user in particular

enum closer_finding {
    CLOSER_GOOD,
    CLOSER_REFUSED,  // a helper has taken the packet, because of its descriptors
    CLOSER_TOO_MANY, // because they were too many
};

struct closer_look;
typedef void (*closer_looked_fn)(void *arg, enum closer_finding finding);

// Makes the first helpers. Call it before there are threads and before anything is open that a
// helper should not have. False if they cannot be made. Without it everything is closed at once.
bool closer_start(void);

// A descriptor that is readable when closer_work() has something to do, which may call back.
// -1 before closer_start().
int closer_fd(void);
void closer_work(void);

// Closes a descriptor that a process of this uid has sent or also holds. -1 is ignored.
void closer_take(int fd, uid_t uid);

// The same for several, which are marked closed.
void closer_take_all(int *fds, size_t n, uid_t uid);

// Shuts down and closes docad's end of a Unix socket. A process of this uid may hold the
// other end, but nobody else holds this one. The other side reads the end of file at once.
// This close does not wait for descriptors that the uid has sent. -1 is ignored.
void closer_end(int fd, uid_t uid);

// Has a helper look at the next packet of this socket, which a process of this uid has sent, and
// then calls back once. docad receives the packet itself if it is good. NULL if memory runs out.
// The socket must stay open until then, or until closer_look_cancel(); NULL is ignored there.
struct closer_look *closer_look(int sock, uid_t uid, closer_looked_fn done, void *arg);
// The same, but the helper takes the packet, whatever it brings: CLOSER_REFUSED.
struct closer_look *closer_refuse(int sock, uid_t uid, closer_looked_fn done, void *arg);
void closer_look_cancel(struct closer_look *look);

// From now on, descriptors that fd_list_close() closes count as received from this uid.
void closer_receive_from(uid_t uid);

enum closer_load {
    CLOSER_READY,
    CLOSER_BUSY,    // accept nothing more from the uid for now
    CLOSER_CLOGGED, // busy for long: the descriptors that it sent do not close
};

enum closer_load closer_load(uid_t uid);

// Waits for the closes that are under way, but not forever, and lets the helpers go.
void closer_stop(void);

#endif
