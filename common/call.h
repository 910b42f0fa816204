// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client's connection to docad: one request, one answer, within a time limit. The library and
// docactl share this code; each has its own texts for failures.

#ifndef COMMON_CALL_H
#define COMMON_CALL_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

enum call_end {
    CALL_DONE,
    CALL_NO_SOCKET,   // this process cannot have a socket
    CALL_UNREACHABLE, // no process accepts connections at the path
    CALL_OTHER_USER,  // the process that does belongs to another user, so it is not docad
    CALL_NOT_SENT,    // too large, or memory is short; the connection is as it was
    CALL_UNREAD,      // memory is too short for the answer, although the reserve was given up
    CALL_TIMED_OUT,
    CALL_LOST,    // the connection has ended
    CALL_FOREIGN, // the received message does not belong to the protocol
};

struct call_line {
    int sock; // -1: closed
    uint64_t serial;
    uid_t server; // the user whose process listens
    int error;    // errno of the last failure; 0: the other side closed the connection
    // The receive buffer for answers. With `keeps_room` it stays allocated, so that a request that
    // releases something needs no memory: otherwise docad would keep the object as long as the
    // connection.
    struct message_room room;
    bool keeps_room;
};

// Connects to the socket at `path`, checks which user listens (server_user.h), and sends Hello. The
// caller owns docad's answer *hello, which may be an error, and the descriptors `fds` that came
// with it. For `retry_ms` it connects again if docad ends before it has answered, or refuses the
// connection without reading it.
enum call_end call_open(struct call_line *line, const char *path, bool tool, uint32_t timeout_ms,
                        uint32_t retry_ms, Docad__Message **hello, struct fd_list *fds);
void call_close(struct call_line *line); // may be closed already

// Sends the request, whose serial is filled in, and waits for its answer, which may be an error. If
// docad restarts in between, the request is repeated. Descriptors that came with the answer go to
// `fds`.
enum call_end call_exchange(struct call_line *line, Docad__Message *request, const int *send_fds,
                            size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                            struct fd_list *fds);

#endif
