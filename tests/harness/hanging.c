// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A process mounts a file system of its own (FUSE, spoken over /dev/fuse) in a user namespace.
// It answers what is needed to open files, and nothing else. A second process opens a file,
// and waits for it while it holds what others will want.

#include "hanging.h"

#include "cleanup.h"
#include "memfd.h"
#include "packet.h"

#include <check.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#define PLACE "/tmp" // mounted over in the namespace alone
#define PAGE  4096

const char *const hanging_names[HANGING_KINDS] = {
    [HANGING_FILE] = "file",        [HANGING_POSITION] = "position",
    [HANGING_MEMFD] = "memfd",      [HANGING_EVENTFD] = "eventfd",
    [HANGING_PIPE] = "pipe",        [HANGING_FULL_PIPE] = "full pipe",
    [HANGING_TIMERFD] = "timerfd",  [HANGING_EPOLL] = "epoll",
    [HANGING_SOCKET] = "socket",    [HANGING_RECEIVER] = "receiver",
    [HANGING_USERFAULTFD] = "uffd", [HANGING_IO_URING] = "io_uring",
};

// ---- the file system --------------------------------------------------------------------

// Directory 1 is the root, 2 is "1"; 3 is "mem" in it.
static void fill_attributes(struct fuse_attr *a, uint64_t node)
{
    *a = (struct fuse_attr){.ino = node,
                            .size = PAGE,
                            .mode = node < 3 ? S_IFDIR | 0755 : S_IFREG | 0666,
                            .nlink = 1,
                            .blksize = PAGE};
}

static void reply(int dev, uint64_t unique, const void *body, size_t size)
{
    char bytes[256];
    struct fuse_out_header out = {.len = (uint32_t)(sizeof(out) + size), .unique = unique};
    memcpy(bytes, &out, sizeof(out));
    memcpy(bytes + sizeof(out), body, size);
    ssize_t n = write(dev, bytes, out.len);
    (void)n;
}

static void answer(int dev, const struct fuse_in_header *in, int held)
{
    struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
                                 .minor = 31,
                                 .max_write = 65536,
                                 .max_background = 16,
                                 .congestion_threshold = 12};
    struct fuse_entry_out entry = {.entry_valid = 3600}; // attributes are asked for each time
    struct fuse_open_out open = {.fh = 1};

    switch (in->opcode) {
    case FUSE_INIT:
        reply(dev, in->unique, &init, sizeof(init));
        break;
    case FUSE_LOOKUP:
        entry.nodeid = in->nodeid + 1;
        fill_attributes(&entry.attr, entry.nodeid);
        reply(dev, in->unique, &entry, sizeof(entry));
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        reply(dev, in->unique, &open, sizeof(open));
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
        break;
    default: {
        ssize_t n = write(held, "h", 1);
        (void)n;
    }
    }
}

static void write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = write(fd, text, strlen(text));
    (void)n;
    close(fd);
}

static int mount_it(void)
{
    char map[64], options[128];
    unsigned uid = getuid(), gid = getgid();

    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return -1;
    write_to("/proc/self/setgroups", "deny");
    snprintf(map, sizeof(map), "0 %u 1", uid);
    write_to("/proc/self/uid_map", map);
    snprintf(map, sizeof(map), "0 %u 1", gid);
    write_to("/proc/self/gid_map", map);
    int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC); // in the namespace that mounts it
    if (dev < 0)
        return -1;
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
    return mount("fuse", PLACE, "fuse", MS_NOSUID | MS_NODEV, options) < 0 ? -1 : dev;
}

// ---- the process that holds something ---------------------------------------------------

// The kernel bounds how many descriptors of a user are under way; other tests send some, too.
// Without one the test knows that there is none: our end could wait for what we have open.
static void give(int to, int fd)
{
    int r = packet_send(to, "d", 1, &fd, 1, 0);
    for (int i = 0; r == -ETOOMANYREFS && i < 500; i++) {
        usleep(10000);
        r = packet_send(to, "d", 1, &fd, 1, 0);
    }
    if (r == 0)
        return;
    packet_send(to, "n", 1, NULL, 0, 0); // io_uring: some kernels do not pass it on
    _exit(1);
}

