// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memfd.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int memfd_create_sealed(const char *name, size_t size)
{
    cleanup_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    // Memory files start with mode 0777, which would let any holder of a
    // read-only descriptor reopen it for writing through /proc.
    if (fchmod(fd, 0600) < 0 || ftruncate(fd, (off_t)size) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
        return -errno;
    return steal_fd(&fd);
}

int memfd_reopen_readonly(int fd)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int ro = open(path, O_RDONLY | O_CLOEXEC);
    return ro < 0 ? -errno : ro;
}

int memfd_seal_future_write(int fd)
{
    return fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) < 0 ? -errno : 0;
}

int memfd_seal_seals(int fd)
{
    int r = fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL);
    int seals = r < 0 ? fcntl(fd, F_GET_SEALS) : F_SEAL_SEAL;
    return seals >= 0 && (seals & F_SEAL_SEAL) ? 0 : -EPERM;
}

int memfd_check(int fd, uint64_t size, int writable)
{
    struct statfs fs;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    int mode = fcntl(fd, F_GETFL);

    if (seals < 0 || mode < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return -EBADF;
    // Huge pages may run out when a hole is touched, which raises a signal. (Only these two kinds
    // of files have seals, so this query cannot block.)
    if (fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC)
        return -EBADF;
    if ((seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW))
        return -EPERM;
    if ((uint64_t)st.st_size != size)
        return -EINVAL;
    if ((mode & O_ACCMODE) != (writable ? O_RDWR : O_RDONLY))
        return -EACCES;
    return 0;
}

int memfd_same_file(int a, int b)
{
    struct stat sa, sb;
    return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}
