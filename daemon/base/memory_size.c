// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory_size.h"

#include "cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One mounted hierarchy of control groups.
struct hierarchy {
    bool v2;
    char top[PATH_MAX];   // the group that is mounted: "/", or a container's own
    char place[PATH_MAX]; // where
};

// Reads a line of mountinfo (proc_pid_mountinfo(5)). Returns false if no memory groups are mounted
// there.
static bool read_mount(char *line, struct hierarchy *h)
{
    char type[32], options[256];
    char *rest = strstr(line, " - ");
    if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", h->top, h->place) != 2 ||
        sscanf(rest, " - %31s %*s %255s", type, options) != 2)
        return false;
    h->v2 = strcmp(type, "cgroup2") == 0;
    if (h->v2)
        return true;
    char *save = NULL;
    if (strcmp(type, "cgroup") != 0)
        return false;
    for (char *o = strtok_r(options, ",", &save); o; o = strtok_r(NULL, ",", &save))
        if (strcmp(o, "memory") == 0)
            return true;
    return false;
}

// The group of this process, from lines such as "0::/a/b" (version 2) and "4:memory:/a/b".
static bool read_group(const char *proc, bool v2, char group[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX + 64];
    snprintf(path, sizeof(path), "%s/cgroup", proc);
    cleanup_file FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof(line), file)) {
        char *controllers = strchr(line, ':');
        char *name = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!name)
            continue;
        *name++ = '\0';
        name[strcspn(name, "\n")] = '\0';
        found = strcmp(controllers + 1, v2 ? "" : "memory") == 0;
        if (found)
            snprintf(group, PATH_MAX, "%s", name);
    }
    return found;
}

static uint64_t read_limit(const char *directory, bool v2)
{
    char path[3 * PATH_MAX + 64], text[32];
    snprintf(path, sizeof(path), "%s/%s", directory, v2 ? "memory.max" : "memory.limit_in_bytes");
    cleanup_file FILE *file = fopen(path, "re");
    if (!file || !fgets(text, sizeof(text), file))
        return UINT64_MAX; // the topmost group has no such file
    char *end;
    errno = 0;
    unsigned long long bytes = strtoull(text, &end, 10);
    return end == text || errno ? UINT64_MAX : bytes; // "max"
}

// Returns the lowest limit of a group and its ancestors. Groups outside of the mount are not
// visible; the root of the mount then represents them.
static uint64_t least(const struct hierarchy *h, const char *root, const char *group)
{
    char directory[3 * PATH_MAX];
    size_t n = strcmp(h->top, "/") == 0 ? 0 : strlen(h->top);
    bool inside = strncmp(group, h->top, n) == 0 && (group[n] == '/' || !group[n]);
    uint64_t bytes = UINT64_MAX;

    snprintf(directory, sizeof(directory), "%s%s%s", root, h->place, inside ? group + n : "");
    size_t top = strlen(root) + strlen(h->place);
    for (;;) {
        uint64_t own = read_limit(directory, h->v2);
        bytes = own < bytes ? own : bytes;
        char *slash = strrchr(directory + top, '/');
        if (!slash)
            return bytes;
        *slash = '\0';
    }
}

uint64_t memory_size_of_groups(const char *proc, const char *root)
{
    char path[PATH_MAX], group[PATH_MAX], line[3 * PATH_MAX];
    struct hierarchy h;
    uint64_t bytes = UINT64_MAX;

    snprintf(path, sizeof(path), "%s/mountinfo", proc);
    cleanup_file FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (!read_mount(line, &h) || !read_group(proc, h.v2, group))
            continue;
        uint64_t own = least(&h, root, group);
        bytes = own < bytes ? own : bytes;
    }
    return bytes;
}

uint64_t memory_size(void)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t groups = memory_size_of_groups("/proc/self", "");
    return groups < machine ? groups : machine;
}
