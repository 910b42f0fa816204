// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Helper processes. They make the calls with clients' descriptors that may block forever
// (received.h): a thread that blocks like that could not be killed, and docad could not end. A
// helper that hangs is abandoned, and ends when it can. Helpers have nothing of docad but a socket:
// they keep neither its sockets and locks, nor the next docad from starting.

#ifndef DAEMON_HELPER_H
#define DAEMON_HELPER_H

#include <stdbool.h>

// What docad sends to a helper: one byte, with one descriptor.
enum helper_order {
    HELPER_CLOSE = 'c', // close it after HELPER_GO: by then docad has closed its own, and this is
                        // the last one
    HELPER_GO = 'o',    // without a descriptor
    HELPER_INSPECT =
        'l', // check whether docad may receive the descriptors of this socket's next packet
    HELPER_TAKE = 't', // take the next packet of this socket
};

// What a helper sends.
enum helper_answer {
    HELPER_READY = 'r', // at the beginning
    HELPER_GOOD = 'g',  // the packet may be received
    HELPER_BAD = 'b',   // it was taken: closing what it brought could block, or HELPER_TAKE
    HELPER_MANY = 'm',  // it was taken: it brought more than PACKET_FDS_MAX
    HELPER_DONE = 'd',  // ready for the next order
};

// Forks the process from which all helpers are forked. Call it before there are threads, and
// again if that process has ended. The forked process has no other descriptors of this one.
// Returns false if it cannot be made.
bool helpers_start(void);

// Ends the helpers that do not hang, and abandons the others.
void helpers_stop(void);

// Ends the helpers if none of them hangs, and waits for their end, so that a service manager finds
// none left over. The sockets to them have been closed.
void helpers_end(void);

// Begins to make a helper and returns the socket to it, or -errno. The helper sends HELPER_READY
// when it may be used; the socket reaches its end if the helper has ended or could not be made.
int helper_new(void);

#endif
