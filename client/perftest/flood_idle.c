// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Floods of a user who only has many objects, which requests of others must not iterate: "idle
// monitors" and "listeners".

#include "cleanup.h"
#include "flood_packet.h"
#include "flood_session.h"
#include "floods.h"

#include <sys/socket.h>
#include <unistd.h>

#define SESSIONS         16384 // sessions_per_uid
#define PORTS            4096  // listeners_per_uid
#define PORTS_OF_SESSION 1024  // channels_per_session

// ---- monitors

static bool follow_events(int sock)
{
    Docad__Monitor m = DOCAD__MONITOR__INIT;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(MONITOR, monitor, &m), NULL, 0, NULL);
    return reply != NULL;
}

void floods_run_idle_monitors(const struct flood_targets *at)
{
    size_t n = 0, sessions = flood_part(at, SESSIONS);
    for (size_t i = 0; i < sessions; i++) {
        int sock = flood_idle_session(at->host);
        if (sock < 0)
            break;
        n += follow_events(sock);
    }
    if (n == 0)
        return;
    flood_holds(at, n);
    for (;;)
        pause();
}

// ---- listeners

static bool send_listen(int sock, size_t i, void *arg)
{
    const uint32_t *first = arg;
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    Docad__Message *message = message_of(RDMA_LISTEN, rdma_listen, &m);
    m.function_id = 1;
    m.port = *first + (uint32_t)i;
    message->serial = 1;
    return message_send(sock, message, NULL, 0, MSG_NOSIGNAL) == 0;
}

// Returns how many ports of the function are taken, from 1 on.
static uint32_t listen_to(const char *path, uint32_t ports)
{
    uint32_t taken = 0;
    while (taken < ports) {
        uint32_t first = taken + 1, left = ports - taken;
        int sock = flood_session(path, false, NULL);
        if (sock < 0 || !flood_open_function(sock))
            break;
        size_t want = left < PORTS_OF_SESSION ? left : PORTS_OF_SESSION;
        size_t got = flood_ask_many(sock, want, send_listen, NULL, &first);
        taken += (uint32_t)got;
        if (got < want)
            break;
    }
    return taken;
}

// The sessions request the port that was taken last.
void floods_run_listeners(const struct flood_targets *at)
{
    int socks[FLOOD_SESSIONS_MAX];
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    size_t n = flood_open_sessions(at->host, socks, FLOOD_SESSIONS_MAX, false);

    for (size_t i = 0; i < n; i++)
        if (!flood_open_function(socks[i]))
            return;
    m.function_id = 1;
    m.port = listen_to(at->host, (uint32_t)flood_part(at, PORTS));
    if (m.port == 0)
        return;
    flood_holds(at, m.port);
    flood_with_packet(message_of(RDMA_LISTEN, rdma_listen, &m), socks, n, NULL, 0);
}
