// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "floods.h"

#include "cleanup.h"
#include "flood_packet.h"
#include "flood_session.h"
#include "flood_share.h"
#include "queue_pair.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEGMENTS 1024

// ---- messages -----------------------------------------------------------------------------

static void flood_sessions(const char *path, Docad__Message *message)
{
    int socks[FLOOD_SESSIONS_MAX];
    size_t n = flood_open_sessions(path, socks, FLOOD_SESSIONS_MAX, false);
    flood_with_packet(message, socks, n, NULL, 0);
}

static void run_messages(const struct flood_targets *at)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    flood_sessions(at->host, message_of(STATUS, status, &m));
}

static void run_big_messages(const struct flood_targets *at)
{
    static Docad__Segment segments[SEGMENTS], *list[SEGMENTS];
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    m.address = 0x10000;
    m.length = SEGMENTS;
    for (size_t i = 0; i < SEGMENTS; i++) {
        docad__segment__init(&segments[i]);
        segments[i].address = m.address + i;
        segments[i].length = 1;
        segments[i].offset = UINT64_MAX; // as long as a message can be
        list[i] = &segments[i];
    }
    m.segments = list;
    m.n_segments = SEGMENTS;
    flood_sessions(at->host, message_of(REGION_REGISTER, region_register, &m));
}

static void run_metrics(const struct flood_targets *at)
{
    Docad__Metrics m = DOCAD__METRICS__INIT;
    flood_sessions(at->host, message_of(METRICS, metrics, &m));
}

static void run_monitors(const struct flood_targets *at)
{
    enum { MONITORS = 64, NOISY = 50 }; // as many as a user may have
    int monitors[MONITORS], noisy[NOISY];
    Docad__Monitor monitor = DOCAD__MONITOR__INIT;
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;

    size_t n = flood_open_sessions(at->host, monitors, MONITORS, true);
    for (size_t i = 0; i < n; i++) {
        cleanup_message Docad__Message *reply =
            flood_ask(monitors[i], message_of(MONITOR, monitor, &monitor), NULL, 0, NULL);
        (void)reply;
    }
    m.function_id = 9999; // refused, which is an event
    size_t n_noisy = flood_open_sessions(at->host, noisy, NOISY, false);
    flood_with_packet(message_of(FUNCTION_OPEN, function_open, &m), noisy, n_noisy, monitors, n);
}

// ---- connections ----------------------------------------------------------------------------

static void run_connections(const struct flood_targets *at)
{
    for (;;) {
        int socks[32];
        size_t n = 0;
        while (n < 32 && (socks[n] = flood_connect(at->host)) >= 0)
            n++;
        if (n == 0 && errno == EACCES)
            return;
        while (n > 0)
            close(socks[--n]);
    }
}

// ---- the engine -----------------------------------------------------------------------------

static bool take_queue_pair(int sock, const uint8_t node[NODE_ID_SIZE], struct qp_client *qp)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node};
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(QUEUE_PAIR_CREATE, queue_pair_create, &m), NULL, 0, &fds);
    if (!reply || fds.count != 3 || qp_client_init(qp, fds.fds[0], fds.fds[1], fds.fds[2]) < 0)
        return false;
    fds.count = 0;
    return true;
}

static void run_doorbells(const struct flood_targets *at)
{
    enum { QUEUE_PAIRS = 64 };
    static struct qp_client qps[QUEUE_PAIRS];
    uint8_t node[NODE_ID_SIZE];
    size_t n = 0;
    int sock = flood_session(at->host, false, node);
    while (n < QUEUE_PAIRS && take_queue_pair(sock, node, &qps[n]))
        n++;
    if (n == 0)
        return;
    for (size_t i = 0;; i = (i + 1) % n)
        qp_ring(&qps[i]);
}

static void run_reads(const struct flood_targets *at)
{
    enum { QUEUE_PAIRS = 32 };
    static uint8_t memory[QP_CHUNK_SIZE];
    static struct qp_client qps[QUEUE_PAIRS];
    uint8_t node[NODE_ID_SIZE];
    struct flood_export export;
    uint32_t key;
    size_t n = 0;

    int owner = flood_session(at->host, false, node),
        importer = flood_session(at->dpu, false, NULL);
    if (owner < 0 || importer < 0 || !flood_open_function(owner) ||
        !flood_open_function(importer) ||
        !flood_export(owner, memory, sizeof(memory), DOCAD__EXPORT_TARGET__TARGET_DPU, &export) ||
        !flood_import(importer, &export, &key))
        return;
    while (n < QUEUE_PAIRS && take_queue_pair(importer, node, &qps[n]))
        n++;
    const struct qp_request request = {
        .opcode = QP_READ, .address = (uintptr_t)memory, .length = sizeof(memory), .key = key};
    if (n == 0)
        return;
    for (size_t i = 0;; i = (i + 1) % n) {
        struct qp_completion done;
        while (qp_poll(&qps[i], &done))
            ;
        while (qp_post(&qps[i], &request))
            ;
        qp_ring(&qps[i]);
        if (i == 0)
            usleep(100); // so that the engine always has requests
    }
}

// ---- descriptors ------------------------------------------------------------------------------

