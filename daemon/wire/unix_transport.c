// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "transport.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "in_flight.h"

#include <errno.h>
#include <sys/socket.h>

struct unix_transport {
    struct transport base;
    struct in_flight in_flight;
};

static int send_packet(struct transport *t, const void *data, size_t size, const int *fds,
                       size_t n_fds)
{
    struct unix_transport *u = container_of(t, struct unix_transport, base);

    if (n_fds > 0 && !in_flight_take(&u->in_flight, (unsigned)n_fds))
        return -ETOOMANYREFS; // as the kernel returns if all users together have too many
    int r = packet_send(t->fd, data, size, fds, n_fds, MSG_DONTWAIT);
    if (n_fds > 0 && r < 0)
        in_flight_give(&u->in_flight, (unsigned)n_fds);
    return r;
}

static int receive(struct transport *t, Docad__Message **message, struct fd_list *fds)
{
    if (fd_reaper_fd() < 0)
        return message_recv(t->fd, message, fds, MSG_DONTWAIT);
    if (!t->inspected)
        return message_recv_plain(t->fd, message, MSG_DONTWAIT);
    t->inspected = false;
    // Copies first: if a packet has more descriptors than there is room for, the kernel would close
    // the rest here, and docad would wait for that.
    int r = message_recv(t->fd, message, fds, MSG_DONTWAIT | MSG_PEEK);
    if (r == 1)
        packet_drop(t->fd);
    return r == -EBADMSG ? -EMFILE : r;
}

static void end(struct transport *t)
{
    struct unix_transport *u = container_of(t, struct unix_transport, base);

    in_flight_fini(&u->in_flight);
    fd_reaper_close_socket(t->fd, t->credentials.account);
    free(u);
}

int unix_transport_new(struct transport **out, int fd)
{
    static const struct transport_ops ops = {.send = send_packet, .receive = receive, .close = end};
    struct unix_transport *u = calloc(1, sizeof(*u));
    struct transport *t = u ? &u->base : NULL;
    int r = u ? credentials_of_socket(fd, &t->credentials, &t->pid) : -ENOMEM;
    if (r == 0)
        r = in_flight_init(&u->in_flight, fd, t->credentials.account);
    if (r < 0) {
        fd_reaper_close_socket(fd, FD_REAPER_NO_UID);
        free(u);
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
