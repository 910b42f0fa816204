// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef DAEMON_SOCKET_EMPTY_H
#define DAEMON_SOCKET_EMPTY_H

#include <stdbool.h>

// Returns whether a socket that was shut down, and so receives no more, has nothing in its queue
// that could make its last close block. Packets with bytes only are dropped; descriptors stay.
bool socket_is_empty(int fd);

#endif
