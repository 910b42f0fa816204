// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch: a server or a client is a context over an endpoint of the Comm Channel.
//
// poll.c polls for events: a source of the engine's executor that notes the next connection or
// message and posts an event, which calls the program. Connections that have ended wait in a list
// of their own until the program has got that event.
//
// The program's tasks may name a connection that has ended. So connections are kept for the next
// ones until the server is destroyed; `generation` shows whether a task means this one.

#ifndef CLIENT_COMCH_COMCH_H
#define CLIENT_COMCH_COMCH_H

#include "core/severed.h"
#include "path.h"
#include "progress/context.h"
#include "queue/card_clock.h"

#include <doca_comch.h>

#define COMCH_TASKS_MAX   8192u
#define COMCH_CLIENTS_MAX 512u // of a server at a time

struct comch_end;

struct doca_comch_connection {
    struct list link; // end->open, end->ended or end->spare
    struct comch_end *end;
    struct doca_comm_channel_addr_t *address; // NULL: it has ended
    struct comch_path *path;                  // of consumers and producers; held
    union doca_data user_data;
    uint64_t generation;   // incremented when the structure is used for the next connection
    uint64_t queued, sent; // tasks that had to wait, and those of them that have ended
    struct cc_counters counters;
    struct card_queue paced; // of its messages, on a card with a seed
};

enum comch_event {
    COMCH_NOTHING,
    COMCH_CONNECTED,
    COMCH_MESSAGE,
    COMCH_NEW_CONSUMER,
    COMCH_EXPIRED_CONSUMER,
};

struct comch_end {
    struct doca_ctx ctx; // first
    bool is_server;
    char name[CHANNEL_NAME_SIZE];
    struct doca_dev_rep *rep; // the server's
    uint32_t max_message, recv_queue;
    doca_comch_event_msg_recv_cb_t on_message;
    doca_comch_event_connection_status_changed_cb_t on_connect, on_disconnect;
    doca_comch_event_consumer_cb_t on_new_consumer, on_expired_consumer;

    struct doca_comm_channel_ep_t *ep; // from start to stop
    struct work_source source;
    bool in_engine;                             // its descriptors are in the engine's epoll set
    bool others_next;                           // the server polls other clients than the latest
    uint64_t asked_ms;                          // when the kernel was last asked for all of them
    struct doca_comm_channel_addr_t *requested; // the client waits for the server to take it
    int timer;                                  // when the client tries again; -1: it need not
    unsigned tries;
    int wake_fd;              // other threads wake this one for the packets of their paths
    _Atomic bool has_packets; // there are packets to send
    struct severed severed;

    struct list open, ended, spare;
    uint32_t n_open;
    struct pe_event pending_event, ended_event;
    enum comch_event pending;
    struct doca_comch_connection *about; // of the event
    uint64_t about_generation;
    size_t length; // of the message
    uint8_t message[CC_PACKET_SIZE];
    uint32_t consumer; // of the event
};

struct doca_comch_server {
    struct comch_end end;
};

struct doca_comch_client {
    struct comch_end end;
};

static inline struct comch_end *comch_end_of(struct doca_ctx *ctx)
{
    return (struct comch_end *)ctx; // it begins with it
}

// Makes an end for a device that can have one.
doca_error_t comch_end_new(struct comch_end **out, const struct ctx_kind *kind,
                           struct doca_dev *dev, const char *name, struct errtext *err);
doca_error_t comch_end_free(const char *function, struct comch_end *end);

// Opens and closes what an end has while it is started.
doca_error_t comch_end_open(struct comch_end *end, struct errtext *err);
void comch_end_stopped(struct doca_ctx *ctx);

// The parts of the public functions that servers and clients have in common.
doca_error_t comch_set_max_message(const char *function, struct comch_end *end, uint32_t size);
doca_error_t comch_set_recv_queue(const char *function, struct comch_end *end, uint32_t size);
doca_error_t comch_set_on_message(const char *function, struct comch_end *end,
                                  doca_comch_event_msg_recv_cb_t cb);
doca_error_t comch_set_on_consumer(const char *function, struct comch_end *end,
                                   doca_comch_event_consumer_cb_t on_new,
                                   doca_comch_event_consumer_cb_t on_expired);
doca_error_t comch_send_alloc(const char *function, struct comch_end *end,
                              struct doca_comch_connection *to, const void *msg, uint32_t len,
                              struct doca_comch_task_send **task);
doca_error_t comch_send_set_conf(const char *function, struct comch_end *end,
                                 doca_comch_task_send_completion_cb_t done,
                                 doca_comch_task_send_completion_cb_t failed, uint32_t n);

// A connection over the channel, in end->open; NULL if memory is short.
struct doca_comch_connection *comch_connection_new(struct comch_end *end,
                                                   struct doca_comm_channel_addr_t *address);
// Ends its channel. The program gets an event.
void comch_connection_end(struct doca_comch_connection *connection);

// Breaks its channel: cc_address_break().
bool comch_connection_break(struct doca_comch_connection *connection);

// Sends the packets of its path that wait, or breaks its channel if the path is broken. Returns
// false if some packets still wait.
bool comch_connection_send(struct doca_comch_connection *connection);

// Makes the end's thread send its packets. For any thread that holds it open.
void comch_end_wake(struct comch_end *end);

// ---- the source --------------------------------------------------------------------------

void comch_poll(struct work_source *source);
bool comch_arm(struct work_source *source);
void comch_clear(struct work_source *source);
void comch_deliver_event(struct pe_event *event);
void comch_deliver_ended(struct pe_event *event);

// Returns whether the log has a line about a client that has made this many requests: after some
// 0.8 s, when a server that is being started usually accepts, after a minute, and then after twice
// as many each time.
static inline bool comch_is_logged(unsigned tries)
{
    return tries == 16 || (tries >= 1024 && (tries & (tries - 1)) == 0);
}

// Requests a connection from the client's server. Returns DOCA_SUCCESS, also if there is none yet:
// it will retry.
doca_error_t comch_client_request(struct comch_end *end, struct errtext *err);

// Makes the client retry after a pause, which grows.
doca_error_t comch_client_wait(struct comch_end *end, struct errtext *err);

// ---- send tasks --------------------------------------------------------------------------

extern const struct task_kind comch_tasks[1];
enum work_status comch_send_execute(struct work_item *item);
enum work_status comch_send_progress(struct work_item *item);
struct card_queue *comch_send_lane(const struct work_item *item);
enum work_status comch_send_cancel(struct work_item *item);
bool comch_send_lose_peer(struct doca_task *task);

#endif
