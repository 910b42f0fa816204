// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "transport.h"

#include "cleanup.h"
#include "closer.h"

#include <errno.h>
#include <sys/socket.h>

static int send_packet(struct transport *t, const void *data, size_t size, const int *fds,
                       size_t n_fds)
{
    return packet_send(t->fd, data, size, fds, n_fds, MSG_DONTWAIT);
}

static int receive(struct transport *t, Docad__Message **message, struct fd_list *fds)
{
    if (!t->looked && closer_fd() >= 0)
        return message_recv_plain(t->fd, message, MSG_DONTWAIT);
    t->looked = false;
    return message_recv(t->fd, message, fds, MSG_DONTWAIT);
}

static void end(struct transport *t)
{
    closer_end(t->fd, t->credentials.account);
    free(t);
}

int unix_transport_new(struct transport **out, int fd)
{
    static const struct transport_ops ops = {.send = send_packet, .receive = receive, .close = end};
    struct transport *t = calloc(1, sizeof(*t));
    int r = t ? credentials_of_socket(fd, &t->credentials, &t->pid) : -ENOMEM;
    if (r < 0) {
        closer_end(fd, CLOSER_NOBODY);
        free(t);
        return r;
    }
    t->ops = &ops;
    t->fd = fd;
    t->carries_descriptors = true;
    *out = t;
    return 0;
}

struct transport *transport_close(struct transport *t)
{
    if (t)
        t->ops->close(t);
    return NULL;
}
