// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The lock of a socket, so that only one daemon serves it.

#ifndef DAEMON_SOCKET_LOCK_H
#define DAEMON_SOCKET_LOCK_H

#include "errtext.h"
#include "socket_path.h"

#include <stdbool.h>

#define SOCKET_LOCK_PATH_MAX (SOCKET_PATH_MAX + 8)

// Takes <socket>.lock. DOCA_ERROR_IN_USE with the holder's pid if another daemon has it. A holder
// that was killed but cannot end loses it; then *taken_over is set: its socket still accepts
// connections, which no process serves.
doca_error_t socket_lock_take(const char *socket, char path[SOCKET_LOCK_PATH_MAX], int *lock,
                              bool *taken_over, struct errtext *err);

// Removes the file and releases the lock. *lock may be -1.
void socket_lock_release(const char *path, int *lock);

#endif
