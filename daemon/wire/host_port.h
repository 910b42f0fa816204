// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Where something is in a network, as text: "HOST:PORT", or "[HOST]:PORT" for an IPv6 address.

#ifndef DAEMON_HOST_PORT_H
#define DAEMON_HOST_PORT_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr;

// The two parts. False if the text is not such an address; then nothing is written.
bool host_port_split(const char *text, char *host, size_t size, unsigned short *port);

// The numbers of an address, "unknown" if it has none.
void host_port_format(const struct sockaddr *address, size_t size, char *out, size_t out_size);

// Do two name the same host?
bool host_port_same_host(const char *a, const char *b);

#endif
