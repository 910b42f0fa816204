// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One socket to docad and the request that is in progress on it. Not thread-safe: the session
// serialises its requests, and a lookup has a connection of its own.

#ifndef CLIENT_CORE_CONNECTION_H
#define CLIENT_CORE_CONNECTION_H

#include "call.h"
#include "errtext.h"
#include "message.h"
#include "socket_path.h"

#include <stdbool.h>
#include <stdint.h>

// A daemon that takes longer to answer is considered hung.
#define CONNECTION_TIMEOUT_MS 10000

#define NO_DESCRIPTOR_LEFT "no descriptor is left for it; raise the limit of open files (ulimit -n)"

struct connection {
    struct call_line line;
    char path[SOCKET_PATH_MAX];
};

// Connects and sends Hello. The caller owns docad's answer *hello and the descriptors `fds` that
// came with it. DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_TIME_OUT, DOCA_ERROR_UNSUPPORTED_VERSION, or
// the error in docad's answer.
doca_error_t connection_open(struct connection *connection, bool tool, Docad__Message **hello,
                             struct fd_list *fds, struct errtext *err);
void connection_close(struct connection *connection); // may be closed already

// One request, one reply, as in session_call(). Sets *broken when the connection can no
// longer be used.
doca_error_t connection_call(struct connection *connection, Docad__Message *request,
                             const int *send_fds, size_t n_send_fds, int64_t timeout_ms,
                             Docad__Message **reply, struct fd_list *fds, bool *broken,
                             struct errtext *err);

#endif
