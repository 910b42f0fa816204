// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "quota.h"

#include "cleanup.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD_US 100000 // the kernel's default, which is kept

static const struct hierarchy {
    const char *root, *quota; // the file with the quota, in microseconds a period
} hierarchies[] = {
    {"/sys/fs/cgroup", "cpu.max"},
    {"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us"},
    {"/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us"},
};

static bool write_file(const char *directory, const char *name, const char *text)
{
    char path[QUOTA_PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool make_in(struct quota *quota, const struct hierarchy *in, unsigned cpus)
{
    char text[32];

    snprintf(quota->path, sizeof(quota->path), "%s/doca-perftest-%d", in->root, (int)getpid());
    snprintf(text, sizeof(text), "%u", cpus * PERIOD_US);
    if (mkdir(quota->path, 0755) == 0) {
        if (write_file(quota->path, in->quota, text))
            return true;
        rmdir(quota->path);
    }
    quota->path[0] = '\0';
    return false;
}

bool quota_make(struct quota *quota, unsigned cpus)
{
    *quota = (struct quota){0};
    for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
        if (make_in(quota, &hierarchies[i], cpus))
            return true;
    return false;
}

bool quota_enter(const struct quota *quota)
{
    return write_file(quota->path, "cgroup.procs", "0");
}

void quota_remove(struct quota *quota)
{
    if (quota->path[0] != '\0')
        rmdir(quota->path);
    quota->path[0] = '\0';
}
