// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parts of an object that are shared with other processes, and that a child of fork() must not
// touch through its copy of the object: pages, and descriptors.
//
// In the child the pages become empty ones of its own, and the descriptors become others: a socket
// whose other end is closed, an eventfd that is never signalled; or -1, when the child cannot have
// more descriptors or the number is no longer the object's. So the object detects there that the
// other side has ended, and ends without effect on the parent, docad or a peer.

#ifndef CLIENT_CORE_SEVERED_H
#define CLIENT_CORE_SEVERED_H

#include "list.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SEVERED_FDS_MAX 6

// Identifies the file of a descriptor. A program may close all descriptors, and get the number for
// a file of its own. Events, timers and epoll instances all have the same inode.
struct severed_file {
    dev_t device;
    ino_t inode; // 0: not open
    bool socket;
};

// Part of the object. Empty: all zeros.
struct severed {
    struct list link;
    void *pages;
    size_t length;
    int *fds[SEVERED_FDS_MAX]; // members of the object, -1 while they are not open; NULL: no more
    struct severed_file files[SEVERED_FDS_MAX]; // of the descriptors, when they were noted
};

// Notes the descriptors. The caller sets the members but the link and the files before. Not twice.
void severed_add(struct severed *s);
// Adds descriptors that were opened after severed_add(). A child keeps those that were not added,
// but the object has -1 there.
void severed_note(struct severed *s);
// Call it before the pages are unmapped or the descriptors closed. Does nothing for an empty one,
// and the second time.
void severed_remove(struct severed *s);

#endif
