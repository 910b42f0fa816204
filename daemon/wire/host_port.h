// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A network address as text: "HOST:PORT", or "[HOST]:PORT" for an IPv6 address.

#ifndef DAEMON_HOST_PORT_H
#define DAEMON_HOST_PORT_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr;

// Splits an address into its two parts. Returns false if the text is not such an address; then
// nothing is written.
bool host_port_split(const char *text, char *host, size_t size, unsigned short *port);

// Formats an address in numbers; "unknown" if that is not possible.
void host_port_format(const struct sockaddr *address, size_t size, char *out, size_t out_size);

// Returns the length of the host in "HOST:PORT".
size_t host_port_host_length(const char *text);

// Returns whether two addresses name the same host.
bool host_port_same_host(const char *a, const char *b);

#endif
