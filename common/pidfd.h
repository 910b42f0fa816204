// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors of processes. <sys/pidfd.h> came with glibc 2.36, and musl has none; kernels have had
// the system call since 5.3.

#ifndef COMMON_PIDFD_H
#define COMMON_PIDFD_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// flags: 0 or O_NONBLOCK. The descriptor is closed on exec. -1 with errno.
static inline int pidfd_of(pid_t pid, unsigned flags)
{
    return (int)syscall(SYS_pidfd_open, pid, flags);
}

#endif
