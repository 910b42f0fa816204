// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "socket_lock.h"

#include "cleanup.h"
#include "copy_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static doca_error_t refuse(const char *socket, int fd, struct errtext *err)
{
    char pid[16] = "";
    ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);
    pid[n > 0 ? strspn(pid, "0123456789") : 0] = '\0';
    return errtext_set(err, DOCA_ERROR_IN_USE,
                       "another docad (pid %s) serves %s; stop it, or name another --socket",
                       pid[0] ? pid : "unknown", socket);
}

// A holder that stops removes the file before it unlocks it, so the file that we locked may
// not be the file that others will see.
static bool still_there(int fd, const char *path)
{
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

doca_error_t socket_lock_take(const char *socket, char path[SOCKET_LOCK_PATH_MAX], int *lock,
                              struct errtext *err)
{
    char name[SOCKET_LOCK_PATH_MAX], pid[16];

    snprintf(name, sizeof(name), "%s.lock", socket);
    for (;;) {
        // 0600, because everybody who may open the file may lock it.
        cleanup_fd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                               "cannot make the lock %s: %s; name another --socket", name,
                               strerror(errno));
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
            return refuse(socket, fd, err);
        if (!still_there(fd, name))
            continue;
        int n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
        if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)n, 0) < 0)
            return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot write %s: %s", name,
                               strerror(errno));
        copy_text_into(path, SOCKET_LOCK_PATH_MAX, name);
        *lock = steal_fd(&fd);
        return DOCA_SUCCESS;
    }
}

void socket_lock_release(const char *path, int *lock)
{
    if (*lock < 0)
        return;
    unlink(path);
    close_fdp(lock);
}
