// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The processes that look at what clients send, and close it: descriptors of any kind and of any
// user, packets with them, and helpers that die. In the end all is closed.

#include "fd_reaper.h"
#include "passed_fds.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define STEPS_MAX 40
#define LOOKS     4
#define WAITS_MAX 20000 // of a quarter of a millisecond

static struct look {
    int here, there; // -1: none
    struct fd_inspection *look;
} looks[LOOKS];
static unsigned usual_fds;

static void start(void)
{
    if (!fd_reaper_start())
        abort();
    fd_reaper_receive_from(FD_REAPER_NO_UID);
}

static uid_t any_uid(uint8_t how)
{
    return how >= 0xe0 ? FD_REAPER_NO_UID : 1000 + how % 3u;
}

static void work(int ms)
{
    struct pollfd wait = {.fd = fd_reaper_fd(), .events = POLLIN};
    if (poll(&wait, 1, ms) > 0)
        fd_reaper_work();
}

static void on_looked(void *arg, enum fd_verdict finding)
{
    struct look *l = arg;
    struct fd_list fds = FD_LIST_EMPTY;
    char packet[256];

    l->look = NULL;
    if (finding == FD_VERDICT_GOOD &&
        packet_recv(l->here, packet, sizeof(packet), &fds, MSG_DONTWAIT) < 0)
        abort(); // it has told of a packet
    fd_list_close(&fds);
}

static void leave(struct look *l)
{
    fd_reaper_inspect_cancel(l->look);
    l->look = NULL;
    if (l->here < 0)
        return;
    fd_reaper_close_socket(l->here, 1000);
    close(l->there);
    l->here = l->there = -1;
}

// A packet with descriptors arrives, and a helper looks at it.
static void look(struct look *l, struct input *in)
{
    struct sent_fds fds = {.n = 0};
    uint8_t how = input_u8(in);
    int pair[2];

    if (l->look)
        return;
    leave(l);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    l->here = pair[0];
    l->there = pair[1];
    int one = 1;
    setsockopt(l->here, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
    sent_fds_add_any(&fds, in, how % 5, STDIN_FILENO);
    int failed = packet_send(l->there, "packet", 6, fds.fds, fds.n, MSG_DONTWAIT);
    sent_fds_close(&fds);
    if (failed == 0)
        l->look = fd_reaper_inspect(l->here, any_uid(how), on_looked, l);
}

static void close_some(struct input *in)
{
    struct sent_fds fds = {.n = 0};
    uint8_t how = input_u8(in);

    sent_fds_add_any(&fds, in, 1 + how % 3, STDIN_FILENO);
    if (how & 4)
        fd_reaper_close_all(fds.fds, fds.n, any_uid(input_u8(in)));
    else
        for (size_t i = 0; i < fds.n; i++)
            fd_reaper_close(fds.fds[i], any_uid(input_u8(in)));
}

static void close_many(struct input *in)
{
    uint8_t how = input_u8(in);
    for (unsigned i = 0; i < how; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
            return;
        fd_reaper_close(pair[0], any_uid(how));
        fd_reaper_close_socket(pair[1], any_uid(how));
    }
}

// The children of children of this process are helpers.
static pid_t helper(unsigned n)
{
    char path[64];
    int pid = 0, child = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &child) != 1)
        child = 0;
    if (file)
        fclose(file);
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", child, child);
    file = child ? fopen(path, "r") : NULL;
    for (unsigned i = 0; file && i <= n; i++)
        if (fscanf(file, "%d", &pid) != 1)
            break;
    if (file)
        fclose(file);
    return pid;
}

static void act(uint8_t what, struct input *in)
{
    switch (what & 7) {
    case 0:
        close_some(in);
        break;
    case 1:
        look(&looks[what >> 3 & 3], in);
        break;
    case 2:
        leave(&looks[what >> 3 & 3]);
        break;
    case 3:
        close_many(in);
        break;
    case 4:
        fd_reaper_receive_from(any_uid(input_u8(in)));
        break;
    case 5: {
        pid_t pid = what & 0x80 ? helper(what >> 3 & 3) : 0;
        if (pid > 0)
            kill(pid, SIGKILL);
        break;
    }
    case 6:
        if (what & 0x80) {
            for (size_t i = 0; i < LOOKS; i++)
                leave(&looks[i]);
            fd_reaper_stop();
            start();
        }
        break;
    default:
        if (fd_reaper_load(any_uid(what)) > FD_REAPER_STUCK)
            abort();
        work(input_u8(in) % 8);
        break;
    }
    work(0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < LOOKS; i++)
        looks[i].here = looks[i].there = -1;
    start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step;
    uint8_t what;

    if (!usual_fds) // libFuzzer has files of its own by now
        usual_fds = count_fds();
    for (int i = 0; i < STEPS_MAX && input_step(&in, &what, &step); i++)
        act(what, &step);
    for (size_t i = 0; i < LOOKS; i++)
        leave(&looks[i]);
    fd_reaper_receive_from(FD_REAPER_NO_UID);
    for (int i = 0; fd_reaper_load(1000) + fd_reaper_load(1001) + fd_reaper_load(1002) > 0 ||
                    count_fds() > usual_fds + 8;
         i++) {
        work(0);
        if (i == WAITS_MAX) {
            dprintf(2, "left: descriptors %u of %u\n", count_fds(), usual_fds);
            say_fds();
            abort();
        }
        if (i > 3)
            usleep(250);
    }
    return 0;
}
