// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "floods.h"

#include "cleanup.h"
#include "flood_session.h"
#include "memfd.h"
#include "message.h"
#include "queue_pair.h"

#include <doca_types.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SESSIONS_MAX 200
#define SEGMENTS     1024

// ---- messages -----------------------------------------------------------------------------

static uint8_t packet[PACKET_SIZE_MAX];
static size_t packet_size;

static void pack(Docad__Message *message)
{
    message->serial = 1;
    packet_size = docad__message__pack(message, packet);
}

static void drain(int sock)
{
    static uint8_t bytes[PACKET_SIZE_MAX];
    struct fd_list fds;
    while (packet_recv(sock, bytes, sizeof(bytes), &fds, MSG_DONTWAIT) > 0)
        fd_list_close(&fds);
}

// Sends the packet on all sessions, as fast as docad takes it, and drops the answers.
static void flood_with_packet(const int *socks, size_t n, const int *listeners, size_t n_listeners)
{
    struct epoll_event events[64];
    cleanup_fd int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < n + n_listeners; i++) {
        struct epoll_event event = {.events = i < n ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                    .data.fd = i < n ? socks[i] : listeners[i - n]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    for (;;) {
        int ready = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            int sock = events[i].data.fd;
            if (events[i].events & EPOLLIN)
                drain(sock);
            if (events[i].events & (EPOLLHUP | EPOLLERR))
                epoll_ctl(epoll, EPOLL_CTL_DEL, sock, NULL);
            else if (events[i].events & EPOLLOUT)
                packet_send(sock, packet, packet_size, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
}

static size_t open_sessions(const char *path, int *socks, size_t n, bool tool)
{
    size_t count = 0;
    while (count < n && (socks[count] = flood_session(path, tool, NULL)) >= 0)
        count++;
    return count;
}

static void flood_sessions(const char *path)
{
    int socks[SESSIONS_MAX];
    flood_with_packet(socks, open_sessions(path, socks, SESSIONS_MAX, false), NULL, 0);
}

static void run_messages(const struct flood_targets *at)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    pack(message_of(STATUS, status, &m));
    flood_sessions(at->host);
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
    pack(message_of(REGION_REGISTER, region_register, &m));
    flood_sessions(at->host);
}

static void run_metrics(const struct flood_targets *at)
{
    Docad__Metrics m = DOCAD__METRICS__INIT;
    pack(message_of(METRICS, metrics, &m));
    flood_sessions(at->host);
}

static void run_monitors(const struct flood_targets *at)
{
    enum { MONITORS = 64, NOISY = 50 }; // as many as a user may have
    int monitors[MONITORS], noisy[NOISY];
    Docad__Monitor monitor = DOCAD__MONITOR__INIT;
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;

    size_t n = open_sessions(at->host, monitors, MONITORS, true);
    for (size_t i = 0; i < n; i++) {
        cleanup_message Docad__Message *reply =
            flood_ask(monitors[i], message_of(MONITOR, monitor, &monitor), NULL, 0, NULL);
        (void)reply;
    }
    m.function_id = 9999; // refused, which is an event
    pack(message_of(FUNCTION_OPEN, function_open, &m));
    flood_with_packet(noisy, open_sessions(at->host, noisy, NOISY, false), monitors, n);
}

// ---- connections ----------------------------------------------------------------------------

static void run_connections(const struct flood_targets *at)
{
    for (;;) {
        int socks[32];
        size_t n = 0;
        while (n < 32 && (socks[n] = flood_connect(at->host)) >= 0)
            n++;
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

// Exports memory on the host that is copied by the engine, and imports it on the DPU.
static bool share(int owner, int importer, uint8_t *memory, size_t size, uint32_t *key)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    Docad__RegionRegister region = DOCAD__REGION_REGISTER__INIT;
    Docad__ExportCreate export = DOCAD__EXPORT_CREATE__INIT;
    Docad__ImportCreate import = DOCAD__IMPORT_CREATE__INIT;
    cleanup_fd int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

    region.address = segment.address = (uintptr_t)memory;
    region.length = segment.length = size;
    region.access = DOCA_ACCESS_DPU_READ_ONLY;
    region.segments = segments;
    region.n_segments = 1;
    region.n_function_ids = 1;
    region.function_ids = &(uint32_t){1};
    region.has_memory_fd = true;
    cleanup_message Docad__Message *registered =
        flood_ask(owner, message_of(REGION_REGISTER, region_register, &region), &fd, 1, NULL);
    if (!registered)
        return false;
    export.region_id = registered->region_register_reply->region_id;
    export.function_id = 1;
    export.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    cleanup_message Docad__Message *exported =
        flood_ask(owner, message_of(EXPORT_CREATE, export_create, &export), NULL, 0, NULL);
    if (!exported)
        return false;
    import.descriptor = exported->export_create_reply->descriptor;
    import.function_id = 1;
    cleanup_message Docad__Message *imported =
        flood_ask(importer, message_of(IMPORT_CREATE, import_create, &import), NULL, 0, NULL);
    if (!imported)
        return false;
    *key = imported->import_create_reply->grant_key;
    return true;
}

static void run_reads(const struct flood_targets *at)
{
    enum { QUEUE_PAIRS = 32 };
    static uint8_t memory[QP_CHUNK_SIZE];
    static struct qp_client qps[QUEUE_PAIRS];
    uint8_t node[NODE_ID_SIZE];
    uint32_t key;
    size_t n = 0;

    int owner = flood_session(at->host, false, node),
        importer = flood_session(at->dpu, false, NULL);
    if (owner < 0 || importer < 0 || !flood_open_function(owner) ||
        !flood_open_function(importer) || !share(owner, importer, memory, sizeof(memory), &key))
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
            usleep(100); // there is always something to do for the engine
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

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 ||
        listen(listener, 1024) < 0 || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
        return;
    pack(message_of(STATUS, status, &m));
    for (;;) {
        cleanup_fd int sock = flood_session(at->host, false, NULL);
        for (int i = 0; i < 100 && sock >= 0; i++) {
            cleanup_fd int sent = lingering_socket(&address);
            if (sent < 0 ||
                packet_send(sock, packet, packet_size, &sent, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                break;
        }
        usleep(10000);
    }
}

// ---- other machines ----------------------------------------------------------------------------

#define MACHINES   8 // addresses of the loopback interface
#define HANDSHAKES 8 // of each, at a time
#define KEEP_MS    5

// What a node that dials says first: TLS 1.3, AES-128-GCM, X25519. The answer costs a signature.
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
    {"messages", "small requests of 200 sessions", run_messages, NULL, false},
    {"big messages", "the largest requests there are, of 200 sessions", run_big_messages, NULL,
     false},
    {"metrics", "metrics, for 200 sessions", run_metrics, NULL, false},
    {"monitors", "64 tools that follow events, and requests that are refused", run_monitors, NULL,
     false},
    {"connections", "connections that say nothing and go", run_connections, NULL, false},
    {"doorbells", "doorbells of 64 queue pairs without a request", run_doorbells, NULL, false},
    {"reads", "the longest reads there are, on 32 queue pairs", run_reads, NULL, false},
    {"comch", "connections and consumers of Comch that come and go", floods_run_comch,
     floods_serve_comch, false},
    {"descriptors", "descriptors whose close takes an hour", run_descriptors, NULL, false},
    {"half open", "handshakes of other machines that never end", run_half_open, NULL, false},
    {"relays", "messages of 16 Comm Channels over a link without descriptors", floods_run_relays,
     floods_serve_relays, true},
};

const size_t n_floods = sizeof(floods) / sizeof(floods[0]);
