// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a connection to a daemon on another machine begins: its address is looked up and
// dialled, or it is accepted, and each side shows the other its certificate. The result is
// a transport.

#ifndef DAEMON_TLS_HANDSHAKE_H
#define DAEMON_TLS_HANDSHAKE_H

struct tls_door;
struct tls_guest;
struct tls_handshake;
struct tls_transport;

// One of these is called, once, from the loop; the handshake has been freed by then.
struct tls_handshake_owner {
    // The other side's certificate is good. The owner owns the transport.
    void (*ready)(void *owner, struct tls_transport *tls);
    // No connection to `address` could be made.
    void (*failed)(void *owner, const char *address, const char *why);
};

// Dials HOST:PORT; HOST may be a name. The certificate must name `node`, if that is not
// empty. 0 or -errno.
int tls_handshake_dial(struct tls_handshake **out, struct tls_door *door, const char *address,
                       const char *node, const struct tls_handshake_owner *ops, void *owner);

// Takes over `fd`, which was accepted from `guest`, even if it fails. 0 or -errno.
int tls_handshake_accept(struct tls_door *door, int fd, struct tls_guest *guest,
                         const struct tls_handshake_owner *ops, void *owner);

// Gives up without calling the owner. Takes NULL, returns NULL.
struct tls_handshake *tls_handshake_free(struct tls_handshake *handshake);
void tls_handshake_free_all(struct tls_door *door);

#endif
