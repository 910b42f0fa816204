// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef DAEMON_SOCKET_EMPTY_H
#define DAEMON_SOCKET_EMPTY_H

#include <stdbool.h>

// Returns whether a Unix socket that was shut down, and so takes no more, holds nothing whose end
// could make its last close wait. Packets that carry only bytes are dropped; descriptors stay.
bool socket_is_empty(int fd);

#endif
