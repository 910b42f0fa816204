// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which user's process may listen at docad's socket. A client passes its memory to docad, so it
// refuses all other servers. docad runs as root, as the user docad, or as the client's own user;
// DOCAD_SERVER_USER names another one, or several, by name or number, separated by commas.
//
// In a user namespace, a server that runs outside has a user that does not exist inside; the kernel
// then shows the overflow uid. Such a server's socket must have been mounted into the container, so
// it is accepted, unless DOCAD_SERVER_USER is set.

#ifndef COMMON_SERVER_USER_H
#define COMMON_SERVER_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define SERVER_USER_ENV "DOCAD_SERVER_USER"

// Gets the user that listened on the socket at the other end of this one. Returns false if the
// kernel does not support that.
bool server_user(int sock, uid_t *uid);

// Returns whether docad may run as this user.
bool server_user_expected(uid_t uid);

#endif
