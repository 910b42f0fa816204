// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Advice for a user who may not connect to docad's socket.

#ifndef COMMON_SOCKET_ACCESS_H
#define COMMON_SOCKET_ACCESS_H

#include <stddef.h>

// Writes who may use the socket, and how another user can get access.
void socket_access_advice(const char *path, char *text, size_t size);

#endif
