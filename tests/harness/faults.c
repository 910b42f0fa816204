// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static struct faults *_Atomic followed;

VISIBLE const char *faults_name(enum faults_function function)
{
    static const char *const names[FAULTS_FUNCTIONS] = {
        "none",    "malloc", "mmap",    "memfd_create", "socketpair", "epoll_ctl",
        "eventfd", "accept", "recvmsg", "sendmsg",      "pread",      "pthread_create",
        "open",    "fork",   "dup",     "disk"};
    return names[function];
}

VISIBLE void faults_follow(struct faults *page)
{
    atomic_store(&followed, page);
}

// In a daemon: the test has put the page where the environment says.
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("DOCAD_TEST_FAULTS");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *page = (void *)syscall(SYS_mmap, NULL, sizeof(struct faults), PROT_READ | PROT_WRITE,
                                 MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (page != MAP_FAILED)
        faults_follow(page);
}

static bool fails(enum faults_function function, int error)
{
    struct faults *f = atomic_load_explicit(&followed, memory_order_relaxed);
    if (!f || atomic_load_explicit(&f->function, memory_order_relaxed) != (int)function)
        return false;
    if (atomic_fetch_add(&f->calls, 1) + 1 != atomic_load(&f->nth))
        return false;
    atomic_fetch_add(&f->fired, 1);
    errno = error;
    return true;
}

// ---- memory -----------------------------------------------------------------------------------

static void *count(void *block, int by)
{
    struct faults *f = atomic_load_explicit(&followed, memory_order_relaxed);
    if (f && block)
        atomic_fetch_add(&f->blocks, by);
    return block;
}

VISIBLE void *malloc(size_t size)
{
    return fails(FAULTS_MALLOC, ENOMEM) ? NULL : count(__libc_malloc(size), 1);
}

VISIBLE void *calloc(size_t n, size_t size)
{
    return fails(FAULTS_MALLOC, ENOMEM) ? NULL : count(__libc_calloc(n, size), 1);
}

VISIBLE void *realloc(void *p, size_t size)
{
    if (fails(FAULTS_MALLOC, ENOMEM))
        return NULL;
    void *moved = __libc_realloc(p, size);
    if (!p)
        count(moved, 1);
    else if (!moved && size == 0)
        count(p, -1);
    return moved;
}

VISIBLE void *memalign(size_t alignment, size_t size)
{
    return fails(FAULTS_MALLOC, ENOMEM) ? NULL : count(__libc_memalign(alignment, size), 1);
}

VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

VISIBLE int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

VISIBLE void free(void *p)
{
    count(p, -1);
    __libc_free(p);
}

VISIBLE void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (fails(FAULTS_MMAP, ENOMEM))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

// ---- descriptors ------------------------------------------------------------------------------

VISIBLE int memfd_create(const char *name, unsigned flags)
{
    return fails(FAULTS_MEMFD_CREATE, EMFILE) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

VISIBLE int socketpair(int domain, int type, int protocol, int pair[2])
{
    return fails(FAULTS_SOCKETPAIR, EMFILE)
               ? -1
               : (int)syscall(SYS_socketpair, domain, type, protocol, pair);
}

VISIBLE int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
    if (what != EPOLL_CTL_DEL && fails(FAULTS_EPOLL_CTL, ENOSPC))
        return -1;
    return (int)syscall(SYS_epoll_ctl, epoll, what, fd, event);
}

VISIBLE int eventfd(unsigned value, int flags)
{
    return fails(FAULTS_EVENTFD, EMFILE) ? -1 : (int)syscall(SYS_eventfd2, value, flags);
}

VISIBLE int accept4(int sock, struct sockaddr *address, socklen_t *size, int flags)
{
    return fails(FAULTS_ACCEPT, EMFILE) ? -1
                                        : (int)syscall(SYS_accept4, sock, address, size, flags);
}

static int set_fd(int fd, int command, long value)
{
    if ((command == F_DUPFD_CLOEXEC || command == F_DUPFD) && fails(FAULTS_DUP, EMFILE))
        return -1;
    return (int)syscall(SYS_fcntl, fd, command, value);
}

VISIBLE int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    long value = va_arg(list, long);
    va_end(list);
    return set_fd(fd, command, value);
}

VISIBLE int fcntl64(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    long value = va_arg(list, long);
    va_end(list);
    return set_fd(fd, command, value);
}

static int open_at(int dir, const char *path, int flags, unsigned mode)
{
    return fails(FAULTS_OPEN, EMFILE) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define OPENER(name, dir, ...)                                                                     \
    VISIBLE int name(__VA_ARGS__, ...)                                                             \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;                \
        va_end(list);                                                                              \
        return open_at(dir, path, flags, mode);                                                    \
    }

OPENER(open, AT_FDCWD, const char *path, int flags)
OPENER(open64, AT_FDCWD, const char *path, int flags)
OPENER(openat, at, int at, const char *path, int flags)
OPENER(openat64, at, int at, const char *path, int flags)

// ---- bytes ------------------------------------------------------------------------------------

VISIBLE ssize_t recvmsg(int sock, struct msghdr *message, int flags)
{
    return fails(FAULTS_RECVMSG, ENOMEM) ? -1 : syscall(SYS_recvmsg, sock, message, flags);
}

VISIBLE ssize_t sendmsg(int sock, const struct msghdr *message, int flags)
{
    return fails(FAULTS_SENDMSG, ENOBUFS) ? -1 : syscall(SYS_sendmsg, sock, message, flags);
}

VISIBLE ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    return fails(FAULTS_PREAD, EIO) ? -1 : syscall(SYS_pread64, fd, bytes, size, offset);
}

VISIBLE ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
    return fails(FAULTS_PREAD, EIO) ? -1 : syscall(SYS_pread64, fd, bytes, size, offset);
}

VISIBLE ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return fails(FAULTS_DISK, ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

VISIBLE ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return fails(FAULTS_DISK, ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

VISIBLE int ftruncate(int fd, off_t size)
{
    return fails(FAULTS_DISK, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

VISIBLE int ftruncate64(int fd, off64_t size)
{
    return fails(FAULTS_DISK, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

static int allocate(int fd, off_t offset, off_t size)
{
    if (fails(FAULTS_DISK, ENOSPC))
        return ENOSPC;
    return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}

VISIBLE int posix_fallocate(int fd, off_t offset, off_t size)
{
    return allocate(fd, offset, size);
}

VISIBLE int posix_fallocate64(int fd, off64_t offset, off64_t size)
{
    return allocate(fd, offset, size);
}

// ---- threads, processes, time -------------------------------------------------------------------

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*run)(void *), void *arg)
{
    return fails(FAULTS_PTHREAD_CREATE, EAGAIN)
               ? EAGAIN
               : REAL(pthread_create)(thread, attributes, run, arg);
}

VISIBLE pid_t fork(void)
{
    if (fails(FAULTS_FORK, EAGAIN))
        return -1;
    pid_t pid = REAL(fork)();
    if (pid ==
        0) // docad's helpers make calls in their own time: which one is the n-th would differ
        faults_follow(NULL);
    return pid;
}

VISIBLE int clock_gettime(clockid_t clock, struct timespec *time)
{
    struct faults *f = atomic_load_explicit(&followed, memory_order_relaxed);
    int r = (int)syscall(SYS_clock_gettime, clock, time);
    if (r == 0 && f && clock == CLOCK_REALTIME)
        time->tv_sec += atomic_load_explicit(&f->clock_ahead, memory_order_relaxed);
    return r;
}
