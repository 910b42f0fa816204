// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The default path of docad's socket.

#ifndef COMMON_SOCKET_PATH_H
#define COMMON_SOCKET_PATH_H

#include <stdbool.h>
#include <sys/un.h>

#define SOCKET_PATH_MAX (sizeof(((struct sockaddr_un *)0)->sun_path))

// The socket that a client connects to: $DOCAD_SOCKET, else /run/docad/docad.sock if it exists,
// else $XDG_RUNTIME_DIR/docad/docad.sock. Returns false if there is no candidate that fits into a
// socket address.
bool socket_path_for_client(char path[SOCKET_PATH_MAX]);

// The socket a daemon listens on by default: below /run as root, else below
// $XDG_RUNTIME_DIR. Returns false if that is unset or too long.
bool socket_path_for_daemon(char path[SOCKET_PATH_MAX]);

#endif
