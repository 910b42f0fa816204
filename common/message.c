// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "message.h"

#include "cleanup.h"

#include <errno.h>

int message_send(int sock, const Docad__Message *message, const int *fds, size_t n_fds, int flags)
{
    size_t size = docad__message__get_packed_size(message);
    if (size > PACKET_SIZE_MAX)
        return -EMSGSIZE;
    cleanup_free uint8_t *buf = malloc(size ? size : 1);
    if (!buf)
        return -ENOMEM;
    docad__message__pack(message, buf);
    return packet_send(sock, buf, size, fds, n_fds, flags);
}

int message_recv(int sock, Docad__Message **message, struct fd_list *fds, int flags)
{
    cleanup_free uint8_t *buf = malloc(PACKET_SIZE_MAX);
    if (!buf)
        return -ENOMEM;
    ssize_t n = packet_recv(sock, buf, PACKET_SIZE_MAX, fds, flags);
    if (n <= 0)
        return (int)n;
    Docad__Message *m = docad__message__unpack(NULL, (size_t)n, buf);
    if (!m) {
        fd_list_close(fds);
        return -EPROTO;
    }
    *message = m;
    return 1;
}

void message_freep(Docad__Message **message)
{
    if (*message)
        docad__message__free_unpacked(*message, NULL);
    *message = NULL;
}
