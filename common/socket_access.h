// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What to do about a socket of docad that one may not connect to.

#ifndef COMMON_SOCKET_ACCESS_H
#define COMMON_SOCKET_ACCESS_H

#include <stddef.h>

// Says whom the socket is for, and how another user gets in.
void socket_access_advice(const char *path, char *text, size_t size);

#endif
