// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Closes descriptors whose last close may block because of another process: sockets that linger,
// descriptors that an epoll instance of that process watches, and so on. A thread of its own does
// that and then ends.

#ifndef CLIENT_CORE_CLOSING_H
#define CLIENT_CORE_CLOSING_H

// Takes -1 as well; errno survives. If too many of these threads wait already, or none can be
// made, the descriptor stays open until a later call, of closing_again() too, finds one.
void closing_take(int fd);

// The same for the end of a socket pair that another process has the other end of: what waits to
// be read there may contain such descriptors. Takes -1, leaves -1. Before that, the socket must
// leave the epoll sets that it is in.
void closing_socket(int *sock);

// Tries again for descriptors that no thread could be made for.
void closing_again(void);

// From now on the descriptors that arrive unasked are closed in this way, too.
void closing_begin(void);

#endif
