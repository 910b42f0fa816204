// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "passed_fds.h"

#include "activity.h"
#include "any_message.h"
#include "cleanup.h"
#include "memfd.h"
#include "queue_pair.h"
#include "sync_page.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD            16
#define SIZE_MAX_MAPPED (8 << 20)

// ---- to docad -----------------------------------------------------------------------------

void sent_fds_add(struct sent_fds *to, int fd)
{
    if (fd < 0)
        return;
    if (to->n < SENT_FDS_MAX)
        to->fds[to->n++] = fd;
    else
        close(fd);
}

void sent_fds_add_pair(struct sent_fds *to, int type)
{
    int pair[2];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    sent_fds_add(to, pair[0]);
    sent_fds_add(to, pair[1]);
}

void sent_fds_close(struct sent_fds *fds)
{
    while (fds->n > 0)
        close(fds->fds[--fds->n]);
}

static int memory_with_seals(int seals)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, 4096) < 0 || fcntl(fd, F_ADD_SEALS, seals) < 0)
        abort();
    return fd;
}

void sent_fds_add_any(struct sent_fds *to, struct input *in, size_t n, int memory_fd)
{
    static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM, SOCK_DGRAM};
    size_t before;

    for (; n > 0; n--) {
        uint8_t how = input_u8(in);
        before = to->n;
        switch (how % 8) {
        case 0:
            sent_fds_add(to, memfd_create_sealed("fuzz", (size_t)4096 << (how / 8 % 4)));
            break;
        case 1:
            sent_fds_add(to, fcntl(memory_fd, F_DUPFD_CLOEXEC, 0));
            break;
        case 2:
            sent_fds_add(to, how & 16 ? sync_timer_new()
                                      : eventfd(0, EFD_CLOEXEC | (how & 8 ? EFD_NONBLOCK : 0)));
            break;
        case 3:
            sent_fds_add_pair(to, types[how / 8 % 3]);
            break;
        case 4:
            sent_fds_add(to, memory_with_seals(how >> 3));
            break;
        case 5:
            sent_fds_add(to,
                         open(how & 8 ? "/dev/null" : "/proc/self/status", O_RDONLY | O_CLOEXEC));
            break;
        case 6:
            sent_fds_add(to, memfd_create_sealed("fuzz", 4096));
            if (to->n > before && to->n < SENT_FDS_MAX)
                sent_fds_add(to, memfd_reopen_readonly(to->fds[to->n - 1]));
            break;
        default:
            sent_fds_add(to, memfd_create_sealed("fuzz", input_u16(in)));
            break;
        }
    }
}

// ---- from docad ---------------------------------------------------------------------------

static struct {
    int fd;      // -1: none
    uint8_t *at; // NULL: not mapped
    size_t size;
} held[HELD];
static unsigned n_held;

static void drop(unsigned i)
{
    if (held[i].at)
        munmap(held[i].at, held[i].size);
    close(held[i].fd);
    held[i].at = NULL;
    held[i].fd = -1;
}

static void hold(int fd)
{
    unsigned i = n_held++ % HELD;
    struct stat file;

    if (n_held > HELD)
        drop(i);
    held[i].fd = fd;
    held[i].at = NULL;
    if (fstat(fd, &file) < 0 || !S_ISREG(file.st_mode) || file.st_size < 64 ||
        file.st_size > SIZE_MAX_MAPPED)
        return;
    void *at = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    held[i].at = at;
    held[i].size = (size_t)file.st_size;
}

void held_take(struct fd_list *fds)
{
    for (size_t i = 0; i < fds->count; i++)
        if (fds->fds[i] >= 0)
            hold(fd_list_take(fds, i));
}

