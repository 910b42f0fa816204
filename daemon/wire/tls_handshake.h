// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a connection to a daemon on another machine begins: found, dialled or accepted, and each
// side has shown the other its certificate. What comes of it is a transport.

#ifndef DAEMON_TLS_HANDSHAKE_H
#define DAEMON_TLS_HANDSHAKE_H

struct tls_door;
struct tls_handshake;
struct tls_transport;

// Called from the loop, one of them, once; the handshake is gone by then.
struct tls_handshake_owner {
    // The other side's certificate is good. The transport is the owner's.
    void (*ready)(void *owner, struct tls_transport *tls);
    // There is no connection with `address`.
    void (*failed)(void *owner, const char *address, const char *why);
};

// Dials HOST:PORT, which may be a name. `node`, if not empty, is what its certificate
// must name. 0 or -errno.
int tls_handshake_dial(struct tls_handshake **out, struct tls_door *door, const char *address,
                       const char *node, const struct tls_handshake_owner *ops, void *owner);

// Takes over `fd`, which was accepted from `address`, even if it fails. 0 or -errno.
int tls_handshake_accept(struct tls_door *door, int fd, const char *address,
                         const struct tls_handshake_owner *ops, void *owner);

// How many are under way that were accepted from the machine that `address` names.
unsigned tls_handshakes_from(const struct tls_door *door, const char *address);

// Gives up; the owner hears no more of it. Takes NULL, returns NULL.
struct tls_handshake *tls_handshake_free(struct tls_handshake *handshake);
void tls_handshake_free_all(struct tls_door *door);

#endif
