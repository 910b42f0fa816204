// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "socket_lock.h"

#include "cleanup.h"
#include "copy_text.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static doca_error_t refuse(const char *socket, const char *name, struct errtext *err)
{
    char pid[16] = "";
    cleanup_fd int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : pread(fd, pid, sizeof(pid) - 1, 0);
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

// Makes and locks a file. Returns -EWOULDBLOCK if another process has locked it, or another -errno.
static int lock_file(const char *name)
{
    for (;;) {
        // 0600, because every process that may open the file may lock it
        cleanup_fd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
            return -errno;
        if (still_there(fd, name))
            return steal_fd(&fd);
    }
}

// ---- a holder that is dying -----------------------------------------------------------------

// Returns the process that holds the lock of this file, or 0. The kernel reports it, also in
// another namespace than that in which the holder wrote its number.
static pid_t holder_of(const char *name)
{
    struct stat st;
    char line[256];
    cleanup_file FILE *locks = fopen("/proc/locks", "re");

    if (!locks || stat(name, &st) < 0)
        return 0;
    while (fgets(line, sizeof(line), locks)) {
        unsigned major_, minor_;
        unsigned long inode;
        int pid;
        if (sscanf(line, "%*u: FLOCK %*s WRITE %d %x:%x:%lu", &pid, &major_, &minor_, &inode) ==
                4 &&
            makedev(major_, minor_) == st.st_dev && inode == st.st_ino)
            return pid;
    }
    return 0;
}

// Returns whether the process only waits in the kernel until it may end. A file of a client can
// keep a killed docad, and all that it has open, for as long as the client likes.
static bool is_dying(pid_t pid)
{
    const unsigned long long kill_bit = 1ull << (SIGKILL - 1);
    unsigned long long signals;
    char path[32], line[256], state;
    bool dying = false;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    cleanup_file FILE *status = pid > 0 ? fopen(path, "re") : NULL;
    while (status && fgets(line, sizeof(line), status))
        dying = dying ||
                (sscanf(line, "State: %c", &state) == 1 && (state == 'Z' || state == 'X')) ||
                (sscanf(line, "%*[ShdSig]Pnd: %llx", &signals) == 1 && (signals & kill_bit));
    return dying;
}

// Takes the lock over from a holder that is dying. If several processes try, one succeeds. Returns
// -EWOULDBLOCK if the holder lives, or another process has taken the lock over.
static int take_over(const char *name)
{
    char guard_name[SOCKET_LOCK_PATH_MAX + 8];
    snprintf(guard_name, sizeof(guard_name), "%s.next", name);
    cleanup_fd int guard = lock_file(guard_name);
    if (guard < 0)
        return guard;
    int fd = lock_file(name);
    pid_t holder = fd == -EWOULDBLOCK ? holder_of(name) : 0;
    if (is_dying(holder)) {
        unlink(name);
        fd = lock_file(name);
        if (fd >= 0)
            log_warning("docad %d has been killed, but waits in the kernel for what a client "
                        "passed to it; this docad takes its place",
                        (int)holder);
    }
    unlink(guard_name);
    return fd;
}

// ---- taking it --------------------------------------------------------------------------------

doca_error_t socket_lock_take(const char *socket, char path[SOCKET_LOCK_PATH_MAX], int *lock,
                              bool *taken_over, struct errtext *err)
{
    char name[SOCKET_LOCK_PATH_MAX], pid[16];

    snprintf(name, sizeof(name), "%s.lock", socket);
    *taken_over = false;
    cleanup_fd int fd = lock_file(name);
    if (fd == -EWOULDBLOCK && is_dying(holder_of(name))) {
        fd = take_over(name);
        *taken_over = fd >= 0;
    }
    if (fd == -EWOULDBLOCK)
        return refuse(socket, name, err);
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "cannot make the lock %s: %s; name another --socket", name,
                           strerror(-fd));
    int n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    // The number is only for the text of refuse(): a full disk must not prevent a start.
    if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)n, 0) < 0)
        log_warning("cannot write %s: %s; docad serves without that", name, strerror(errno));
    copy_text_into(path, SOCKET_LOCK_PATH_MAX, name);
    *lock = steal_fd(&fd);
    return DOCA_SUCCESS;
}

void socket_lock_release(const char *path, int *lock)
{
    if (*lock < 0)
        return;
    unlink(path);
    close_fdp(lock);
}