static void write_ring(struct qp_shared *q, struct input *in, uint64_t address)
{
    for (uint8_t n = input_u8(in) % 4 + 1; n > 0; n--) {
        uint8_t how = input_u8(in);
        uint32_t head = q->request_head;
        struct qp_request r = {.opcode = how < 0xf0 ? 1 + how % 5u : (uint32_t)input_odd(in),
                               .length = how & 0x80 ? (uint32_t)input_odd(in) : 8,
                               .offset = how & 0x40 ? (uint32_t)input_odd(in) : how * 8u,
                               .tag = how};
        r.key = (uint32_t)values_pick(VALUE_KEY, in);
        r.address = how & 0x20 ? input_odd(in) : address + input_u8(in) * 8u;
        if (r.opcode == QP_COPY && r.offset < 4096) {
            struct qp_copy copy = {address + input_u16(in), address + input_u16(in), input_u16(in),
                                   (uint32_t)values_pick(VALUE_KEY, in),
                                   (uint32_t)values_pick(VALUE_KEY, in)};
            memcpy(&q->data[0][0] + r.offset, &copy, sizeof(copy));
        }
        q->requests[head % QP_ENTRIES] = r;
        q->request_head = how == 0xef ? (uint32_t)input_odd(in) : head + 1;
        if (how & 1)
            q->completion_tail = q->completion_head;
        q->client_armed = how >> 1 & 1;
    }
}

static void wake(void)
{
    const uint64_t one = 1;
    for (unsigned i = 0; i < HELD && i < n_held; i++) {
        struct stat file; // an eventfd is neither file nor socket
        if (held[i].at || fstat(held[i].fd, &file) < 0 || S_ISREG(file.st_mode) ||
            S_ISSOCK(file.st_mode))
            continue;
        fcntl(held[i].fd, F_SETFL, O_NONBLOCK);
        ssize_t n = write(held[i].fd, &one, sizeof(one));
        (void)n;
    }
}

// As the library of a program that works: which imports it touches, and what it counts.
static void write_activity(struct activity *a, struct input *in)
{
    uint8_t how = input_u8(in);
    struct work_stats *stats = &a->stats[how % 4];

    atomic_store(&a->places, how & 0x80 ? (uint32_t)input_odd(in) : 1 + how % 4u);
    atomic_store(&a->slots[how % 4].imports[0], values_pick(VALUE_IMPORT, in));
    if (how & 0x40)
        activity_leave(&a->slots[how % 4]);
    atomic_store(&stats->library, input_u8(in) % (WORK_LIBRARIES + 1));
    atomic_store(&stats->in_use, 1);
    atomic_store(&stats->jobs, input_odd(in));
    atomic_store(&stats->mapped_bytes, input_odd(in));
    atomic_store(&stats->engine_bytes, input_odd(in));
    atomic_store(&stats->errors[input_u8(in) % WORK_STATS_ERRORS], (uint32_t)input_odd(in));
}

void held_write(struct input *in, uint64_t address)
{
    unsigned n = n_held < HELD ? n_held : HELD;
    uint8_t how = input_u8(in);
    if (!n)
        return;
    unsigned i = (n_held - 1 - how / 4u % n) % HELD;
    if (!held[i].at) {
        send(held[i].fd, in->at, in->left, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (held[i].size == sizeof(struct qp_shared) && how % 4 < 3) {
        write_ring((struct qp_shared *)held[i].at, in, address);
        wake();
    } else if (held[i].size == sizeof(struct activity) && how % 4 < 3) {
        write_activity((struct activity *)held[i].at, in);
    } else {
        while (in->left) {
            size_t at = input_u16(in) % held[i].size;
            held[i].at[at] = input_u8(in);
        }
    }
}

void held_receive(void)
{
    unsigned n = n_held < HELD ? n_held : HELD;

    for (unsigned i = 0; i < n; i++) {
        char packet[512];
        struct fd_list fds;
        if (held[i].fd < 0 || held[i].at ||
            packet_recv(held[i].fd, packet, sizeof(packet), &fds, MSG_DONTWAIT) < 0)
            continue;
        held_take(&fds);
        fd_list_close(&fds);
    }
}

void held_drop(void)
{
    for (unsigned i = 0; i < HELD && i < n_held; i++)
        drop(i);
    n_held = 0;
}

unsigned count_fds(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    closedir(dir);
    return n;
}

void say_fds(void)
{
    char path[32], to[256];
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, to, sizeof(to));
        if (n >= 0)
            dprintf(2, "%d: %.*s\n", fd, (int)n, to);
    }
}
