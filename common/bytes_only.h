// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Unix sockets between processes that do not trust each other, and that exchange bytes only.
// Whoever receives a descriptor may have to wait when it closes it, for as long as the process
// that sent it likes. Kernels since 6.16 refuse to pass descriptors to a socket that does not want
// them (SO_PASSRIGHTS). On older kernels they arrive: then the sender has broken the rules, and
// the receiver drops the connection.

#ifndef COMMON_BYTES_ONLY_H
#define COMMON_BYTES_ONLY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// As socketpair(AF_UNIX, type, 0, pair), for two ends that take bytes only. Types as there.
int bytes_only_pair(int type, int pair[2]);

// Makes this end take bytes only from now on; what was sent before still arrives. False if the
// kernel does not know how.
bool bytes_only_set(int sock);

// Whether this end takes bytes only. If nobody but docad and this process has ever held it, no
// descriptor can wait there.
bool bytes_only(int sock);

// As recv(2), but without the kernel closing descriptors in the calling thread. If descriptors
// arrived, it disposes of them by fd_list_close_one() of packet.h, and fails with EBADMSG.
ssize_t bytes_recv(int sock, void *data, size_t size, int flags);

// Reads and drops everything. False if the other side has closed its end, or sent descriptors.
bool bytes_drain(int sock);

#endif
