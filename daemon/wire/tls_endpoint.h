// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The TLS endpoint of this node: it listens for daemons on other machines, and connects to them.

#ifndef DAEMON_TLS_ENDPOINT_H
#define DAEMON_TLS_ENDPOINT_H

#include "errtext.h"
#include "list.h"
#include "refusals.h"
#include "tls_settings.h"
#include "loop_sched.h"

#include <openssl/types.h>

struct evdns_base;
struct event_base;
struct listener;
struct tls_transport;

#define TLS_ARRIVING_MAX 64 // connections that have not shown a certificate yet

// Called from the loop with a transport, which the callee then owns.
typedef void (*tls_accepted_fn)(void *arg, struct tls_transport *tls);

// A machine that connects. Its handshakes take turns with those of other machines and with users: a
// signature takes longer than most requests. An attacker can use many addresses, so all of them are
// throttled as one group.
struct tls_remote {
    char address[TLS_ADDRESS_SIZE]; // of its latest connection
    unsigned handshakes;            // in progress
    uint64_t last;                  // the number of its latest connection, among all
    struct sched_user sched;
};

// Why connections were refused.
enum tls_refusal {
    TLS_REFUSED_TOO_MANY,  // too many others had not shown a certificate yet
    TLS_REFUSED_HANDSHAKE, // it failed: no TLS, no valid certificate, or a time-out
    TLS_REFUSALS,
};

// The state that all connections with other machines share.
struct tls_endpoint {
    struct event_base *base;
    struct evdns_base *dns;
    struct listener *listener; // NULL: this node does not listen
    struct sched *sched;       // NULL: none
    struct tls_remote clients[TLS_ARRIVING_MAX];
    struct sched_group client_group; // all clients
    uint64_t accepted_so_far;
    uint64_t refused[TLS_REFUSALS];
    struct refusals refusals; // by address
    SSL_CTX *tls;
    struct list handshakes; // handshakes in progress
    unsigned arriving;      // the number of those that were accepted
    tls_accepted_fn accepted;
    void *arg;
};

// Reads the certificates, and listens if `settings` has an address to listen at. `sched` may be
// NULL: handshakes then take no turns.
doca_error_t tls_endpoint_new(struct tls_endpoint **out, struct event_base *base,
                              struct sched *sched, const struct tls_settings *settings,
                              tls_accepted_fn accepted, void *arg, struct errtext *err);

// Reads the certificates again, for new connections. Afterwards tls_transport_is_revoked()
// returns whether an existing connection has to end. On failure the old certificates stay in
// use.
doca_error_t tls_endpoint_reload(struct tls_endpoint *endpoint, const struct tls_settings *settings,
                                 struct errtext *err);

// Ends all handshakes; all transports must have been closed before. Takes NULL, returns
// NULL.
struct tls_endpoint *tls_endpoint_free(struct tls_endpoint *endpoint);

#endif