static int open_file(void)
{
    int fd = open(PLACE "/1/mem", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        _exit(1);
    return fd;
}

// An address that a page comes to from the file, or never.
static void *map_file(void)
{
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, open_file(), 0);
}

// Gives it away and holds the lock of an epoll that watches it. Does not return before the end.
static void watch(int to, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        give(to, epoll);
    } else {
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        give(to, fd);
        close(fd);
    }
    epoll_ctl(epoll, EPOLL_CTL_ADD, open_file(), &event);
}

static void read_into_nowhere(int to, int fd)
{
    give(to, fd);
    ssize_t n = read(fd, map_file(), PAGE);
    (void)n;
}

static void receive_into_nowhere(int to)
{
    int pair[2];
    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair);
    send(pair[1], "x", 1, 0);
    read_into_nowhere(to, pair[0]);
}

static void write_from_nowhere(int to)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        _exit(1);
    give(to, ends[0]);
    close(ends[0]);
    ssize_t n = write(ends[1], map_file(), PAGE);
    (void)n;
}

static void make_fault_handler(int to)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    struct uffdio_api api = {.api = UFFD_API};
    void *watched = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {.range = {(uintptr_t)watched, PAGE},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    void *nowhere = map_file();
    char path[64], byte;

    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0)
        _exit(1);
    give(to, fd);
    close(fd);
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)getpid());
    if (fork() == 0) { // its read holds the lock of our address space
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ssize_t n = pread(open(path, O_RDONLY | O_CLOEXEC), &byte, 1, (off_t)(uintptr_t)nowhere);
        _exit(n == 1);
    }
    wait(NULL);
}

static void make_ring(int to)
{
    struct io_uring_params params = {0};
    int fd = (int)syscall(SYS_io_uring_setup, 4, &params);
    if (fd < 0)
        _exit(1);
    watch(to, fd);
}

static int make_pipe(void)
{
    int ends[2];
    return pipe2(ends, O_CLOEXEC) < 0 ? -1 : ends[0]; // the other one stays open
}

static int make_socket(void)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0 ? -1 : pair[0];
}

static void watch_many(int to, size_t n)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    while (n-- > 0) {
        int fd = eventfd(0, EFD_CLOEXEC);
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        give(to, fd);
        close(fd);
    }
    epoll_ctl(epoll, EPOLL_CTL_ADD, open_file(), &event);
}

static const int *watched; // the test's own
static size_t n_watched;

static void watch_those(int to)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < n_watched; i++) {
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, watched[i], &event) < 0)
            _exit(1);
        close(watched[i]);
    }
    give(to, epoll);
    epoll_ctl(epoll, EPOLL_CTL_ADD, open_file(), &event);
}

static void hold(enum hanging_kind kind, size_t many, int to)
{
    if (n_watched > 0)
        watch_those(to);
    if (many > 0)
        watch_many(to, many);
    switch (kind) {
    case HANGING_FILE:
        give(to, open_file());
        break;
    case HANGING_POSITION:
        read_into_nowhere(to, open_file());
        break;
    case HANGING_MEMFD:
        read_into_nowhere(to, memfd_create_sealed("hanging", PAGE));
        break;
    case HANGING_EVENTFD:
        watch(to, eventfd(0, EFD_CLOEXEC));
        break;
    case HANGING_PIPE:
        watch(to, make_pipe());
        break;
    case HANGING_FULL_PIPE:
        write_from_nowhere(to);
        break;
    case HANGING_TIMERFD:
        watch(to, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
        break;
    case HANGING_EPOLL:
        watch(to, -1);
        break;
    case HANGING_SOCKET:
        watch(to, make_socket());
        break;
    case HANGING_RECEIVER:
        receive_into_nowhere(to);
        break;
    case HANGING_USERFAULTFD:
        make_fault_handler(to);
        break;
    default:
        make_ring(to);
    }
    pause();
}

// ---- the test's side ----------------------------------------------------------------------

static int dev;
static pid_t holder;

// Whoever waits for the file system gets an error when the last descriptor of it closes.
static void end(int signal)
{
    (void)signal;
    close(dev);
    kill(holder, SIGKILL);
    while (wait(NULL) > 0)
        ;
    _exit(0);
}

static bool is_watched(int fd)
{
    for (size_t i = 0; i < n_watched; i++)
        if (watched[i] == fd)
            return true;
    return false;
}

// The sessions of the test end although this process was made meanwhile.
static void close_others(int to, int held)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fd != to && fd != held && !is_watched(fd))
            close(fd);
}

