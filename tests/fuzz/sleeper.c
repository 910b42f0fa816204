// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sleeper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int sleeper_start(uint64_t *address)
{
    // The same address in both processes; here the memory is given back.
    void *memory =
        mmap(NULL, SLEEPER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[32];
    pid_t self = getpid();

    if (memory == MAP_FAILED)
        abort();
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(memory, 0x5a, SLEEPER_SIZE);
        while (getppid() == self)
            pause();
        _exit(0);
    }
    *address = (uintptr_t)memory;
    munmap(memory, SLEEPER_SIZE);
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        abort();
    return fd;
}
