// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address: the connection manager (CM).
//
// On ibverbs devices it is librdmacm's, see cm_device.h. On software functions it is docad:
//
// A listener is a port of a function; docad knows it, and hands it calls. A call is a socket
// between the two programs:
//
//     caller                                  listener
//     doca_rdma_connect_to_addr()
//         asks docad until it finds one  -->  request callback
//                                             doca_rdma_connection_accept()
//         connects its end        <-- ACCEPT      makes an end, and connects it
//     established callback        READY -->   established callback
//
// Then the call is closed, and the ends are connected as those that were made out of band. Nothing
// that the other program sends is believed: an end that it names must be one that docad lets ours
// connect to.
//
// cm_look.c finds what has happened: a source of the engine's executor. cm_tell.c calls the
// program, from an event of the connection. An end joins the executor only there, so that nothing
// arrives before the program knows of the connection.

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

#define CM_TIMEOUT_MS  5000 // until a connection must stand, unless the program says otherwise
#define CM_PRIVATE_MAX 196u // as for RDMA CM on devices
#define CM_LISTENERS   64u  // of a context
#define CM_PLACES_MAX  16u  // addresses of a device

struct doca_rdma_addr {
    enum doca_rdma_addr_type type;
    uint16_t port;
    uint8_t bytes[16]; // an IPv4 address in IPv6's form
    char text[INET6_ADDRSTRLEN];
    struct alive alive; // only those that the program destroys
};

enum cm_stage {
    CM_NONE,        // out of band
    CM_CALLING,     // looks for a listener
    CM_CALLED,      // waits for its answer
    CM_ANSWERED,    // was accepted, and is about to connect
    CM_REQUESTED,   // the program has to accept or reject
    CM_ACCEPTED,    // waits for the caller
    CM_READY,       // the caller has connected, and the program is about to be told
    CM_ESTABLISHED, // the program has been told
    CM_ENDED,       // failed, or disconnected
};

// What the program is to be told next.
enum cm_news { CM_NO_NEWS, CM_NEWS_REQUEST, CM_NEWS_OPEN, CM_NEWS_FAILURE, CM_NEWS_DISCONNECT };

// A connection's part.
struct cm_call {
    enum cm_stage stage;
    enum cm_news news;
    struct pe_event event;
    struct list pending; // in cm.pending, while it has a deadline or a socket
    int fd;              // -1: none
    uint64_t deadline_ms, again_ms;
    unsigned tries;
    bool here;       // any function of this machine will do
    bool told;       // of the request, or of the end
    bool left;       // the program has disconnected it
    uint32_t before; // at most so many tasks that were done before the end are to be told first
    struct doca_rdma_addr addr;
    uint8_t other[256]; // the other side's descriptor
    size_t other_size;
    // On ibverbs devices:
    struct rdma_cm_id *id; // or NULL
    bool bridged;          // the id was the program's, which sees its events
    bool over;             // the other side has left before the program was told
};

struct cm_listener {
    struct list link;
    uint16_t port;
    // On software functions:
    uint64_t id;
    int fd; // -1: docad has closed it
    // On ibverbs devices:
    struct rdma_cm_id *ids[CM_PLACES_MAX];
    unsigned n_ids;
};

struct doca_rdma;
struct doca_rdma_connection;

// How it is done: what differs between software functions and ibverbs devices.
struct cm_way {
    // At the first use since the start, and at the stop. NULL: there is nothing to do.
    doca_error_t (*open)(struct doca_rdma *rdma, struct errtext *err);
    void (*close)(struct doca_rdma *rdma);
    // Asks for the connection, or cm_call_later().
    doca_error_t (*call)(struct doca_rdma_connection *connection, struct errtext *err);
    // The listener has answered: connects the end, and lets the listener know.
    doca_error_t (*finish_call)(struct doca_rdma_connection *connection, struct errtext *err);
    doca_error_t (*listen)(struct doca_rdma *rdma, struct cm_listener *listener,
                           struct errtext *err);
    void (*stop_listening)(struct doca_rdma *rdma, struct cm_listener *listener);
    // A connection for a request that the id carries. The id stays the caller's if this fails:
    // DOCA_ERROR_INVALID_VALUE (another device's), those of rdma_connection_take(). NULL: there are
    // no ids.
    doca_error_t (*adopt)(struct doca_rdma *rdma, struct rdma_cm_id *id,
                          struct doca_rdma_connection **out, struct errtext *err);
    // The connection cannot go on if this fails.
    doca_error_t (*accept)(struct doca_rdma_connection *connection, const void *data, size_t size,
                           struct errtext *err);
    void (*reject)(struct doca_rdma_connection *connection);
    // The program has disconnected it: tells the other side. NULL: the end does that.
    void (*leave)(struct doca_rdma_connection *connection);
    // The other side had left before the program was told that the connection stands. NULL: the end
    // finds out.
    void (*lost)(struct doca_rdma_connection *connection);
    // The connection is about to be used again. NULL: it has nothing to give back.
    void (*drop)(struct doca_rdma_connection *connection);
    // Something has come over cm->channel. NULL: there is none.
    void (*heard)(struct doca_rdma *rdma);
};

