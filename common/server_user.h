// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The user whose process listens where docad should. A client hands its memory over to docad, so
// it talks to nobody else. docad runs as root, as the user docad, or as the client's own user;
// DOCAD_SERVER_USER names another one, or several, by name or number, separated by commas.
//
// In a user namespace, a server that runs outside has a user that does not exist inside; the
// kernel then shows the overflow uid. Such a server can only be one whose socket was let into the
// container, so it is accepted, unless DOCAD_SERVER_USER says whom to accept.

#ifndef COMMON_SERVER_USER_H
#define COMMON_SERVER_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define SERVER_USER_ENV "DOCAD_SERVER_USER"

// The user who listened on the socket that this one is connected to. False: the kernel does not
// know.
bool server_user(int sock, uid_t *uid);

// May docad run as this user?
bool server_user_expected(uid_t uid);

#endif
