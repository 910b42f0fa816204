// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The door of this node to other machines: it listens for their daemons, and dials them.

#ifndef DAEMON_TLS_DOOR_H
#define DAEMON_TLS_DOOR_H

#include "errtext.h"
#include "list.h"

#include <openssl/types.h>

struct evconnlistener;
struct evdns_base;
struct event_base;
struct tls_settings;
struct tls_transport;

// Called from the loop with a transport, which is the callee's.
typedef void (*tls_accepted_fn)(void *arg, struct tls_transport *tls);

// What all connections with other machines share.
struct tls_door {
    struct event_base *base;
    struct evdns_base *dns;
    struct evconnlistener *listener; // NULL if nobody dials us
    SSL_CTX *tls;
    struct list handshakes; // under way
    unsigned arriving;      // those of them that were accepted
    tls_accepted_fn accepted;
    void *arg;
};

// Reads the certificates and listens if `settings` says where.
doca_error_t tls_door_new(struct tls_door **out, struct event_base *base,
                          const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                          struct errtext *err);

// Reads the certificates again, for connections to come; which of those that are up have to end
// tls_transport_is_revoked() says then. On failure the old ones stay.
doca_error_t tls_door_reload(struct tls_door *door, const struct tls_settings *settings,
                             struct errtext *err);

// Handshakes end with it; all transports must have gone. Takes NULL, returns NULL.
struct tls_door *tls_door_free(struct tls_door *door);

#endif
