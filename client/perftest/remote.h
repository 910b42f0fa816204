// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Between a client and `doca-perftest server`, over TCP: the client's requests, and the data that
// programs exchange themselves (export descriptors, connection details, counts). Numbers are
// little-endian. Input is checked: any host may connect.

#ifndef PERFTEST_REMOTE_H
#define PERFTEST_REMOTE_H

#include "memory.h"
#include "problem.h"

#include <doca_docad.h>

#include <stdint.h>

#define REMOTE_PORT       "18515" // as perftest
#define REMOTE_BYTES_MAX  (2ull << 30)
#define REMOTE_SILENCE_MS 10000 // until the request, or an answer, must have come

enum remote_kind { REMOTE_EXPORT, REMOTE_RDMA, REMOTE_DUET, N_REMOTE_KINDS };

struct remote_request {
    enum remote_kind kind;
    uint32_t what; // an enum rdma_test or duet_means
    uint64_t size; // of the memory, of a job, or of a message
    uint32_t depth;
    enum memory_kind memory;
};

// An export descriptor, and where the memory is.
struct remote_export {
    uint64_t address;
    uint32_t len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

// Receives all of it, or returns false. With a limit, it must arrive within `ms` ms; -1: none.
bool remote_send(int fd, const void *data, size_t size);
bool remote_recv(int fd, void *data, size_t size, int limit_ms);

// The client: connects to HOST[:PORT], and requests a server process for its test. From then on a
// thread ends this process when the server's end is closed, or when its machine does not answer.
bool remote_open(int *fd, const char *server, const struct remote_request *request,
                 struct problem *problem);
bool remote_recv_export(int fd, struct remote_export *out, struct problem *problem);

// The server's process for a client: receives the request, and answers whether it can be served.
bool remote_take(int fd, struct remote_request *request);
bool remote_answer(int fd, bool ok, const struct problem *problem);
bool remote_send_export(int fd, uint64_t address, const void *desc, size_t len);

// Ends this process some seconds after the other side has closed its end, if it is still there: a
// measurement may wait for something that never comes. `problem` then has a text.
void remote_watch(int fd, struct problem *problem);

// Sends the end to the other side, and closes. Does nothing with -1.
void remote_close(int fd);

// Sets the options by which a connection detects that the other machine is gone, and sends without
// delay.
void remote_tune(int fd);

#endif
