// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "server.h"

#include "cleanup.h"
#include "clock.h"
#include "commands.h"
#include "duet.h"
#include "exporter.h"
#include "pidfd.h"
#include "rdma_rig.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING 16 // clients that wait to be served

// ---- a client -----------------------------------------------------------------------------------

static int serve_rdma(int fd, const struct remote_request *request, const struct options *ours)
{
    struct problem problem = {0};
    struct options options = {.size = request->size, .depth = request->depth};
    struct rdma_plan plan = {.test = (enum rdma_test)request->what,
                             .size = request->size,
                             .depth = request->depth,
                             .device = ours->device,
                             .other_cpu = ours->cpu[0]};
    bool fits = (request->what <= RDMA_ATOMIC || problem_set(&problem, "an unknown test")) &&
                check_rdma(&options, &problem);
    return remote_answer(fd, fits, &problem) && fits ? rdma_rig_respond(&plan, fd) : 1;
}

static int serve_duet(int fd, const struct remote_request *request)
{
    struct problem problem = {0};
    struct options options = {.size = request->size};
    bool fits = (request->what <= DUET_BY_CHANNEL || problem_set(&problem, "an unknown test")) &&
                check_duet(&options, &problem);
    return remote_answer(fd, fits, &problem) && fits
               ? duet_respond((enum duet_means)request->what, request->size, fd)
               : 1;
}

// A process of its own: the library has one session in each, and the session ends with it.
static _Noreturn void run_server(int fd, const struct options *options)
{
    static struct problem ended;
    struct remote_request request;

    if (!remote_take(fd, &request))
        exit(1);
    remote_watch(fd, &ended);
    cpu_pin(options->cpu[0]);
    switch (request.kind) {
    case REMOTE_EXPORT:
        exit(exporter_serve_remote(fd, &request));
    case REMOTE_RDMA:
        exit(serve_rdma(fd, &request, options));
    default:
        exit(serve_duet(fd, &request));
    }
}

// ---- all clients --------------------------------------------------------------------------------

static int listen_at(const struct addrinfo *at)
{
    const int on = 1, off = 0;
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (at->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)); // IPv4 as well
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, WAITING) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool listen_on(int *fd, const char *address, const char *port, struct problem *problem)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    int r = getaddrinfo(address, port, &hints, &list), error = EADDRNOTAVAIL;
    if (r != 0)
        return problem_set(problem, "--bind %s: %s", address, gai_strerror(r));
    // IPv6 first: such a socket takes IPv4 too, if no address is given.
    for (int v6 = 1; v6 >= 0 && *fd < 0; v6--)
        for (const struct addrinfo *at = list; at && *fd < 0; at = at->ai_next)
            if ((at->ai_family == AF_INET6) == v6 && (*fd = listen_at(at)) < 0)
                error = errno;
    freeaddrinfo(list);
    return *fd >= 0 || problem_set(problem, "cannot listen on %s port %s: %s",
                                   address ? address : "any address,", port, strerror(error));
}

// The line that the process which starts us waits for.
static bool print_address(int fd, struct problem *problem)
{
    struct sockaddr_storage at;
    socklen_t length = sizeof(at);
    char host[80], port[16];
    if (getsockname(fd, (struct sockaddr *)&at, &length) < 0 ||
        getnameinfo((struct sockaddr *)&at, length, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return problem_set(problem, "getsockname: %s", strerror(errno));
    printf("doca-perftest server: listening on %s port %s\n", host, port);
    return fflush(stdout) == 0 || problem_set(problem, "cannot write to standard output");
}

static void serve(struct supervisor *sup, int fd, const struct options *options)
{
    remote_tune(fd);
    pid_t pid = supervisor_fork(sup, SIGKILL);
    if (pid == 0)
        run_server(fd, options);
    close(fd);
    if (pid < 0) {
        fprintf(stderr, "doca-perftest: fork: %s\n", strerror(errno));
        return;
    }
    // It ends with its client, because only the client has the duration.
    cleanup_fd int pidfd = pidfd_of(pid, 0);
    supervisor_reap(sup, pid, pidfd, -1);
}

bool supervise_server(struct supervisor *sup, const struct options *options,
                      struct problem *problem)
{
    cleanup_fd int listening = -1;

    if (options->socket)
        setenv("DOCAD_SOCKET", options->socket, 1);
    if (!listen_on(&listening, options->bind, options->port ? options->port : REMOTE_PORT,
                   problem) ||
        !print_address(listening, problem))
        return false;
    while (!sup->caught) {
        if (!supervisor_wait(sup, listening, -1, -1))
            continue;
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue; // it has disconnected
        serve(sup, fd, options);
        if (options->once)
            break;
    }
    return true;
}
