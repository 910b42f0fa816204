// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sockets that listen for HTTP: from a service manager, or for given addresses.

#ifndef EXPORTER_LISTEN_H
#define EXPORTER_LISTEN_H

// HOST:PORT, [IPv6]:PORT, :PORT for all addresses, or unix:PATH. -1 after a message to standard
// error.
int listen_on(const char *address);

// The sockets that the service manager has opened: their number, at most `max`. -1 after a message
// to standard error.
int listen_inherited(int *fds, int max);

#endif