static void serve(enum hanging_kind kind, size_t many, int to, int held)
{
    static char bytes[65536 + 4096];

    if (n_watched > 0)
        close_others(to, held);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    dev = mount_it();
    if (dev < 0)
        _exit(1);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    signal(SIGTERM, end);
    holder = fork();
    if (holder == 0) {
        signal(SIGTERM, SIG_DFL);
        close(dev);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        hold(kind, many, to);
        _exit(0);
    }
    sigprocmask(SIG_UNBLOCK, &term, NULL); // now end() knows it
    close(to);
    for (size_t i = 0; i < n_watched; i++)
        close(watched[i]);
    for (;;) {
        ssize_t n = read(dev, bytes, sizeof(bytes));
        if (n >= (ssize_t)sizeof(struct fuse_in_header))
            answer(dev, (const struct fuse_in_header *)bytes, held);
        else if (n < 0 && errno != EINTR && errno != ENOENT)
            _exit(1);
    }
}

static int receive_one(int from)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    char byte;
    return packet_recv(from, &byte, 1, &fds, 0) == 1 ? fd_list_take(&fds, 0) : -1;
}

// `many`: 0, or as many of another kind. Returns where they come from.
static int begin(struct hanging *h, enum hanging_kind kind, size_t many)
{
    int pair[2], held[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert_int_eq(pipe2(held, O_CLOEXEC), 0);
    *h = (struct hanging){.fd = -1, .kind = kind, .held = held[0], .server = fork()};
    if (h->server == 0) {
        close(pair[0]);
        close(held[0]);
        serve(kind, many, pair[1], held[1]);
    }
    close(pair[1]);
    close(held[1]);
    return pair[0];
}

static bool is_held(const struct hanging *h)
{
    char byte;
    return read(h->held, &byte, 1) == 1;
}

bool hanging_open(struct hanging *h, enum hanging_kind kind, const char **why)
{
    int from = begin(h, kind, 0);
    h->fd = receive_one(from);
    close(from);
    if (h->fd >= 0 && (kind == HANGING_FILE || is_held(h)))
        return true;
    hanging_end(h);
    if (why)
        *why = "no /dev/fuse or no user namespaces for this user, or the kernel does not let "
               "descriptors of this kind be sent";
    return false;
}

bool hanging_open_many(struct hanging *h, int *fds, size_t n)
{
    int from = begin(h, HANGING_EVENTFD, n);
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good = (fds[i] = receive_one(from)) >= 0 && good;
    close(from);
    if (good && is_held(h))
        return true;
    hanging_end(h);
    for (size_t i = 0; i < n; i++)
        close_fdp(&fds[i]);
    return false;
}

bool hanging_watch(struct hanging *h, const int *fds, size_t n)
{
    watched = fds;
    n_watched = n;
    bool good = hanging_open(h, HANGING_EPOLL, NULL);
    n_watched = 0;
    if (good)
        close_fdp(&h->fd);
    return good;
}

void hanging_leave(struct hanging *h)
{
    if (h->kind != HANGING_FILE && h->kind != HANGING_POSITION) // each close of these waits
        close_fdp(&h->fd);
}

void hanging_end(struct hanging *h)
{
    kill(h->server, SIGTERM);
    waitpid(h->server, NULL, 0);
    close_fdp(&h->held);
    close_fdp(&h->fd);
}
