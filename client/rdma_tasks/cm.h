// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address: the connection manager (CM).
//
// On ibverbs devices it is librdmacm's, see cm_device.h. On software functions it is docad:
//
// A listener is a port of a PCI function; docad registers it, and passes calls to it. A call is a
// socket between the two programs:
//
//     caller                                  listener
//     doca_rdma_connect_to_addr()
//         retries until docad finds one  -->  request callback
//                                             doca_rdma_connection_accept()
//         connects its end        <-- ACCEPT      makes an end, and connects it
//     established callback        READY -->   established callback
//
// Then the call is closed, and the ends are connected as those that were made out of band. Nothing
// that the other program sends is trusted: docad checks that our end may connect to the end that it
// names.
//
// cm_poll.c polls for events, as a source of the progress engine's executor. cm_deliver.c calls the
// program's callbacks, from an event of the connection. An end is attached to the executor only
// there, so that nothing arrives before the program has got the connection.

#ifndef CLIENT_RDMA_TASKS_CM_H
#define CLIENT_RDMA_TASKS_CM_H

#include "core/alive.h"
#include "core/severed.h"
#include "list.h"
#include "progress/engine.h"
#include "queue/executor.h"

#include <docad.pb-c.h>
#include <doca_rdma.h>
#include <netinet/in.h>

#define CM_TIMEOUT_MS                                                                              \
    5000 // until a connection must be established, unless the program sets another time
#define CM_PRIVATE_MAX 196u // as for RDMA CM on devices
#define CM_LISTENERS   64u  // of a context
#define CM_PLACES_MAX  16u  // addresses of a device

struct doca_rdma_addr {
    enum doca_rdma_addr_type type;
    uint16_t port;
    uint8_t bytes[16]; // an IPv4 address in IPv6's form
    char text[INET6_ADDRSTRLEN];
    struct alive alive; // only of addresses that the program destroys
};

enum cm_stage {
    CM_NONE,        // out of band
    CM_CALLING,     // no listener found yet
    CM_CALLED,      // waits for its answer
    CM_ANSWERED,    // was accepted, and is about to connect
    CM_REQUESTED,   // the program has to accept or reject
    CM_ACCEPTED,    // waits for the caller
    CM_READY,       // the caller has connected; the callback is queued
    CM_ESTABLISHED, // the callback was called
    CM_ENDED,       // failed, or disconnected
};

// The next callback to call.
enum cm_event {
    CM_EVENT_NONE,
    CM_EVENT_REQUEST,
    CM_EVENT_OPEN,
    CM_EVENT_FAILURE,
    CM_EVENT_DISCONNECT
};

// A connection's part.
struct cm_call {
    enum cm_stage stage;
    enum cm_event pending_event;
    struct pe_event event;
    struct list pending; // in cm.pending, while it has a deadline or a socket
    int fd;              // -1: none
    uint64_t deadline_ms, again_ms;
    unsigned tries;
    bool here;       // the address is this machine's: any PCI function of it will do
    bool reported;   // the callback of the request, or of the end, was called
    bool left;       // the program has disconnected it
    uint32_t before; // tasks that were done before the end, whose completions come first
    struct doca_rdma_addr addr;
    uint8_t other[256]; // the other side's descriptor
    size_t other_size;
    // On ibverbs devices:
    struct rdma_cm_id *id; // or NULL
    bool bridged;          // the id was the program's, which sees its events
    bool over;             // the other side has disconnected before the callback was called
};

struct cm_listener {
    struct list link;
    uint16_t port;
    // For software functions:
    uint64_t id;
    int fd; // -1: docad has closed it
    // On ibverbs devices:
    struct rdma_cm_id *ids[CM_PLACES_MAX];
    unsigned n_ids;
};

struct doca_rdma;
struct doca_rdma_connection;

// What differs between software functions and ibverbs devices.
struct cm_ops {
    // Called at the first use since the start, and at the stop. May be NULL.
    doca_error_t (*open)(struct doca_rdma *rdma, struct errtext *err);
    void (*close)(struct doca_rdma *rdma);
    // Requests the connection, or calls cm_call_later().
    doca_error_t (*call)(struct doca_rdma_connection *connection, struct errtext *err);
    // The listener has accepted: connects the end, and notifies the listener.
    doca_error_t (*finish_call)(struct doca_rdma_connection *connection, struct errtext *err);
    doca_error_t (*listen)(struct doca_rdma *rdma, struct cm_listener *listener,
                           struct errtext *err);
    void (*stop_listening)(struct doca_rdma *rdma, struct cm_listener *listener);
    // Makes a connection for a request of the id. The id stays the caller's if this fails:
    // DOCA_ERROR_INVALID_VALUE (another device's), those of rdma_connection_take(). NULL: there are
    // no ids.
    doca_error_t (*adopt)(struct doca_rdma *rdma, struct rdma_cm_id *id,
                          struct doca_rdma_connection **out, struct errtext *err);
    // If this fails, the connection ends.
    doca_error_t (*accept)(struct doca_rdma_connection *connection, const void *data, size_t size,
                           struct errtext *err);
    void (*reject)(struct doca_rdma_connection *connection);
    // Notifies the other side that the program has disconnected. NULL: the end does that.
    void (*leave)(struct doca_rdma_connection *connection);
    // The other side disconnected before the callback for the established connection was called.
    // NULL: the end detects that itself.
    void (*lost)(struct doca_rdma_connection *connection);
    // Releases what the connection has, before it is used again. May be NULL.
    void (*drop)(struct doca_rdma_connection *connection);
    // Receives the events of cm->channel. NULL: there is no such channel.
    void (*receive_events)(struct doca_rdma *rdma);
};

