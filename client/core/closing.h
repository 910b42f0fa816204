// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Closes descriptors whose last close may block because of another process: sockets that linger,
// descriptors that an epoll instance of that process watches, and so on. A thread of its own does
// that and then ends.

#ifndef CLIENT_CORE_CLOSING_H
#define CLIENT_CORE_CLOSING_H

// Takes -1 as well; errno is unchanged. If too many of these threads are busy already, or none can
// be made, the descriptor stays open until a later call, also of closing_again(), can start one.
void closing_take(int fd);

// The same for one end of a socket pair whose other end is in another process: the messages in its
// queue may contain such descriptors. Takes -1, leaves -1. The caller removes the socket from its
// epoll sets before.
void closing_socket(int *sock);

// Tries again for descriptors that no thread could be made for.
void closing_again(void);

// From now on unexpected descriptors that arrive are closed in this way, too.
void closing_begin(void);

#endif
