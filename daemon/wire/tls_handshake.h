// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How a connection to a daemon on another machine begins: docad resolves the address and connects,
// or accepts, and both sides check each other's certificate. The result is a transport.

#ifndef DAEMON_TLS_HANDSHAKE_H
#define DAEMON_TLS_HANDSHAKE_H

struct tls_endpoint;
struct tls_remote;
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
int tls_handshake_connect(struct tls_handshake **out, struct tls_endpoint *endpoint,
                          const char *address, const char *node,
                          const struct tls_handshake_owner *ops, void *owner);

// Takes over `fd`, which was accepted from `client`, even if it fails. 0 or -errno.
int tls_handshake_accept(struct tls_endpoint *endpoint, int fd, struct tls_remote *client,
                         const struct tls_handshake_owner *ops, void *owner);

// Cancels the handshake without calling the owner. Takes NULL, returns NULL.
struct tls_handshake *tls_handshake_free(struct tls_handshake *handshake);
void tls_handshake_free_all(struct tls_endpoint *endpoint);

#endif
