// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a connection (connection.h) goes over: a socket that keeps packets whole and in order,
// whatever is on the way. None of this waits.

#ifndef DAEMON_TRANSPORT_H
#define DAEMON_TRANSPORT_H

#include "credentials.h"
#include "message.h"

#include <stdbool.h>

struct transport;

struct transport_ops {
    // One packet. 0: it is on its way, or kept for flush(). -EAGAIN, -ENOBUFS: not until the
    // socket takes more; -ETOOMANYREFS: not for a while, which no event ends. Any other failure
    // is the end; -EPIPE and -ECONNRESET say that the other side has gone. The descriptors stay
    // the caller's.
    int (*send)(struct transport *transport, const void *data, size_t size, const int *fds,
                size_t n_fds);
    // Writes what send() has kept. 0: all of it is gone; otherwise as send(). NULL: it keeps
    // nothing.
    int (*flush)(struct transport *transport);
    // One message, as message_recv().
    int (*receive)(struct transport *transport, Docad__Message **message, struct fd_list *fds);
    // Writes what it still can, and frees the transport.
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_ops *ops;
    int fd;                         // readable when receive(), writable when send() may go on
    bool carries_descriptors;       // across machines there are none
    bool has_kept;                  // flush() has something to do
    bool reads_ahead;               // receive() takes more off the socket than it returns:
    bool has_more;                  // and has it still, which no event announces
    struct credentials credentials; // who is there; docad itself stands for another machine
    pid_t pid;
    char why[192]; // how it ended; empty: closed by the other side
};

// Over a Unix socket that keeps packets apart. Takes `fd` over, even if it fails. 0
// or -errno.
int unix_transport_new(struct transport **out, int fd);

// Takes NULL, returns NULL.
struct transport *transport_close(struct transport *transport);

#endif
