// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "received.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SMALL ((off_t)4 << 20) // freeing it takes less than a millisecond

// Reads the kernel's name of the file, which does not call the file system.
static void name_of(int fd, char *name, size_t size)
{
    char link[32];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, size - 1);
    name[n > 0 ? n : 0] = '\0';
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Only memory files can have these seals; other files of tmpfs are sealed against sealing.
static bool is_sealed_memory(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && (seals & F_SEAL_GROW);
}

enum received_kind received_kind(int fd)
{
    char name[32];

    if (is_sealed_memory(fd))
        return RECEIVED_MEMORY;
    if (fcntl(fd, F_GET_SEALS) >= 0)
        return RECEIVED_KERNEL;
    name_of(fd, name, sizeof(name)); // the name of a file in a file system begins with a slash
    if (begins_with(name, "socket:[") || begins_with(name, "pipe:[") ||
        begins_with(name, "anon_inode:"))
        return RECEIVED_KERNEL;
    return received_not_memory_of_process(fd) ? RECEIVED_FOREIGN : RECEIVED_KERNEL;
}

bool received_closes_at_once(int fd)
{
    struct stat st;
    return is_sealed_memory(fd) && fstat(fd, &st) == 0 && st.st_size <= SMALL;
}

// Returns whether the path ends in /<number>/mem.
static bool names_memory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || strcmp(slash, "/mem") != 0)
        return false;
    const char *digit = slash - 1;
    while (digit > path && isdigit((unsigned char)*digit))
        digit--;
    return *digit == '/' && slash - digit > 1;
}

// Apart from devices, only a process's memory has offsets beyond half the address space. The name
// proves nothing: any file can be bind-mounted over it, even another file of procfs, and docad
// would then write into that with its own rights. lseek() would show it, but waits for the file
// position. sendfile() checks the offset before anything that could wait: it finds that a byte at
// the last offset is beyond the end, or that there are no such offsets at all.
static bool takes_any_offset(int fd)
{
    off_t last = -1;
    return sendfile(-1, fd, &last, 1) < 0 && errno == EOVERFLOW;
}

static bool is_on_procfs(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

const char *received_not_memory_of_process(int fd)
{
    char path[256];
    struct stat st;

    int mode = fcntl(fd, F_GETFL);
    if (mode < 0 || (mode & (O_ACCMODE | O_PATH)) != O_RDWR)
        return "not opened for reading and writing";
    name_of(fd, path, sizeof(path));
    if (!names_memory(path))
        return "not a process's mem file";
    if (!takes_any_offset(fd)) // check this first: a file system of the client could make us wait
        return "not a process's mem file, whatever its name";
    if (!is_on_procfs(fd))
        return "not on procfs";
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return "not a regular file";
    return NULL;
}
