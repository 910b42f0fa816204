// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The process's connection to docad: one socket for control calls, and the state
// table that docad shares with it.
//
// Reference-counted and thread-safe: calls of several threads are serialised. A session whose
// daemon has ended stays broken for the objects that hold it; the next session_get() makes a new
// one. After fork() a child never uses its parent's session.

#ifndef CLIENT_CORE_SESSION_H
#define CLIENT_CORE_SESSION_H

#include "activity.h"
#include "errtext.h"
#include "message.h"
#include "state_table.h"

#include <stdbool.h>

struct session;

// Returns a reference to the session of this process, and connects if there is none.
// DOCA_ERROR_NOT_CONNECTED if no docad answers (immediately; the text has the socket and the
// remedy), DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_NO_MEMORY.
doca_error_t session_get(struct session **out, struct errtext *err);

struct session *session_ref(struct session *session);
struct session *session_unref(struct session *session); // takes NULL, returns NULL

// Sends one request and receives one reply. Sets the serial of `request`. A reply that is an Error
// becomes its code, with docad's text in `err`. On success the caller owns *reply and the
// descriptors in `fds` (either pointer may be NULL: then its part is dropped).
// DOCA_ERROR_NOT_CONNECTED once the daemon has ended.
doca_error_t session_call(struct session *session, Docad__Message *request, const int *send_fds,
                          size_t n_send_fds, Docad__Message **reply, struct fd_list *fds,
                          struct errtext *err);

const struct state_table *session_state_table(const struct session *session);
bool session_on_dpu(const struct session *session);         // the daemon is a DPU's
const uint8_t *session_node(const struct session *session); // NODE_ID_SIZE bytes

// Jobs of more bytes may be copied by docad's engine; none if UINT64_MAX.
uint64_t session_copies_over(const struct session *session);

// The most worker threads that docad's configuration allows; UINT32_MAX: it sets no limit.
uint32_t session_workers(const struct session *session);

// Returns a slot of the session's activity page, see common/activity.h, for one thread at a time.
// The first call requests the page from docad. DOCA_ERROR_NO_MEMORY if all are taken.
doca_error_t session_activity_take(struct session *session, struct activity_slot **out,
                                   struct errtext *err);
void session_activity_put(struct session *session, struct activity_slot *slot);

// Returns a slot on the same page for the counts of a context on one work queue, see
// common/work_stats.h; NULL if this library has no more slots.
struct work_stats *session_stats_take(struct session *session, enum work_library library,
                                      uint32_t depth);
void session_stats_put(struct work_stats *stats); // takes NULL

// Returns whether docad has this process's /proc/self/mem. It is needed once for each session.
bool session_memory_given(const struct session *session);
void session_set_memory_given(struct session *session);

// Returns whether the daemon is still there. Makes a system call: for the slow path of a
// wait.
bool session_alive(struct session *session);
// A thread that sleeps waits for EPOLLRDHUP of this descriptor, and for nothing else.
int session_end_fd(const struct session *session);

#endif
