// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "leaks.h"

#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <dirent.h>
#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

// Appends, cutting off what does not fit.
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

void descriptors_list(struct descriptors *out)
{
    out->count = 0;
    DIR *dir = opendir("/proc/self/fd");
    ck_assert_msg(dir != NULL, "/proc/self/fd: %s", strerror(errno));
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == dirfd(dir))
            continue;
        if (out->count == DESCRIPTORS_MAX)
            break; // a thread may still be closing some: the caller looks again
        char *target = out->open[out->count].target;
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(out->open[0].target) - 1);
        target[n > 0 ? n : 0] = '\0';
        struct stat st;
        // By its name: ThreadSanitizer takes a look at a descriptor that another thread is closing
        // for a race.
        bool named = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode);
        out->open[out->count].device = named ? st.st_dev : 0;
        out->open[out->count].file = named ? st.st_ino : 0;
        out->open[out->count++].fd = fd;
    }
    closedir(dir);
}

// The same descriptor as the one at `index` of `of`.
static bool has(const struct descriptors *set, const struct descriptors *of, size_t index)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->open[i].fd == of->open[index].fd &&
            (strcmp(set->open[i].target, of->open[index].target) == 0 ||
             (set->open[i].file && set->open[i].file == of->open[index].file &&
              set->open[i].device == of->open[index].device)))
            return true;
    return false;
}

bool descriptors_differ(const struct descriptors *before, const struct descriptors *now, char *text,
                        size_t size)
{
    text[0] = '\0';
    if (now->count == DESCRIPTORS_MAX)
        append(text, size, " left open: %d or more;", DESCRIPTORS_MAX);
    for (size_t i = 0; i < now->count; i++)
        if (!has(before, now, i))
            append(text, size, " left open: %d (%s)", now->open[i].fd, now->open[i].target);
    for (size_t i = 0; i < before->count; i++)
        if (!has(now, before, i))
            append(text, size, " closed: %d (%s)", before->open[i].fd, before->open[i].target);
    return text[0] != '\0';
}

// A child of that name, or 0.
static pid_t find_child(const char *prefix)
{
    cleanup_file FILE *children = fopen("/proc/thread-self/children", "re");
    int pid;
    while (children && fscanf(children, "%d", &pid) == 1) {
        char path[64], name[64] = "";
        snprintf(path, sizeof(path), "/proc/%d/comm", pid);
        cleanup_file FILE *comm = fopen(path, "re");
        if (comm && fgets(name, sizeof(name), comm) && strncmp(name, prefix, strlen(prefix)) == 0)
            return pid;
    }
    return 0;
}

void helpers_await(void)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    pid_t pid;
    // Until it has a name of its own, a helper is called docad, too.
    while ((pid = find_child("docad")) > 0)
        while (waitpid(pid, NULL, WNOHANG) == 0)
            if (!deadline_pause(deadline))
                return;
}

bool children_left(char *text, size_t size)
{
    text[0] = '\0';
    siginfo_t info = {0};
    // WNOWAIT: look, do not take.
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
        return false;
    if (info.si_pid)
        append(text, size, " not waited for: %d", (int)info.si_pid);

    cleanup_file FILE *children = fopen("/proc/thread-self/children", "re");
    int pid;
    while (children && fscanf(children, "%d", &pid) == 1 && pid != info.si_pid) {
        char path[64], name[64] = "?";
        snprintf(path, sizeof(path), "/proc/%d/comm", pid);
        cleanup_file FILE *comm = fopen(path, "re");
        if (comm && fgets(name, sizeof(name), comm))
            name[strcspn(name, "\n")] = '\0';
        append(text, size, " still there: %d (%s)", pid, name);
    }
    if (text[0] == '\0')
        append(text, size, " still running");
    return true;
}

// nftw() takes no argument for its callback.
static struct {
    char *text;
    size_t size;
} files;

static int note_file(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    if (ftw->level > 0)
        append(files.text, files.size, " %s", path);
    return 0;
}

bool files_left(const char *dir, char *text, size_t size)
{
    text[0] = '\0';
    files.text = text;
    files.size = size;
    nftw(dir, note_file, 8, FTW_PHYS);
    return text[0] != '\0';
}
