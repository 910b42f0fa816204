// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The transport to a daemon on another machine: TLS over TCP. It carries packets in order,
// each preceded by its length in 4 bytes; it cannot carry file descriptors.

#ifndef DAEMON_TLS_TRANSPORT_H
#define DAEMON_TLS_TRANSPORT_H

#include "transport.h"

#include <openssl/types.h>

struct tls_endpoint;
struct tls_transport;

// Takes over `ssl`, whose handshake is complete, and its socket on success. `node` is the
// node that the other side's certificate names. 0 or -errno.
int tls_transport_new(struct tls_transport **out, struct tls_endpoint *endpoint, SSL *ssl,
                      const char *node, const char *address);

struct transport *tls_transport_base(struct tls_transport *tls);
struct tls_transport *tls_transport_of(struct transport *transport); // NULL if it is of another
                                                                     // kind

// Returns whether the other side's certificate is on this node's revocation list.
bool tls_transport_is_revoked(const struct tls_transport *tls);

// When the other side's certificate expires: seconds since 1970.
int64_t tls_transport_expires_s(const struct tls_transport *tls);

const char *tls_transport_node(const struct tls_transport *tls);    // the node that its certificate
                                                                    // names
const char *tls_transport_address(const struct tls_transport *tls); // the other side's address
// Gets this side's address, IPv4 or IPv6. Returns its size; 0 if there is none.
size_t tls_transport_own_address(const struct tls_transport *tls, uint8_t address[16]);

#endif
