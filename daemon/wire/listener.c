// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "listener.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "copy_text.h"
#include "log.h"
#include "socket_lock.h"
#include "socket_path.h"
#include "loop_sched.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define ACCEPT_BATCH 16
#define PAUSE_MS     100
#define FD_RESERVE   64 // kept free for requests of connected clients

struct listener {
    struct event *readable;
    struct event *pause; // pending while accepting is paused
    listener_accept_fn accepted;
    void *arg;
    char path[SOCKET_PATH_MAX]; // empty: the service manager made the socket
    char lock_path[SOCKET_LOCK_PATH_MAX];
    int fd, lock;
    bool bound;
    struct sched_user user; // all clients: who they are is not known before accept()
    struct sched_item turn;
    uint64_t said_ms; // when a pause was logged last
};

// ---- accepting ---------------------------------------------------------------------------

// accept() returns the lowest free descriptor, so its number shows how full the table is.
static bool nearly_full(int fd)
{
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 2 * FD_RESERVE &&
           (rlim_t)fd >= files.rlim_cur - FD_RESERVE;
}

static void pause_accepting(struct listener *l, const char *why)
{
    struct timeval later = ms_to_timeval(PAUSE_MS);
    event_del(l->readable);
    sched_dequeue(&l->turn);
    event_add(l->pause, &later);
    if (l->said_ms == 0 || clock_ms() - l->said_ms > 10000) {
        log_event(LOG_EVENT_NO_DESCRIPTORS, LOG_LEVEL_WARNING, NULL,
                  "no new connections for now: %s; raise the limit of open files "
                  "(LimitNOFILE=) or close clients",
                  why);
        l->said_ms = clock_ms();
    }
}

static bool out_of_descriptors(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

// Accepts one connection. Returns true if more may wait, which no event may announce.
static bool accept_one(struct sched_item *turn)
{
    struct listener *l = container_of(turn, struct listener, turn);
    int client = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (client < 0) {
        if (!out_of_descriptors(errno))
            return errno != EAGAIN; // or the one that came has disconnected
        pause_accepting(l, strerror(errno));
        return false;
    }
    bool full = nearly_full(client);
    l->accepted(l->arg, client);
    if (full)
        pause_accepting(l, "the table of open files is nearly full");
    return !full;
}

// Without a scheduler it accepts a few in one call.
static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct listener *l = arg;
    bool more = true;
    (void)fd;
    (void)what;

    if (l->turn.sched)
        sched_queue(&l->turn);
    else
        for (int i = 0; i < ACCEPT_BATCH && more; i++)
            more = accept_one(&l->turn);
}

// Also reports clients that have connected since.
static void go_on(struct listener *l)
{
    if (event_add(l->readable, NULL) < 0)
        pause_accepting(l, "docad is out of memory, or its user watches too many descriptors "
                           "(fs.epoll.max_user_watches)");
}

void listener_resume(struct listener *l)
{
    if (l && l->pause && event_pending(l->pause, EV_TIMEOUT, NULL)) {
        event_del(l->pause);
        go_on(l);
    }
}

static void on_pause_over(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    go_on(arg);
}

bool listener_start(struct listener *l, struct event_base *base, struct sched *sched,
                    listener_accept_fn accepted, void *arg)
{
    l->turn = (struct sched_item){.sched = sched, .user = &l->user, .take = accept_one};
    list_init(&l->turn.in_user);
    sched_user_init(&l->user, NULL);
    l->user.is_internal = true;
    l->accepted = accepted;
    l->arg = arg;
    // A connection that waits for its turn needs no reminder.
    short how = EV_READ | EV_PERSIST | (sched ? EV_ET : 0);
    l->readable = event_new(base, l->fd, how, on_readable, l);
    l->pause = event_new(base, -1, 0, on_pause_over, l);
    return l->readable && l->pause && event_add(l->readable, NULL) == 0;
}

// ---- making the socket ---------------------------------------------------------------------

static doca_error_t failed(struct errtext *err, const char *what, const char *path,
                           const char *hint)
{
    return errtext_set(err, DOCA_ERROR_INITIALIZATION, "%s %s: %s%s%s", what, path, strerror(errno),
                       hint ? "; " : "", hint ? hint : "");
}

