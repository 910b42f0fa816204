// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Unix sockets between processes that do not trust each other and exchange only bytes. A process
// that receives a descriptor may have to wait when it closes it, for as long as the sender likes.
// Kernels since 6.16 refuse to pass descriptors to a socket that does not accept them
// (SO_PASSRIGHTS). On older kernels they arrive: the sender has then violated the protocol, and the
// receiver drops the connection.

#ifndef COMMON_BYTES_ONLY_H
#define COMMON_BYTES_ONLY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Like socketpair(AF_UNIX, type, 0, pair), for two ends that accept only bytes.
int bytes_only_pair(int type, int pair[2]);

// Makes this end accept only bytes from now on; what was sent before still arrives. Returns false
// if the kernel does not support that.
bool bytes_only_set(int sock);

// Returns whether this end accepts only bytes. If only docad and this process have ever held it,
// its queue cannot contain a descriptor.
bool bytes_only(int sock);

// Like recv(2), but the kernel closes no descriptors in the calling thread. If descriptors arrived,
// it closes them by fd_list_close_one() of packet.h, and fails with EBADMSG.
ssize_t bytes_recv(int sock, void *data, size_t size, int flags);

// Reads and drops everything. Returns false if the other side has closed its end, or sent
// descriptors.
bool bytes_drain(int sock);

#endif
