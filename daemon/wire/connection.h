// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One connection, over any transport: messages in, messages out, never waiting. Output that
// the other side has not read yet is queued, up to a limit; then the connection is dropped.

#ifndef DAEMON_CONNECTION_H
#define DAEMON_CONNECTION_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct connection;
struct credentials;
struct event_base;
struct piece;
struct tls_transport;
struct transport;
struct sched_user;
struct sched;

struct connection_owner {
    // Called for each message. Descriptors left in `fds` are closed afterwards. If docad had no
    // room for them (`fds->no_room`), only this message fails. The owner must not free this
    // connection here, but may drop it.
    void (*message)(void *owner, const Docad__Message *message, struct fd_list *fds);
    // The connection has ended; `why` is the reason. The owner frees the connection. Called from
    // the loop, never from within another function of this interface.
    void (*closed)(void *owner, const char *why);
    // Queued output has been sent, or there is room again for connection_room(); may be NULL.
    // Called from the loop as well.
    void (*drained)(void *owner);
    // Returns where to write the rest of a piece's data (piece.h): the message comes without it
    // then. NULL: nowhere. May be NULL.
    void *(*place)(void *owner, const struct piece *rest);
};

// Makes a connection over a Unix socket, or over any transport. It owns the socket or
// transport from now on, even if it fails. 0 or -errno.
int connection_new(struct connection **out, struct event_base *base, int fd, uint64_t output_max);
int connection_new_over(struct connection **out, struct event_base *base,
                        struct transport *transport, uint64_t output_max);
struct connection *connection_free(struct connection *c); // takes NULL, returns NULL

// The transport to another machine; NULL if the other side is a process of this one.
struct tls_transport *connection_remote(const struct connection *c);

// Sets the owner, which gets all messages from now on.
void connection_set_owner(struct connection *c, const struct connection_owner *ops, void *owner);
// From now on the scheduler of the loop calls the connection's reads and sends as work of this user
// (loop_sched.h). The user must outlive the connection, or be replaced. `sched` may be NULL: the
// connection then reads and sends when its socket is ready.
void connection_set_sched(struct connection *c, struct sched *sched, struct sched_user *user);
void connection_set_output_max(struct connection *c, uint64_t output_max);

// Sends or queues a message; the caller keeps the descriptors. Returns 0, -EMSGSIZE for a
// message that is too large for a packet, or -EOPNOTSUPP for descriptors to another
// machine. Any other failure drops the connection.
int connection_send(struct connection *c, const Docad__Message *message, const int *fds,
                    size_t n_fds);

// Returns whether connection_room() can ever return some.
bool connection_has_room(const struct connection *c);

// Returns room for a message of `size` bytes in the output buffer. The caller packs the message and
// then calls connection_filled(); if it does not call it, nothing is sent. NULL: there is no room
// now; try again when drained() is called.
uint8_t *connection_room(struct connection *c, size_t size);
void connection_filled(struct connection *c, size_t size);

// Returns whether connection_room() returned none, and drained() was not called since.
bool connection_waits(const struct connection *c);

// Receives and sends nothing more; closed() is called soon.
void connection_drop(struct connection *c, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

// The same after the queued output has been sent, or a second has passed.
void connection_finish(struct connection *c, const char *why);

// Returns whether the other side simply disconnected. For closed(), where that is no reason for a
// warning.
bool connection_was_left(const struct connection *c);

// The number of bytes that wait until the transport accepts them.
uint64_t connection_queued(const struct connection *c);

// The total number of bytes that were queued and have since left the queue.
uint64_t connection_gone(const struct connection *c);

// The process at the other end; docad itself if the other end is on another machine. Valid
// until the connection is freed.
const struct credentials *connection_credentials(const struct connection *c);
int connection_fd(const struct connection *c);
uid_t connection_uid(const struct connection *c);
uid_t connection_account(const struct connection *c); // account.h
pid_t connection_pid(const struct connection *c);

#endif
