// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The door of this node to other machines: it listens for their daemons, and dials them.

#ifndef DAEMON_TLS_LINKS_H
#define DAEMON_TLS_LINKS_H

#include "errtext.h"
#include "list.h"
#include "tls_link.h"

#include <openssl/types.h>

struct evconnlistener;
struct evdns_base;
struct event_base;
struct tls_settings;

// Called from the loop with a link that is ready; the callee makes a connection of it or
// closes it.
typedef void (*tls_accepted_fn)(void *arg, struct tls_link *link);

// What all links of a node share.
struct tls_links {
    struct event_base *base;
    struct evdns_base *dns;
    struct evconnlistener *listener; // NULL if nobody dials us
    SSL_CTX *tls;
    struct list list;
    unsigned arriving; // accepted, and not ready yet
    tls_accepted_fn accepted;
    void *arg;
};

// Reads the certificates and listens if `settings` says where.
doca_error_t tls_links_new(struct tls_links **out, struct event_base *base,
                           const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                           struct errtext *err);

// Reads the certificates again, for links to come; which of those that are up have to end
// tls_link_is_revoked() says then. On failure the old ones stay.
doca_error_t tls_links_reload(struct tls_links *links, const struct tls_settings *settings,
                              struct errtext *err);

// All links end at once. Takes NULL, returns NULL.
struct tls_links *tls_links_free(struct tls_links *links);

#endif
