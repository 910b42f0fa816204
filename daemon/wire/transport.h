// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The layer below a connection (connection.h): a socket that keeps packets whole and in
// order, over any medium. No function here waits.

#ifndef DAEMON_TRANSPORT_H
#define DAEMON_TRANSPORT_H

#include "credentials.h"
#include "message.h"
#include "piece.h"

#include <stdbool.h>

struct transport;

struct transport_ops {
    // Sends one packet. 0: it was sent, or is kept for flush(). -EAGAIN, -ENOBUFS: try again when
    // the socket accepts more; -ETOOMANYREFS: try again after a while, no event reports it. Any
    // other failure is the end; -EPIPE and -ECONNRESET mean that the other side has disconnected.
    // The caller keeps the descriptors.
    int (*send)(struct transport *transport, const void *data, size_t size, const int *fds,
                size_t n_fds);
    // Returns room for a packet of `size` bytes without descriptors. The caller fills it and then
    // calls filled(), for flush() to send. NULL: none before flush() has written what is kept. Both
    // members are NULL if the transport keeps nothing.
    uint8_t *(*room)(struct transport *transport, size_t size);
    void (*filled)(struct transport *transport, size_t size);
    // Writes what send() has kept. 0: all of it was written; otherwise like send(). NULL:
    // the transport keeps nothing.
    int (*flush)(struct transport *transport);
    // Receives one message, like message_recv(). A transport that keeps packets calls place() to
    // find where the data of a long piece goes, which is then not in the message.
    // PACKET_BRINGS_FDS: a helper has to inspect the next packet (fd_reaper.h) and to find it good
    // (`inspected`) before it is received; *message shows it, as message_recv_plain(). -EMFILE:
    // docad has no room for the descriptors of a packet that was found good, and leaves it in the
    // socket.
    int (*receive)(struct transport *transport, Docad__Message **message, struct fd_list *fds);
    // Writes as much as it still can and frees the transport.
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_ops *ops;
    int fd;                   // readable for receive(), writable for send()
    bool carries_descriptors; // false between machines
    bool inspected;           // set for one packet
    bool has_kept;            // flush() has something to do
    bool reads_ahead;         // receive() reads more from the socket than it returns:
    bool has_more;            // and still holds some of it, which no event announces
    // NULL, or returns where to write the rest of a piece's data; NULL: it is not used any more, or
    // belongs into the message, if none of it was read yet.
    void *(*place)(void *owner, const struct piece *rest);
    void *owner;
    struct credentials credentials; // of the other side; docad's own if that is another machine
    pid_t pid;
    char why[192]; // why it ended; empty: closed by the other side
};

// A transport over a Unix socket of packets. Takes over `fd`, even if it fails. 0 or
// -errno.
int unix_transport_new(struct transport **out, int fd);

// Takes NULL, returns NULL.
struct transport *transport_close(struct transport *transport);

#endif
