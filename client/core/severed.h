// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an object shares with other processes, and a child of fork() must not touch through its
// copy of the object: pages, and descriptors.
//
// In the child the pages become empty ones of its own, and the descriptors become others: a socket
// whose other end is closed, an event that nobody signals. So the object finds there that the
// other side has gone, and ends without the parent, docad or a peer noticing.

#ifndef CLIENT_CORE_SEVERED_H
#define CLIENT_CORE_SEVERED_H

#include "list.h"

#include <stddef.h>

#define SEVERED_FDS_MAX 6

// Part of the object. Empty: all zeros.
struct severed {
    struct list link;
    void *pages;
    size_t length;
    int *fds[SEVERED_FDS_MAX]; // members of the object, -1 while they are not open; NULL: no more
};

// The link is set here, the other members before. Not twice.
void severed_add(struct severed *s);
// Before the pages are unmapped or the descriptors closed. Does nothing for an empty one, and the
// second time.
void severed_remove(struct severed *s);

#endif
