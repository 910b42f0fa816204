// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "remote.h"

#include "clock.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS 10000
#define GRACE_S    3 // for a process that ends by itself
#define GONE_MS    20000
#define HOST_MAX   256

static const char magic[8] = {'d', 'o', 'c', 'a', 'p', 't', '0', '1'}; // protocol 1

struct wire_request {
    char magic[8];
    uint64_t size;
    uint32_t kind, what, depth, memory;
};

struct wire_answer {
    char magic[8];
    char text[sizeof(((struct problem *)NULL)->s)]; // empty: it can be served
};

struct wire_export {
    uint64_t address;
    uint32_t len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
} __attribute__((packed));

// ---- bytes --------------------------------------------------------------------------------------

bool remote_send(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// Returns whether more bytes, or the end, have arrived in time.
static bool wait_readable(int fd, uint64_t deadline)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    for (;;) {
        uint64_t now = clock_ns();
        if (now >= deadline)
            return false;
        int r = poll(&one, 1, (int)((deadline - now) / 1000000 + 1));
        if (r > 0)
            return true;
        if (r < 0 && errno != EINTR)
            return false;
    }
}

bool remote_recv(int fd, void *data, size_t size, int limit_ms)
{
    uint64_t deadline = clock_ns() + (uint64_t)(limit_ms < 0 ? 0 : limit_ms) * 1000000;
    char *at = data;
    while (size) {
        if (limit_ms >= 0 && !wait_readable(fd, deadline))
            return false;
        ssize_t n = recv(fd, at, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void remote_tune(int fd)
{
    const int on = 1, idle_s = 10, every_s = 5, probes = 2;
    const unsigned gone_ms = GONE_MS;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, sizeof(gone_ms));
}

// ---- the other side's end -----------------------------------------------------------------------

struct watch {
    int fd;
    _Atomic bool over; // the connection ended regularly
    struct problem *problem;
};

static struct watch watch; // one for a process

static void *watch_end(void *arg)
{
    (void)arg;
    struct pollfd one = {.fd = watch.fd, .events = POLLRDHUP};
    while (poll(&one, 1, -1) < 0 && errno == EINTR)
        ;
    sleep(GRACE_S); // the process has ended before that, if it has nothing to wait for
    if (watch.over)
        return NULL;
    if (!watch.problem->s[0])
        problem_set(watch.problem, "the other machine's process has ended, or cannot be reached");
    _exit(1);
}

void remote_watch(int fd, struct problem *problem)
{
    pthread_t thread;
    // A copy: the number must not become another file's while the thread waits.
    watch.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    watch.problem = problem;
    if (watch.fd >= 0 && pthread_create(&thread, NULL, watch_end, &watch) == 0)
        pthread_detach(thread);
}

void remote_close(int fd)
{
    if (fd < 0)
        return;
    watch.over = true;
    shutdown(fd, SHUT_WR); // the watch has the socket open as well
    close(fd);
}

// ---- the client ---------------------------------------------------------------------------------

// "name", "name:port", "10.0.0.2:port", "fe80::1", "[fe80::1]:port"
static bool split(const char *server, char *host, const char **port)
{
    const char *end = strrchr(server, ':');
    size_t n = strlen(server);
    *port = REMOTE_PORT;
    if (server[0] == '[') {
        const char *close = strchr(server++, ']');
        if (!close || (close[1] && close[1] != ':'))
            return false;
        n = (size_t)(close - server);
        if (close[1])
            *port = close + 2;
    } else if (end && end == strchr(server, ':')) {
        n = (size_t)(end - server);
        *port = end + 1;
    }
    if (n == 0 || n >= HOST_MAX || !**port)
        return false;
    memcpy(host, server, n);
    host[n] = '\0';
    return true;
}

static bool wait_connected(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    int error = 0, r;
    socklen_t length = sizeof(error);
    do {
        r = poll(&one, 1, CONNECT_MS);
    } while (r < 0 && errno == EINTR);
    if (r == 0)
        errno = ETIMEDOUT;
    if (r <= 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
        return false;
    errno = error;
    return error == 0;
}

// A blocking socket that is connected, or -1 and errno.
static int connect_one(const struct addrinfo *at)
{
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((connect(fd, at->ai_addr, at->ai_addrlen) == 0 ||
         (errno == EINPROGRESS && wait_connected(fd)))) {
        int off = 0;
        if (ioctl(fd, FIONBIO, &off) == 0)
            return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool connect_to(int *fd, const char *server, struct problem *problem)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list;
    char host[HOST_MAX];
    const char *port;

    if (!split(server, host, &port))
        return problem_set(problem, "--server takes HOST, HOST:PORT or [ADDRESS]:PORT, not '%s'",
                           server);
    int r = getaddrinfo(host, port, &hints, &list);
    if (r != 0)
        return problem_set(problem, "server %s: %s", server, gai_strerror(r));
    for (const struct addrinfo *at = list; at && (*fd = connect_one(at)) < 0;)
        at = at->ai_next;
    int error = errno;
    freeaddrinfo(list);
    if (*fd >= 0)
        return true;
    return problem_set(problem,
                       "server %s: %s (is `doca-perftest server` running there, and port %s "
                       "open?)",
                       server, strerror(error), port);
}

static bool read_answer(int fd, struct problem *problem)
{
    struct wire_answer answer;
    if (!remote_recv(fd, &answer, sizeof(answer), -1))
        return problem_set(problem, "the server has ended before it answered");
    if (memcmp(answer.magic, magic, sizeof(magic)) != 0)
        return problem_set(problem, "the server is not doca-perftest, or of another version");
    answer.text[sizeof(answer.text) - 1] = '\0';
    for (char *c = answer.text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?'; // its text is printed on a terminal
    return !answer.text[0] || problem_set(problem, "the server: %.380s", answer.text);
}

bool remote_open(int *fd, const char *server, const struct remote_request *request,
                 struct problem *problem)
{
    struct wire_request wire = {
        .size = htole64(request->size),
        .kind = htole32(request->kind),
        .what = htole32(request->what),
        .depth = htole32(request->depth),
        .memory = htole32(request->memory),
    };
    memcpy(wire.magic, magic, sizeof(magic));
    if (!connect_to(fd, server, problem))
        return false;
    remote_tune(*fd);
    remote_watch(*fd, problem);
    return (remote_send(*fd, &wire, sizeof(wire)) ||
            problem_set(problem, "the server has ended before the request")) &&
           read_answer(*fd, problem);
}

bool remote_recv_export(int fd, struct remote_export *out, struct problem *problem)
{
    struct wire_export wire;
    if (!remote_recv(fd, &wire, sizeof(wire), REMOTE_SILENCE_MS))
        return problem_set(problem, "the server has ended before it exported memory");
    out->address = le64toh(wire.address);
    out->len = le32toh(wire.len);
    if (out->len > sizeof(out->desc))
        return problem_set(problem, "the server has sent a descriptor of %u bytes", out->len);
    memcpy(out->desc, wire.desc, sizeof(out->desc));
    return true;
}

// ---- the server's process -----------------------------------------------------------------------

bool remote_take(int fd, struct remote_request *request)
{
    struct wire_request wire;
    struct problem problem = {0};
    if (!remote_recv(fd, &wire, sizeof(wire), REMOTE_SILENCE_MS))
        return false;
    *request = (struct remote_request){
        .size = le64toh(wire.size),
        .kind = (enum remote_kind)le32toh(wire.kind),
        .what = le32toh(wire.what),
        .depth = le32toh(wire.depth),
        .memory = (enum memory_kind)le32toh(wire.memory),
    };
    if (memcmp(wire.magic, magic, sizeof(magic)) != 0)
        problem_set(&problem, "the client is of another version");
    else if (request->kind >= N_REMOTE_KINDS || request->memory > MEMORY_TINY)
        problem_set(&problem, "the request is of a kind that is not known here");
    else if (request->size == 0 || request->size > REMOTE_BYTES_MAX)
        problem_set(&problem, "memory of %llu bytes: a server takes at most 2 GiB",
                    (unsigned long long)request->size);
    if (!problem.s[0])
        return true;
    remote_answer(fd, false, &problem);
    return false;
}

bool remote_answer(int fd, bool ok, const struct problem *problem)
{
    struct wire_answer answer = {{0}};
    memcpy(answer.magic, magic, sizeof(magic));
    if (!ok)
        snprintf(answer.text, sizeof(answer.text), "%s",
                 problem->s[0] ? problem->s : "it cannot do that");
    return remote_send(fd, &answer, sizeof(answer));
}

bool remote_send_export(int fd, uint64_t address, const void *desc, size_t len)
{
    struct wire_export wire = {.address = htole64(address), .len = htole32((uint32_t)len)};
    if (len > sizeof(wire.desc))
        return false;
    memcpy(wire.desc, desc, len);
    return remote_send(fd, &wire, sizeof(wire));
}
