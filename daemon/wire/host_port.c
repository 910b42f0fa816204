// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "host_port.h"

#include "number.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

bool host_port_split(const char *text, char *host, size_t size, unsigned short *port)
{
    const char *colon = strrchr(text, ':');
    uint64_t number;

    if (!colon || colon == text || !number_read(colon + 1, 10, UINT16_MAX, &number))
        return false;
    size_t length = (size_t)(colon - text);
    if (*text == '[' && colon[-1] == ']') {
        text++;
        length -= 2;
    } else if (memchr(text, ':', length)) {
        return false; // an IPv6 address needs its brackets
    }
    if (number == 0 || length == 0 || length >= size)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    *port = (unsigned short)number;
    return true;
}

void host_port_format(const struct sockaddr *address, size_t size, char *out, size_t out_size)
{
    char host[128], port[16];
    if (getnameinfo(address, (socklen_t)size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(out, out_size, "unknown");
    else
        snprintf(out, out_size, address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

size_t host_port_host_length(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon ? (size_t)(colon - text) : strlen(text);
}

bool host_port_same_host(const char *a, const char *b)
{
    size_t length = host_port_host_length(a);
    return host_port_host_length(b) == length && memcmp(a, b, length) == 0;
}