extern const struct cm_ops cm_by_docad;  // cm_docad.c
extern const struct cm_ops cm_by_device; // cm_device.c, or cm_no_device.c

// A context's part.
struct cm {
    const struct cm_ops *ops;
    doca_rdma_connection_request_cb_t on_request;         // NULL: does not listen
    doca_rdma_connection_established_cb_t on_established; // NULL: no callbacks are set
    doca_rdma_connection_failure_cb_t on_failure;
    doca_rdma_connection_disconnection_cb_t on_disconnect;
    uint16_t timeout_ms;

    // From the first use to stop:
    bool open;
    struct work_source source;
    bool in_engine;         // the descriptor is in the engine's epoll set
    bool poll_now;          // without waiting for the clock
    int epoll_fd, timer;    // the descriptors of calls and listeners; the time of the next poll
    struct severed severed; // of these two
    unsigned generation;    // of the process that opened them
    struct rdma_event_channel *channel; // librdmacm's; or NULL
    uint32_t polls;
    uint64_t polled_ms;
    struct list listeners, pending;
    unsigned n_listeners;
    unsigned n_events; // connections with a pending event
    bool stop_waits;   // the context stops when these were delivered
};

// ---- cm_poll.c ---------------------------------------------------------------------------------

void cm_init(struct cm *cm, const struct cm_ops *ops);
// Makes the source, unless that has been done.
doca_error_t cm_open(struct doca_rdma *rdma, struct errtext *err);

// Refuses contexts of dynamic connections, which are connected by their descriptors alone.
doca_error_t cm_check_transport(const struct doca_rdma *rdma, struct errtext *err);
// Closes calls and listeners; the connections follow.
void cm_close(struct doca_rdma *rdma);

// Waits for the descriptor of a call or a listener (`what`).
doca_error_t cm_watch(struct cm *cm, int fd, void *what, struct errtext *err);
// Leaves the epoll set, and closes it.
void cm_close_fd(struct cm *cm, int *fd);

// Sets the connection's deadline, or removes it.
void cm_begin_waiting(struct doca_rdma_connection *connection);
void cm_end_waiting(struct doca_rdma_connection *connection);
// Sets the timer to the next deadline or retry.
void cm_set_timer(struct cm *cm);

// ---- cm_call.c ---------------------------------------------------------------------------------

// Requests a connection from the listener. If there is none, retries later.
void cm_request(struct doca_rdma_connection *connection);
void cm_call_later(struct doca_rdma_connection *connection);

// ---- cm_docad.c --------------------------------------------------------------------------------

// Receives what the other side of the call has sent, or its end of file.
void cm_receive(struct doca_rdma_connection *connection);
// Accepts the calls that wait.
void cm_take_calls(struct doca_rdma *rdma, struct cm_listener *listener);

// ---- cm_listen.c -------------------------------------------------------------------------------

void cm_stop_listening(struct doca_rdma *rdma, struct cm_listener *listener);

// ---- cm_deliver.c
// ---------------------------------------------------------------------------------

// Queues a callback. It replaces one that was not called yet.
void cm_queue_event(struct doca_rdma_connection *connection, enum cm_event event);
// The connection could not be made.
void cm_fail(struct doca_rdma_connection *connection, doca_error_t error, const char *why);
// The connection of an end has ended.
void cm_end_ended(struct doca_rdma_connection *connection);
void cm_deliver(struct pe_event *event);
// Called when the context stops: releases connections that are not established. Returns
// DOCA_ERROR_IN_PROGRESS if callbacks are pending; context_stopped() is called after the last one.
doca_error_t cm_stop(struct doca_rdma *rdma);
// Ends the call and the connection without a callback. The connection can be used again.
void cm_release(struct doca_rdma_connection *connection);

// ---- cm_addr.c ---------------------------------------------------------------------------------

// Returns whether the address is one of this machine.
bool cm_is_here(const struct doca_rdma_addr *addr);
// Sets an address from docad's form: 16 bytes, or none.
void cm_addr_set(struct doca_rdma_addr *addr, const uint8_t *bytes, size_t size);

#endif
