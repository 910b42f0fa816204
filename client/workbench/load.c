// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the files

// Reads the beginning of a file. Returns false if there is none.
static bool read_file(int directory, const char *path, char *text, size_t size)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return n > 0;
}

static void read_stolen(struct load_mark *mark)
{
    char text[256];
    long long ticks;
    mark->tick = 1000000000 / sysconf(_SC_CLK_TCK);
    bool known = read_file(AT_FDCWD, "/proc/stat", text, sizeof(text)) &&
                 sscanf(text, "cpu %*s %*s %*s %*s %*s %*s %*s %lld", &ticks) == 1;
    mark->stolen = known ? ticks * mark->tick : -1;
}

static bool read_thread(int directory, const char *id, struct load_thread *thread)
{
    char path[64], text[64];
    long long queued;
    snprintf(path, sizeof(path), "%.20s/schedstat", id);
    if (!read_file(directory, path, text, sizeof(text)) || sscanf(text, "%*s %lld", &queued) != 1)
        return false;
    *thread = (struct load_thread){strtoll(id, NULL, 10), queued};
    return true;
}

// A thread that ends while the list is read is not known, and so it is when it ends later.
static int read_threads(struct load_thread thread[LOAD_THREADS_MAX])
{
    DIR *list = opendir("/proc/self/task");
    int count = list ? 0 : -1;
    for (const struct dirent *each; count >= 0 && (each = readdir(list));) {
        if (each->d_name[0] == '.')
            continue;
        if (count == LOAD_THREADS_MAX || !read_thread(dirfd(list), each->d_name, &thread[count]))
            count = -1;
        else
            count++;
    }
    if (list)
        closedir(list);
    return count;
}

void load_read(struct load_mark *mark)
{
    int saved = errno, state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    read_stolen(mark);
    mark->threads = read_threads(mark->thread);
    pthread_setcancelstate(state, NULL);
    errno = saved;
}

// ---- differences

static const struct load_thread *find(const struct load_mark *mark, int64_t id)
{
    for (int i = 0; i < mark->threads; i++)
        if (mark->thread[i].id == id)
            return &mark->thread[i];
    return NULL;
}

int64_t load_queued(const struct load_mark *before, const struct load_mark *now)
{
    int64_t sum = 0;
    if (before->threads < 0 || now->threads < 0)
        return LOAD_UNKNOWN;
    // How long a thread has waited since that has ended is not known.
    for (int i = 0; i < before->threads; i++)
        if (!find(now, before->thread[i].id))
            return LOAD_UNKNOWN;
    for (int i = 0; i < now->threads; i++) {
        const struct load_thread *old = find(before, now->thread[i].id);
        sum += now->thread[i].queued - (old ? old->queued : 0);
    }
    return sum;
}

int64_t load_stolen(const struct load_mark *before, const struct load_mark *now)
{
    if (now->stolen == 0) // nothing was ever taken
        return 0;
    if (before->stolen < 0 || now->stolen < 0)
        return LOAD_UNKNOWN;
    return now->stolen - before->stolen + now->tick;
}