// Makes one level only: if more of the path is missing, it is more likely a mistake.
static doca_error_t make_directory(const char *path, struct errtext *err)
{
    char dir[SOCKET_PATH_MAX];
    copy_text(dir, path);
    char *slash = strrchr(dir, '/');
    if (!slash || slash == dir)
        return DOCA_SUCCESS;
    *slash = '\0';
    if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        return failed(err, "cannot make the directory of the socket,", dir,
                      "make it, or name another --socket");
    return DOCA_SUCCESS;
}

static void fill_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    copy_text(address->sun_path, path);
}

// We hold the lock, so no daemon that takes it serves the path. A socket made by a service
// manager has no lock, so we try to connect to it.
static doca_error_t remove_stale(const char *path, bool taken_over, struct errtext *err)
{
    struct sockaddr_un address;
    struct stat st;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? DOCA_SUCCESS : failed(err, "cannot examine", path, NULL);
    if (!S_ISSOCK(st.st_mode))
        return errtext_set(err, DOCA_ERROR_ALREADY_EXIST,
                           "%s exists and is not a socket; remove it, or name another --socket",
                           path);
    cleanup_fd int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    fill_address(&address, path);
    if (probe >= 0 && !taken_over &&
        (connect(probe, (struct sockaddr *)&address, sizeof(address)) == 0 || errno == EAGAIN))
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "another process serves %s already; stop it, or name another --socket",
                           path);
    if (unlink(path) < 0)
        return failed(err, "cannot remove the old socket", path, NULL);
    log_info("replaced %s, left over by a daemon that %s", path,
             taken_over ? "is dying" : "crashed");
    return DOCA_SUCCESS;
}

static doca_error_t bind_socket(struct listener *l, mode_t mode, struct errtext *err)
{
    struct sockaddr_un address;

    l->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return failed(err, "cannot make the socket", l->path, NULL);
    fill_address(&address, l->path);
    if (bind(l->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return failed(err, "cannot bind", l->path, "name another --socket");
    l->bound = true;
    if (chmod(l->path, mode) < 0)
        return failed(err, "cannot set the mode of", l->path, NULL);
    if (listen(l->fd, SOMAXCONN) < 0)
        return failed(err, "cannot listen on", l->path, NULL);
    return DOCA_SUCCESS;
}

static struct listener *new_listener(void)
{
    struct listener *l = calloc(1, sizeof(*l));
    if (l)
        l->fd = l->lock = -1;
    return l;
}

doca_error_t listener_new(struct listener **out, const char *path, mode_t mode, struct errtext *err)
{
    struct listener *l = new_listener();
    bool taken_over = false;
    if (!l)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    copy_text(l->path, path);
    doca_error_t r = make_directory(path, err);
    if (r == DOCA_SUCCESS)
        r = socket_lock_take(path, l->lock_path, &l->lock, &taken_over, err);
    if (r == DOCA_SUCCESS)
        r = remove_stale(path, taken_over, err);
    if (r == DOCA_SUCCESS)
        r = bind_socket(l, mode, err);
    if (r != DOCA_SUCCESS) {
        listener_free(l);
        return r;
    }
    *out = l;
    return DOCA_SUCCESS;
}

doca_error_t listener_new_from_fd(struct listener **out, int fd, struct errtext *err)
{
    struct listener *l = new_listener();
    if (!l)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    // The service manager may not have made the socket non-blocking, and accept() must not
    // wait.
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0) {
        free(l);
        return failed(err, "cannot use", "the socket that the service manager passed", NULL);
    }
    l->fd = fd;
    *out = l;
    return DOCA_SUCCESS;
}

struct listener *listener_free(struct listener *l)
{
    if (!l)
        return NULL;
    sched_dequeue(&l->turn);
    if (l->readable)
        event_free(l->readable);
    if (l->pause)
        event_free(l->pause);
    if (l->bound)
        unlink(l->path);
    fd_reaper_close(l->fd, FD_REAPER_NO_UID); // together with connections that were not accepted
    socket_lock_release(l->lock_path, &l->lock);
    free(l);
    return NULL;
}
