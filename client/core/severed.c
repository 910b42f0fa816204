// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/severed.h"

#include "cleanup.h"
#include "core/process.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

// Under the process lock.
static struct list all = {&all, &all};

// The replacements of a child's descriptors.
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

static struct severed_file file_of(int fd)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return (struct severed_file){.inode = 0};
    return (struct severed_file){
        .device = st.st_dev, .inode = st.st_ino, .socket = S_ISSOCK(st.st_mode)};
}

static void note(const struct severed *s, struct severed_file *files)
{
    for (size_t i = 0; i < SEVERED_FDS_MAX && s->fds[i]; i++)
        files[i] = file_of(*s->fds[i]);
}

// Ignores a descriptor number that now refers to another file: the program has reused it.
static void replace(int *fd, struct severed_file *file, const struct stand_ins *stand_ins)
{
    struct severed_file now = file_of(*fd);
    bool same = now.inode && now.inode == file->inode && now.device == file->device;
    int by = now.socket ? stand_ins->sock : stand_ins->event;

    if (same && by >= 0 && dup3(by, *fd, O_CLOEXEC) >= 0) {
        *file = file_of(*fd);
        return;
    }
    if (same)
        close(*fd);
    *fd = -1;
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
                replace(s->fds[i], &s->files[i], &stand_ins);
    }
    close_fdp(&stand_ins.sock);
    close_fdp(&stand_ins.event);
}

static struct fork_hook sever = {.in_child = sever_in_child};

void severed_add(struct severed *s)
{
    process_on_fork(&sever);
    note(s, s->files);
    process_lock();
    list_append(&all, &s->link);
    process_unlock();
}

void severed_note(struct severed *s)
{
    struct severed_file files[SEVERED_FDS_MAX] = {{.inode = 0}};

    note(s, files);
    process_lock();
    memcpy(s->files, files, sizeof(files));
    process_unlock();
}

void severed_remove(struct severed *s)
{
    process_lock(); // neighbours in the list may come and go
    if (list_linked(&s->link))
        list_remove(&s->link);
    process_unlock();
}