extern const struct cm_way cm_by_docad;  // cm_docad.c
extern const struct cm_way cm_by_device; // cm_device.c, or cm_no_device.c

// A context's part.
struct cm {
    const struct cm_way *way;
    doca_rdma_connection_request_cb_t on_request;         // NULL: does not listen
    doca_rdma_connection_established_cb_t on_established; // NULL: no callbacks are set
    doca_rdma_connection_failure_cb_t on_failure;
    doca_rdma_connection_disconnection_cb_t on_disconnect;
    uint16_t timeout_ms;

    // From the first use to stop.
    bool open;
    struct work_source source;
    bool in_engine;         // the descriptor is in the engine's epoll set
    bool look;              // at once
    int epoll_fd, timer;    // the descriptors of calls and listeners; when to look again
    struct severed severed; // of these two
    unsigned generation;    // of the process that opened them
    struct rdma_event_channel *channel; // librdmacm's; or NULL
    uint32_t polls;
    uint64_t looked_ms;
    struct list listeners, pending;
    unsigned n_listeners;
    unsigned n_news; // connections with news
    bool stop_waits; // the context stops when they have been told
};

// ---- cm_look.c ---------------------------------------------------------------------------------

void cm_init(struct cm *cm, const struct cm_way *way);
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

// The connection has a deadline from now on, or none any more.
void cm_begin_waiting(struct doca_rdma_connection *connection);
void cm_end_waiting(struct doca_rdma_connection *connection);
// A deadline, or the time of the next try, has changed.
void cm_set_timer(struct cm *cm);

// ---- cm_call.c ---------------------------------------------------------------------------------

// Calls the listener, and again later if there is none.
void cm_knock(struct doca_rdma_connection *connection);
void cm_call_later(struct doca_rdma_connection *connection);

// ---- cm_docad.c --------------------------------------------------------------------------------

// The other side of the call has sent something, or hung up.
void cm_heard(struct doca_rdma_connection *connection);
// Takes the calls that wait.
void cm_take_calls(struct doca_rdma *rdma, struct cm_listener *listener);

// ---- cm_listen.c -------------------------------------------------------------------------------

void cm_stop_listening(struct doca_rdma *rdma, struct cm_listener *listener);

// ---- cm_tell.c ---------------------------------------------------------------------------------

// Has the program told of it.
void cm_tell(struct doca_rdma_connection *connection, enum cm_news news);
// The connection could not be made.
void cm_fail(struct doca_rdma_connection *connection, doca_error_t error, const char *why);
// The connection of an end has ended.
void cm_end_ended(struct doca_rdma_connection *connection);
void cm_deliver(struct pe_event *event);
// The context stops: what is not established is forgotten. DOCA_ERROR_IN_PROGRESS: the program has
// to be told of other ends first, and then context_stopped() is called.
doca_error_t cm_stop(struct doca_rdma *rdma);
// Ends the call and the connection, which can be used again; the program is not told.
void cm_forget(struct doca_rdma_connection *connection);

// ---- cm_addr.c ---------------------------------------------------------------------------------

// Says whether any program on this machine reaches it by this address.
bool cm_is_here(const struct doca_rdma_addr *addr);
// An address as docad gives it: 16 bytes, or none.
void cm_addr_set(struct doca_rdma_addr *addr, const uint8_t *bytes, size_t size);

#endif
