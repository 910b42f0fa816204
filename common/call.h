// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client's connection to docad: one request, one answer, within a time limit. The library
// and docactl have this in common; each has its own words for what fails.

#ifndef COMMON_CALL_H
#define COMMON_CALL_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

enum call_end {
    CALL_DONE,
    CALL_NO_SOCKET,   // this process gets none
    CALL_UNREACHABLE, // nobody takes connections there
    CALL_NOT_SENT,    // too large, or memory is short; the connection is as it was
    CALL_TIMED_OUT,
    CALL_LOST,    // the connection has ended
    CALL_FOREIGN, // what came does not belong to the protocol
};

struct call_line {
    int sock; // -1: closed
    uint64_t serial;
    int error; // errno of the last failure; 0: the other side closed the connection
};

// Connects to the socket at `path` and says hello; *hello is what docad answers, which may be
// an error, and `fds` what came with it, both the caller's. For `retry_ms` a docad that ends
// before it has answered is followed by another one, perhaps, which is asked in its place.
enum call_end call_open(struct call_line *line, const char *path, bool tool, uint32_t timeout_ms,
                        uint32_t retry_ms, Docad__Message **hello, struct fd_list *fds);
void call_close(struct call_line *line); // may be closed already

// Sends the request, whose serial is filled in, and waits for its answer, which may be an
// error; a docad that was restarted meanwhile is asked again. What came with it goes to `fds`.
enum call_end call_exchange(struct call_line *line, Docad__Message *request, const int *send_fds,
                            size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                            struct fd_list *fds);

#endif
