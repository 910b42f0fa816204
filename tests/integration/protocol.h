// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Raw clients and raw linked nodes: they say to a daemon whatever a test wants, good or
// bad, field by field.

#ifndef INTEGRATION_PROTOCOL_H
#define INTEGRATION_PROTOCOL_H

#include "daemon.h"
#include "export_desc.h"
#include "queue_pair.h"
#include "request.h"
#include "run.h"
#include "state_table.h"

#include <doca_types.h>

// The result of a Hello.
struct raw_session {
    int sock;
    uint64_t id;
    uint8_t node[NODE_ID_SIZE];
    const struct state_table *states;
};

// Connects and says Hello as a program.
struct raw_session session_start(const struct daemon *daemon);
// A session without what that one maps, of which there may be thousands: its socket.
int session_connect(const struct daemon *daemon, const char *program);
void session_end(struct raw_session *session);

// Sends one request and returns its code: DOCA_SUCCESS unless the reply is an Error. The reply
// (or the text of an Error) is in `answer` until the next call, its descriptors in `answer_fds`.
extern Docad__Message *answer;
extern struct fd_list answer_fds;
doca_error_t call(int sock, Docad__Message__BodyCase body, const void *payload);
doca_error_t call_with_fds(int sock, Docad__Message__BodyCase body, const void *payload,
                           const int *fds, size_t n_fds);
void answer_drop(void);
// Fails the test, with `what`, unless the code is the expected one.
void assert_refused(doca_error_t r, doca_error_t expected, const char *what);
// Waits until the session sees this state.
void wait_state(const struct raw_session *s, uint32_t slot, uint64_t id, enum slot_state state);

// Sends without waiting for the answer; returns the serial.
uint64_t post(int sock, Docad__Message__BodyCase body, const void *payload);
// Sends a message as it is.
void post_raw(int sock, uint64_t serial, Docad__Message__BodyCase body, const void *payload,
              const int *fds, size_t n_fds);
// Stores the next message of any kind in `answer`.
void receive_any(int sock);

// Returns the id of the function with this name; the second one opens it, too.
uint32_t find_function(int sock, const char *name);
uint32_t open_function(int sock, const char *name);

// Registers [address, address+length) as one brokered segment.
uint64_t register_brokered(int sock, const void *address, size_t length, uint32_t access,
                           uint32_t function);
// Registers a memory file of this size as the only segment, mapped.
uint64_t register_mapped(int sock, size_t size, uint32_t access, uint32_t function);

// Exports; the descriptor stays in `answer`. Returns the export's id.
uint64_t make_export(int sock, uint64_t region, uint32_t function, Docad__ExportTarget target);

// The same with the descriptor copied out.
struct descriptor {
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
    size_t size;
};
struct descriptor export_to(int sock, uint64_t region, uint32_t function,
                            Docad__ExportTarget target);

doca_error_t import_on(int sock, const struct descriptor *d, uint32_t function);
doca_error_t publish(int sock, const char *name, const struct descriptor *d);
doca_error_t unpublish(int sock, const char *name);
doca_error_t lookup(int sock, const char *name, uint32_t timeout_ms);

// Returns the number of descriptors that the daemon's process has open.
unsigned daemon_descriptors(const struct daemon *daemon);

// The least of a while: without those that it has just handed to a helper process to close.
unsigned daemon_settled_descriptors(const struct daemon *daemon);

// Waits until the daemon has this many descriptors: those that a closed connection held are
// closed a moment later.
void daemon_wait_descriptors(const struct daemon *daemon, unsigned n);

// Makes a queue pair to the engine of a node, without the library.
struct qp_client raw_queue_pair(const struct raw_session *session, const uint8_t *node);
// Takes the queue pair that `answer` has brought.
struct qp_client raw_queue_pair_take(void);
// Sends one request through it and returns its status. The data area then begins with the bytes
// that were read.
uint32_t raw_request(struct qp_client *qp, const struct qp_request *request);
uint32_t raw_move(struct qp_client *qp, uint32_t opcode, uint64_t address, uint32_t length,
                  uint32_t key);

// Listens as a DPU on the representor of a host's function, by its PCI address. Returns the
// service's id.
uint64_t raw_listen(int sock, const char *name, const char *of, int *accept_sock);

// ---- a linked node that is none ----------------------------------------------------------

extern const uint8_t fake_node[NODE_ID_SIZE];

// Links to the daemon as a host with one PF on port 0 and PCI address 0000:99:00.0.
int fake_link(const struct daemon *daemon);
// Sends PeerHello with these fields and returns its code. `answer` has the reply.
doca_error_t fake_hello(int sock, const Docad__PeerHello *hello);
Docad__PeerHello fake_hello_fields(void);

// Tells the daemon that this test's user has published a name on the fake node.
void fake_publish(int link, const char *name, const struct descriptor *d);

// Makes a descriptor of an export of the fake node.
struct descriptor fake_descriptor(uint64_t export_id);

#endif
