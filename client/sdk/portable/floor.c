// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions that are exported only by C libraries that are newer than those that the portable
// library is for. The link takes these instead; the version map hides them from programs.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

int fstat(int fd, struct stat *status)
{
    return (int)syscall(SYS_newfstatat, fd, "", status, AT_EMPTY_PATH);
}

int stat(const char *path, struct stat *status)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int lstat(const char *path, struct stat *status)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int fd, const char *path, struct stat *status, int flags)
{
    return (int)syscall(SYS_newfstatat, fd, path, status, flags);
}

pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

#pragma GCC visibility pop
