// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A TLS connection to a daemon on another machine. Packets go through it in order, each
// behind its length in 4 bytes; file descriptors cannot. What a connection (connection.h)
// is made over is one end of a pair of sockets, at whose other end the link carries on.

#ifndef DAEMON_TLS_LINK_H
#define DAEMON_TLS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_link;
struct tls_links;

// Of a link that is on its way. Called from the loop, one of them, once.
struct tls_link_owner {
    // The other side's certificate is good. The owner makes a connection of the link, or
    // closes it.
    void (*ready)(void *owner, struct tls_link *link);
    // There is none with `address`; the link is gone.
    void (*failed)(void *owner, const char *address, const char *why);
};

// Dials HOST:PORT, which may be a name. `node`, if not empty, is what its certificate
// must name. 0 or -errno.
int tls_link_dial(struct tls_link **out, struct tls_links *links, const char *address,
                  const char *node, const struct tls_link_owner *ops, void *owner);

// Takes over `fd`, which was accepted from `address`, even if it fails.
int tls_link_accept(struct tls_link **out, struct tls_links *links, int fd, const char *address,
                    const struct tls_link_owner *ops, void *owner);

// Of those that were accepted and have not shown a certificate yet: from the machine that
// `address` names.
unsigned tls_link_count_arriving(const struct tls_links *links, const char *address);

// Carries packets between the other side and `fd`, which it takes over on success. When
// the other side has gone it closes `fd`. 0 or -errno.
int tls_link_start(struct tls_link *link, int fd);

// What was sent still goes out, for a moment; then it is gone. Takes NULL, returns NULL.
struct tls_link *tls_link_close(struct tls_link *link);

// Gone at once.
struct tls_link *tls_link_free(struct tls_link *link);
void tls_link_free_all(struct tls_links *links);

// Has its certificate been revoked, as far as this node knows now?
bool tls_link_is_revoked(const struct tls_link *link);

const char *tls_link_node(const struct tls_link *link);    // whom its certificate names
const char *tls_link_address(const struct tls_link *link); // where it is
size_t tls_link_own_address(const struct tls_link *link, uint8_t address[16]); // IPv4 or IPv6
const char *tls_link_why(const struct tls_link *link);                         // how it ended
bool tls_link_has_left(const struct tls_link *link); // the other side closed it; no network did

// Splits "HOST:PORT" or "[HOST]:PORT". False if it is none.
bool tls_address_split(const char *address, char *host, size_t size, unsigned short *port);

#endif