// A connection whose last close waits until everything was sent, to a side that does not read.
static int lingering_socket(struct sockaddr_in *address)
{
    static uint8_t bytes[65536];
    const struct linger linger = {.l_onoff = 1, .l_linger = 3600};
    cleanup_fd int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0 || connect(sock, (struct sockaddr *)address, sizeof(*address)) < 0)
        return -1;
    setsockopt(sock, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    while (send(sock, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
    return steal_fd(&sock);
}

static void run_descriptors(const struct flood_targets *at)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    cleanup_fd int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Docad__Status m = DOCAD__STATUS__INIT;
    Docad__Message *status = message_of(STATUS, status, &m);

    status->serial = 1;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 ||
        listen(listener, 1024) < 0 || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
        return;
    for (;;) {
        cleanup_fd int sock = flood_session(at->host, false, NULL);
        for (int i = 0; i < 100 && sock >= 0; i++) {
            cleanup_fd int sent = lingering_socket(&address);
            if (sent < 0 || message_send(sock, status, &sent, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                break;
        }
        usleep(10000);
    }
}

// ---- other machines ----------------------------------------------------------------------------

#define MACHINES   8 // addresses of the loopback interface
#define HANDSHAKES 8 // of each, at a time
#define KEEP_MS    5

// What a connecting node sends first: TLS 1.3, AES-128-GCM, X25519. The answer costs a signature.
static const uint8_t client_hello[] = {
    0x16, 3,    1,    0,    0x74, 1,  0,  0,  0x70, 3,  3, // a random number:
    0,    1,    2,    3,    4,    5,  6,  7,  8,    9,  10, 11, 12,   13, 14,   15,
    16,   17,   18,   19,   20,   21, 22, 23, 24,   25, 26, 27, 28,   29, 30,   31,
    0,    0,    2,    0x13, 1,    1,  0,  0,  0x45, // extensions:
    0,    0x2b, 0,    3,    2,    3,  4,  0,  10,   0,  4,  0,  2,    0,  0x1d, 0,
    13,   0,    8,    0,    6,    4,  3,  8,  7,    8,  4,  0,  0x33, 0,  0x26, 0,
    0x24, 0,    0x1d, 0,    0x20, 9, // a point: 31 zeros follow
    0,    0,    0,    0,    0,    0,  0,  0,  0,    0,  0,  0,  0,    0,  0,    0,
    0,    0,    0,    0,    0,    0,  0,  0,  0,    0,  0,  0,  0,    0,  0,
};

static int dial_from(unsigned machine, unsigned short port)
{
    struct sockaddr_in from = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + machine)},
                       to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons(port)};
    const struct linger reset = {.l_onoff = 1}; // no port stays behind
    cleanup_fd int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0 || bind(sock, (struct sockaddr *)&from, sizeof(from)) < 0 ||
        connect(sock, (struct sockaddr *)&to, sizeof(to)) < 0)
        return -1;
    setsockopt(sock, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    return steal_fd(&sock);
}

// Handshakes that begin and never end, from several machines.
static void run_half_open(const struct flood_targets *at)
{
    int socks[MACHINES * HANDSHAKES];
    for (;;) {
        size_t n = 0;
        while (n < ARRAY_SIZE(socks) && (socks[n] = dial_from(n % MACHINES, at->port)) >= 0)
            n++;
        for (size_t i = 0; i < n; i++)
            send(socks[i], client_hello, sizeof(client_hello), MSG_NOSIGNAL);
        usleep(KEEP_MS * 1000);
        while (n > 0)
            close(socks[--n]);
    }
}

const struct flood floods[] = {
    {.name = "messages", .what = "small requests of 200 sessions", .run = run_messages},
    {.name = "big messages",
     .what = "the largest requests there are, of 200 sessions",
     .run = run_big_messages},
    {.name = "metrics", .what = "metrics, for 200 sessions", .run = run_metrics},
    {.name = "monitors",
     .what = "64 tools that follow events, and requests that are refused",
     .run = run_monitors},
    {.name = "connections", .what = "connections that say nothing and go", .run = run_connections},
    {.name = "doorbells",
     .what = "doorbells of 64 queue pairs without a request",
     .run = run_doorbells},
    {.name = "reads", .what = "the longest reads there are, on 32 queue pairs", .run = run_reads},
    {.name = "comch",
     .what = "connections and consumers of Comch that come and go",
     .run = floods_run_comch,
     .beside = floods_serve_comch},
    {.name = "descriptors",
     .what = "descriptors whose close takes an hour",
     .run = run_descriptors},
    {.name = "half open",
     .what = "handshakes of other machines that never end",
     .run = run_half_open},
    {.name = "lookups",
     .what = "16384 sessions with 64 waiting lookups each of a name that the measured user "
             "publishes, again and again",
     .run = floods_run_lookups,
     .beside = floods_publish_for_lookups,
     .holds = true,
     .bursts = true,
     .beside_is_served = true},
    {.name = "revocations",
     .what = "the end of a region with 65536 imports on both nodes, again and again",
     .run = floods_run_revocations,
     .holds = true,
     .bursts = true},
    {.name = "idle monitors",
     .what = "16384 idle sessions that ask to follow events, which docad grants to 64 of a user",
     .run = floods_run_idle_monitors,
     .holds = true},
    {.name = "status",
     .what = "Status requests of 200 sessions of a user with 65536 imports",
     .run = floods_run_status,
     .holds = true},
    {.name = "metrics socket",
     .what = "connections to the metrics socket, by a user with 65536 imports",
     .run = floods_run_metrics_socket,
     .holds = true},
    {.name = "listeners",
     .what = "4096 RDMA listeners, and 200 sessions that try to listen to a port that is taken",
     .run = floods_run_listeners,
     .holds = true},
    {.name = "names",
     .what = "65536 of the longest names, offered to 32 users and groups, while the link to a "
             "second DPU goes down and up, again and again",
     .run = floods_run_names,
     .beside = floods_link_for_names,
     .holds = true,
     .bursts = true,
     .beside_is_served = true,
     .second_dpu = true},
    {.name = "relays",
     .what = "messages of 16 Comm Channels over a link without descriptors",
     .run = floods_run_relays,
     .beside = floods_serve_relays,
     .apart = true},
};

const size_t n_floods = sizeof(floods) / sizeof(floods[0]);
