// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The helpers' code runs in forked processes and only calls functions that are allowed after fork()
// in a process with threads.

#include "helper.h"

#include "cleanup.h"
#include "packet.h"
#include "received.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __GLIBC__ // musl has no function for it
#define close_range(first, last, flags) syscall(SYS_close_range, first, last, flags)
#endif

// A socket that lingers over its data stops when a signal comes: after this time.
#define LINGER_US 50000
#define MAKER_END 'e'     // the order to end; any other one makes a helper
#define END_US    5000000 // how long the process that makes helpers waits for them; idle ones end

static int maker = -1; // the socket to the process that makes helpers
static pid_t maker_pid;

// ---- in a helper --------------------------------------------------------------------------

static void close_now(int fd)
{
    close(fd);
}

static void on_alarm(int signal)
{
    (void)signal;
}

// Only docad may end a helper: others would take from it what it is closing. docad's end is visible
// at the socket.
static void set_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction alarm = {.sa_handler = on_alarm}; // without SA_RESTART
    const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGCHLD};
    sigset_t none;

    for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
        sigaction(ignored[i], &ignore, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Closes all descriptors but this one, which gets the number 3.
static int keep_only(int fd)
{
    int ours = fcntl(fd, F_DUPFD_CLOEXEC, 4), null = open("/dev/null", O_RDWR);
    if (ours < 0 || null < 0)
        _exit(1);
    for (int i = 0; i < 3; i++) // otherwise a process that waits for the end of docad's output
                                // would wait for the helpers
        dup2(null, i);
    dup3(ours, 3, O_CLOEXEC);
    close_range(4, ~0u, 0);
    return 3;
}

static void alarm_every(long us)
{
    const struct itimerval every = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &every, NULL);
}

static void close_all(struct fd_list *fds)
{
    alarm_every(LINGER_US);
    for (size_t i = 0; i < fds->count; i++)
        close(fds->fds[i]);
    fds->count = 0;
    alarm_every(0);
}

static void close_rights(struct msghdr *msg)
{
    alarm_every(LINGER_US);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            close(fd);
        }
    }
    alarm_every(0);
}

static enum helper_answer judge(struct msghdr *msg)
{
    size_t count = 0;
    bool good = true;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        count += n;
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            good = good && received_kind(fd) != RECEIVED_FOREIGN;
        }
    }
    if (count > PACKET_FDS_MAX || (msg->msg_flags & MSG_CTRUNC))
        return HELPER_MANY;
    return good ? HELPER_GOOD : HELPER_BAD;
}

static void send_answer(int sock, enum helper_answer answer)
{
    char byte = (char)answer;
    packet_send(sock, &byte, 1, NULL, 0, 0);
}

// Receives only the descriptors and the first byte of a packet.
struct received {
    char byte;
    struct iovec iov;
    struct msghdr msg;
    union packet_control control; // last, because a struct cmsghdr has no fixed size
};

static bool receive(struct received *r, int client, int flags)
{
    ssize_t n;
    do {
        r->iov = (struct iovec){.iov_base = &r->byte, .iov_len = 1};
        r->msg = (struct msghdr){.msg_iov = &r->iov,
                                 .msg_iovlen = 1,
                                 .msg_control = r->control.bytes,
                                 .msg_controllen = sizeof(r->control.bytes)};
        n = recvmsg(client, &r->msg, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    return n >= 0;
}

// Takes the packet if it is not good, or if it has to. Answers before it closes its own copies of
// the descriptors.
static void inspect(int sock, int client, bool take)
{
    struct received seen, taken;

    bool any = receive(&seen, client, MSG_PEEK);
    enum helper_answer answer = take ? HELPER_BAD : any ? judge(&seen.msg) : HELPER_GOOD;
    bool took = answer != HELPER_GOOD && receive(&taken, client, 0);
    // docad has this socket still, and need not wait until we have closed the rest.
    struct fd_list socket = {.fds = {client}, .count = 1};
    close_all(&socket);
    send_answer(sock, answer);
    if (any)
        close_rights(&seen.msg);
    if (took)
        close_rights(&taken.msg);
}

_Noreturn static void serve(int sock)
{
    struct fd_list fds;
    char order;

    prctl(PR_SET_NAME, "docad-helper");
    send_answer(sock, HELPER_READY);
    for (;;) {
        ssize_t n = packet_recv(sock, &order, 1, &fds, 0);
        if (n <= 0)
            _exit(0);
        if ((order == HELPER_INSPECT || order == HELPER_TAKE) && fds.count == 1) {
            inspect(sock, fds.fds[0], order == HELPER_TAKE);
        } else {
            struct fd_list none;
            packet_recv(sock, &order, 1, &none, 0); // HELPER_GO, or docad has ended
            close_all(&fds);
        }
        send_answer(sock, HELPER_DONE);
    }
}

// ---- in the process that makes them ---------------------------------------------------------

// The helper begins when no other process has its end of the socket any more: descriptors in its
// queue when the helper ends would be closed here.
static void fork_helper(int sock, int to)
{
    int gate[2];
    char byte;

    if (pipe2(gate, O_CLOEXEC) < 0) {
        close(to);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[1]);
        close(sock);
        while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
            ;
        serve(keep_only(to));
    }
    close(to);
    close(gate[0]);
    close(gate[1]);
}

// Children of a process that ignores SIGCHLD are no zombies: waitpid() returns when the last one
// has ended, or when the signal comes.
_Noreturn static void end_after_helpers(void)
{
    alarm_every(END_US);
    waitpid(-1, NULL, 0);
    _exit(0);
}

_Noreturn static void make_helpers(int sock)
{
    struct fd_list fds;
    char byte;

    prctl(PR_SET_NAME, "docad-helpers");
    for (;;) {
        ssize_t n = packet_recv(sock, &byte, 1, &fds, 0);
        if (n <= 0)
            _exit(0);
        if (byte == MAKER_END)
            end_after_helpers();
        if (fds.count == 1)
            fork_helper(sock, fds.fds[0]);
    }
}

// ---- in docad -------------------------------------------------------------------------------

bool helpers_start(void)
{
    int pair[2];

    helpers_stop();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        set_signals();
        fd_list_close_one = close_now;
        make_helpers(keep_only(pair[1]));
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return false;
    }
    maker = pair[0];
    maker_pid = pid;
    return true;
}

void helpers_stop(void)
{
    close_fdp(&maker);
    if (maker_pid > 0 && waitpid(maker_pid, NULL, WNOHANG) == maker_pid)
        maker_pid = 0;
}

void helpers_end(void)
{
    char byte = MAKER_END;

    if (maker >= 0 && maker_pid > 0 && packet_send(maker, &byte, 1, NULL, 0, MSG_DONTWAIT) >= 0) {
        while (waitpid(maker_pid, NULL, 0) < 0 && errno == EINTR)
            ;
        maker_pid = 0;
    }
    helpers_stop();
}

int helper_new(void)
{
    char byte = 0;
    int pair[2];

    if (maker < 0)
        return -ENOTCONN;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int r = packet_send(maker, &byte, 1, &pair[1], 1, MSG_DONTWAIT);
    close(pair[1]);
    if (r < 0) {
        close(pair[0]);
        return r;
    }
    return pair[0];
}
