// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/severed.h"

#include "cleanup.h"
#include "core/process.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

// Under the process lock.
static struct list all = {&all, &all};

// What takes the place of a child's descriptors.
struct stand_ins {
    int sock, event;
};

static int dead_socket(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

static void replace(int fd, const struct stand_ins *stand_ins)
{
    int type;
    socklen_t length = sizeof(type);
    bool is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
    int by = is_socket ? stand_ins->sock : stand_ins->event;

    // Without descriptors to replace them by, they are open no more.
    if (by < 0 || dup3(by, fd, O_CLOEXEC) < 0)
        close(fd);
}

static void sever_in_child(void)
{
    struct stand_ins stand_ins = {-1, -1};
    struct severed *s;

    if (list_empty(&all))
        return;
    stand_ins.sock = dead_socket();
    stand_ins.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    list_for_each (s, &all, link) {
        if (s->pages)
            (void)mmap(s->pages, s->length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        for (size_t i = 0; i < SEVERED_FDS_MAX && s->fds[i]; i++)
            if (*s->fds[i] >= 0)
                replace(*s->fds[i], &stand_ins);
    }
    close_fdp(&stand_ins.sock);
    close_fdp(&stand_ins.event);
}

static struct fork_hook sever = {.in_child = sever_in_child};

void severed_add(struct severed *s)
{
    process_on_fork(&sever);
    process_lock();
    list_append(&all, &s->link);
    process_unlock();
}

void severed_remove(struct severed *s)
{
    if (!list_linked(&s->link))
        return;
    process_lock();
    list_remove(&s->link);
    process_unlock();
}
