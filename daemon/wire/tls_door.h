// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The door of this node to other machines: it listens for their daemons, and dials them.

#ifndef DAEMON_TLS_DOOR_H
#define DAEMON_TLS_DOOR_H

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

// A machine that dials. Its handshakes take turns with those of other machines, and with everybody
// else: a signature takes longer than most requests. Addresses cost nothing, so all rest together.
struct tls_guest {
    char address[TLS_ADDRESS_SIZE]; // of its latest connection
    unsigned handshakes;            // under way
    uint64_t last;                  // the number of its latest connection, among all
    struct sched_user sched;
};

// Why machines that arrived were refused.
enum tls_refusal {
    TLS_REFUSED_CROWD,     // too many others had not shown a certificate yet
    TLS_REFUSED_HANDSHAKE, // it failed: no TLS, no good certificate, no answer in time
    TLS_REFUSALS,
};

// The state that all connections with other machines share.
struct tls_door {
    struct event_base *base;
    struct evdns_base *dns;
    struct listener *listener; // NULL if this node only dials
    struct sched *sched;       // NULL: none
    struct tls_guest guests[TLS_ARRIVING_MAX];
    struct sched_group strangers; // all guests
    uint64_t accepted_so_far;
    uint64_t refused[TLS_REFUSALS];
    struct refusals refusals; // by address
    SSL_CTX *tls;
    struct list handshakes; // handshakes under way
    unsigned arriving;      // the number of those that were accepted
    tls_accepted_fn accepted;
    void *arg;
};

// Reads the certificates, and listens if `settings` has an address to listen at.
// Whoever arrives is served in turns, unless `turns` is NULL.
doca_error_t tls_door_new(struct tls_door **out, struct event_base *base, struct sched *sched,
                          const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                          struct errtext *err);

// Reads the certificates again, for new connections. Afterwards tls_transport_is_revoked()
// tells which existing connections have to end. On failure the old certificates stay in
// use.
doca_error_t tls_door_reload(struct tls_door *door, const struct tls_settings *settings,
                             struct errtext *err);

// Ends all handshakes; all transports must have been closed before. Takes NULL, returns
// NULL.
struct tls_door *tls_door_free(struct tls_door *door);

#endif
