// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The flood "comch": Comch's requests to docad when connections and their consumers come and go, of
// many sessions at a time. The service accepts each connection, so that there is always room.

#include "cleanup.h"
#include "flood_session.h"
#include "floods.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME     "flood"
#define SESSIONS 64
#define QUEUE    16
#define LENGTH   4080

// ---- the service ------------------------------------------------------------------------------

// The socket that connections of this function of the host come from, or -1.
static int listen_for(int sock, uint32_t representor)
{
    Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
    Docad__ChannelListen listen = DOCAD__CHANNEL_LISTEN__INIT;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    open.representor_id = representor;
    cleanup_message Docad__Message *opened =
        flood_ask(sock, message_of(REPRESENTOR_OPEN, representor_open, &open), NULL, 0, NULL);
    listen.function_id = 1;
    listen.representor_id = representor;
    listen.name = (char *)NAME;
    listen.max_message = LENGTH;
    listen.send_queue = listen.recv_queue = QUEUE;
    cleanup_message Docad__Message *listens =
        opened ? flood_ask(sock, message_of(CHANNEL_LISTEN, channel_listen, &listen), NULL, 0, &fds)
               : NULL;
    return listens ? fd_list_take(&fds, 0) : -1;
}

static void take_connections(int sock)
{
    char bytes[256];
    struct fd_list fds;
    while (packet_recv(sock, bytes, sizeof(bytes), &fds, MSG_DONTWAIT) > 0)
        fd_list_close(&fds);
}

void floods_serve_comch(const struct flood_targets *at)
{
    Docad__RepresentorList m = DOCAD__REPRESENTOR_LIST__INIT;
    struct epoll_event events[16];
    cleanup_fd int sock = flood_session(at->dpu, false, NULL);
    cleanup_fd int epoll = epoll_create1(EPOLL_CLOEXEC);

    m.function_id = 1;
    cleanup_message Docad__Message *reply =
        sock >= 0 && flood_open_function(sock)
            ? flood_ask(sock, message_of(REPRESENTOR_LIST, representor_list, &m), NULL, 0, NULL)
            : NULL;
    for (size_t i = 0; reply && i < reply->representor_list_reply->n_representors; i++) {
        int fd = listen_for(sock, reply->representor_list_reply->representors[i]->id);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        if (fd >= 0)
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
    for (int n; reply && (n = epoll_wait(epoll, events, 16, -1)) > 0;)
        for (int i = 0; i < n; i++)
            take_connections(events[i].data.fd);
}

// ---- its clients --------------------------------------------------------------------------------

struct client {
    int sock;
    uint64_t channel, consumer; // 0: none
};

static void send_to(const struct client *c, Docad__Message *message)
{
    message->serial = 1;
    message_send(c->sock, message, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void connect_again(const struct client *c)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    m.function_id = 1;
    m.name = (char *)NAME;
    m.max_message = LENGTH;
    m.send_queue = m.recv_queue = QUEUE;
    send_to(c, message_of(CHANNEL_CONNECT, channel_connect, &m));
}

static void make_consumer(const struct client *c)
{
    Docad__RdmaEndpointCreate m = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__ComchPart part = DOCAD__COMCH_PART__INIT;
    m.function_id = 1;
    part.channel_id = c->channel;
    part.consumer = 1;
    m.comch = &part;
    send_to(c, message_of(RDMA_ENDPOINT_CREATE, rdma_endpoint_create, &m));
}

static void end_consumer(struct client *c)
{
    Docad__RdmaEndpointDestroy m = DOCAD__RDMA_ENDPOINT_DESTROY__INIT;
    m.endpoint_id = c->consumer;
    c->consumer = 0;
    send_to(c, message_of(RDMA_ENDPOINT_DESTROY, rdma_endpoint_destroy, &m));
}

static void end_connection(struct client *c)
{
    Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
    m.id = c->channel;
    c->channel = 0;
    send_to(c, message_of(CHANNEL_CLOSE, channel_close, &m));
}

// Each answer leads to the next request: a connection, its consumer, and the end of both.
static void go_on(struct client *c)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    if (message_recv(c->sock, &reply, &fds, MSG_DONTWAIT) != 1)
        return;
    if (reply->body_case == DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY) {
        c->channel = reply->channel_connect_reply->channel_id;
        make_consumer(c);
    } else if (reply->body_case == DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE_REPLY) {
        c->consumer = reply->rdma_endpoint_create_reply->endpoint_id;
        end_consumer(c);
    } else if (c->channel) {
        end_connection(c);
    } else {
        connect_again(c);
    }
}

void floods_run_comch(const struct flood_targets *at)
{
    static struct client clients[SESSIONS];
    struct epoll_event events[SESSIONS];
    cleanup_fd int epoll = epoll_create1(EPOLL_CLOEXEC);
    size_t n = 0;

    for (; n < SESSIONS; n++) {
        struct client *c = &clients[n];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        c->sock = flood_session(at->host, false, NULL);
        if (c->sock < 0 || !flood_open_function(c->sock))
            break;
        epoll_ctl(epoll, EPOLL_CTL_ADD, c->sock, &event);
        connect_again(c);
    }
    for (int ready; n > 0 && (ready = epoll_wait(epoll, events, SESSIONS, -1)) > 0;)
        for (int i = 0; i < ready; i++)
            go_on(events[i].data.ptr);
}
