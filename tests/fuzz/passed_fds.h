// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that clients send, and what they do with those that they get.

#ifndef FUZZ_PASSED_FDS_H
#define FUZZ_PASSED_FDS_H

#include "input.h"
#include "packet.h"

#define SENT_FDS_MAX 6

struct sent_fds {
    int fds[SENT_FDS_MAX];
    size_t n;
};

void sent_fds_add(struct sent_fds *to, int fd);
void sent_fds_add_pair(struct sent_fds *to, int type); // both ends of a socket pair
void sent_fds_close(struct sent_fds *fds);

// Adds descriptors of any kind; `memory_fd` is one of them.
void sent_fds_add_any(struct sent_fds *to, struct input *in, size_t n, int memory_fd);

// Keeps descriptors that docad has sent: memory files mapped, sockets and others as they are.
void held_take(struct fd_list *fds);
// Writes into what is held. `address` is that of memory which docad may reach.
void held_write(struct input *in, uint64_t address);
// Takes a packet out of each socket that is held, and holds the descriptors that come with it.
void held_receive(void);
void held_drop(void);

// The number of open descriptors of this process.
unsigned count_fds(void);
void say_fds(void); // what they are

#endif
