// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The process's connection to docad: one socket for control calls, and the state
// table that docad shares with it.
//
// Reference-counted and thread-safe: calls of several threads take turns. A session
// whose daemon has gone stays broken for the objects that hold it; the next
// session_get() makes a new one. A child after fork() never uses its parent's.

#ifndef CLIENT_CORE_SESSION_H
#define CLIENT_CORE_SESSION_H

#include "activity.h"
#include "errtext.h"
#include "message.h"
#include "state_table.h"

#include <stdbool.h>

struct session;

// The session of this process, connecting if there is none. The caller gets a
// reference. DOCA_ERROR_NOT_CONNECTED if no docad answers (at once; the text names
// the socket and what to do), DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_NO_MEMORY.
doca_error_t session_get(struct session **out, struct errtext *err);

struct session *session_ref(struct session *session);
struct session *session_unref(struct session *session); // takes NULL, returns NULL

// One request, one reply. Gives `request` a serial. A reply that is an Error becomes
// its code, with docad's text in `err`. On success the caller owns *reply and what is
// in `fds` (either may be NULL: then it is dropped). DOCA_ERROR_NOT_CONNECTED once
// the daemon has gone.
doca_error_t session_call(struct session *session, Docad__Message *request, const int *send_fds,
                          size_t n_send_fds, Docad__Message **reply, struct fd_list *fds,
                          struct errtext *err);

const struct state_table *session_state_table(const struct session *session);
const uint8_t *session_node(const struct session *session); // NODE_ID_SIZE bytes

// Jobs of more bytes may be handed to docad's engine; UINT64_MAX: none.
uint64_t session_copies_over(const struct session *session);

// A place on the session's activity page, see common/activity.h, for one thread at a
// time. DOCA_ERROR_NO_MEMORY if all are taken.
doca_error_t session_activity_take(struct session *session, struct activity_slot **out,
                                   struct errtext *err);
void session_activity_put(struct session *session, struct activity_slot *slot);

// A place on the same page for what a context counts on one work queue, see
// common/work_stats.h; NULL if none is free that this library may have.
struct work_stats *session_stats_take(struct session *session, enum work_library library,
                                      uint32_t depth);
void session_stats_put(struct work_stats *stats); // takes NULL

// Does docad have this process's /proc/self/mem? Once is enough for a session.
bool session_memory_given(const struct session *session);
void session_set_memory_given(struct session *session);

// Is the daemon still there? A system call: for the slow path of a wait.
bool session_alive(struct session *session);
// Who sleeps waits for EPOLLRDHUP of this descriptor, and for nothing else.
int session_end_fd(const struct session *session);

#endif
