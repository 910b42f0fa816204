// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "metrics_socket.h"

#include "account.h"
#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "config.h"
#include "log.h"
#include "metrics.h"
#include "node.h"
#include "packet.h"
#include "loop_sched.h"
#include "user.h"
#include "work_walk.h"

#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define VISITS_MAX   128 // of which a user has half at most: limit_share()
#define BACKLOG      64
#define VISIT_MS     10000 // a slower reader is dropped
#define PAUSE_MS     1000  // if descriptors run out, no connection is accepted for this long
#define DISCARD_SIZE 4096

struct metrics_socket {
    struct node *node;
    int fd;
    char path[SOCKET_PATH_MAX];
    dev_t device; // device of the file
    ino_t inode;
    struct event *readable, *pause;
    struct sched_item accepting; // of all clients: a client is not known before accept()
    struct list visits;
    unsigned n_visits;
};

// One reader. Its text is made in turns of its user.
struct visit {
    struct list in_socket;
    struct metrics_socket *socket;
    struct user *user;
    struct work_wait wait;
    bool waits; // for the sum of the work, then its text can be made
    int fd;
    struct event *writable;
    char *text;
    size_t size, sent;
};

static void visit_free(struct visit *v)
{
    list_remove(&v->in_socket);
    v->socket->n_visits--;
    work_wait_end(&v->wait);
    if (v->writable)
        event_free(v->writable);
    fd_reaper_close_socket(v->fd, v->user->uid);
    v->user->n_visits--;
    user_unref(v->user);
    free(v->text);
    free(v);
}

// If bytes that were received here stayed unread, the close would be an error on the other side.
static void discard_input(const struct visit *v)
{
    char bytes[DISCARD_SIZE];
    packet_recv_plain(v->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct visit *v = arg;
    if (what & EV_TIMEOUT) {
        visit_free(v);
        return;
    }
    while (v->sent < v->size) {
        ssize_t n = send(fd, v->text + v->sent, v->size - v->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct timeval limit = ms_to_timeval(VISIT_MS);
            event_add(v->writable, &limit);
            return;
        }
        if (n < 0)
            break;
        v->sent += (size_t)n;
    }
    discard_input(v);
    visit_free(v);
}

// Called in a turn of the visit's user, and again when the sum of the work is complete.
static bool take_visit(struct sched_item *turn)
{
    struct visit *v = container_of(turn, struct visit, wait.turn);
    struct node *node = v->socket->node;

    if (!v->waits) {
        v->waits = true;
        if (!work_wait_begin(node, &v->wait))
            visit_free(v);
        return false;
    }
    v->text = metrics_text(node, work_wait_sum(node));
    v->writable = event_new(node->base, v->fd, EV_WRITE, on_writable, v);
    if (!v->text || !v->writable) {
        visit_free(v);
        return false;
    }
    v->size = strlen(v->text);
    on_writable(v->fd, EV_WRITE, v);
    return false;
}

static struct user *user_of(const struct metrics_socket *s, int fd)
{
    struct ucred reader;
    socklen_t size = sizeof(reader);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &reader, &size) < 0)
        return NULL;
    return user_get(&s->node->users, account_of(reader.uid));
}

// Readers share the visits by user.
static bool may_visit(const struct metrics_socket *s, const struct user *user)
{
    return user->n_visits < limit_share(VISITS_MAX, s->n_visits - user->n_visits);
}

static void visit_new(struct metrics_socket *s, int fd)
{
    struct user *user = user_of(s, fd);
    struct visit *v = user && may_visit(s, user) ? calloc(1, sizeof(*v)) : NULL;
    int on = 1;
    if (!v || setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)) < 0) {
        fd_reaper_close_socket(fd, user ? user->uid : FD_REAPER_NO_UID);
        user_unref(user);
        free(v);
        return;
    }
    v->socket = s;
    v->fd = fd;
    v->user = user;
    user->n_visits++;
    list_append(&s->visits, &v->in_socket);
    s->n_visits++;
    work_wait_init(&v->wait);
    v->wait.turn =
        (struct sched_item){.take = take_visit, .sched = s->node->sched, .user = &user->sched};
    list_init(&v->wait.turn.in_user);
    sched_queue(&v->wait.turn);
}

// Accepts one. Returns true if more may wait, which no event announces.
static bool accept_one(struct sched_item *turn)
{
    struct metrics_socket *s = container_of(turn, struct metrics_socket, accepting);
    int client = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
        visit_new(s, client);
        return true;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        struct timeval later = ms_to_timeval(PAUSE_MS);
        event_del(s->readable);
        event_add(s->pause, &later);
        return false;
    }
    return errno != EAGAIN; // or the one that came has disconnected
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct metrics_socket *s = arg;
    (void)fd;
    (void)what;
    sched_queue(&s->accepting);
}

static void on_pause_over(evutil_socket_t fd, short what, void *arg)
{
    struct metrics_socket *s = arg;
    (void)fd;
    (void)what;
    event_add(s->readable, NULL);
}

// Only users who may connect to docad may read metrics. The mode of docad's socket file decides,
// not the configuration, because a service manager may have made the file.
static int set_access(const char *path, const struct config *config)
{
    mode_t mode = config->socket_mode & 0700; // docad's socket has no file, or docad cannot see it
    struct stat clients, own;

    if (stat(config->socket, &clients) == 0 && S_ISSOCK(clients.st_mode)) {
        mode = clients.st_mode & 0777;
        if (lstat(path, &own) < 0)
            return -errno;
        if (own.st_gid != clients.st_gid && lchown(path, (uid_t)-1, clients.st_gid) < 0) {
            log_warning("metrics on %s are not for group %u, who may connect to %s: %s; run docad "
                        "with this group",
                        path, (unsigned)clients.st_gid, config->socket, strerror(errno));
            mode &= ~(mode_t)070;
        }
    }
    return chmod(path, mode) < 0 ? -errno : 0;
}

// The daemon's own socket is locked by now, so a socket at this path belongs to a dead daemon.
// A file of any other type stays.
static int bind_to(const char *path, const struct config *config)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
    copy_text(address.sun_path, path);
    mode_t mask = umask(0177);
    int r = bind(fd, (struct sockaddr *)&address, sizeof(address));
    int error = errno;
    umask(mask);
    if (r < 0)
        return -error;
    r = set_access(path, config);
    if (r == 0 && listen(fd, BACKLOG) < 0)
        r = -errno;
    if (r < 0) {
        unlink(path);
        return r;
    }
    return steal_fd(&fd);
}

static void remember_file(struct metrics_socket *s)
{
    struct stat st;
    if (lstat(s->path, &st) == 0) {
        s->device = st.st_dev;
        s->inode = st.st_ino;
    }
}

struct metrics_socket *metrics_socket_new(struct node *node)
{
    if (node->config->metrics_none)
        return NULL;
    struct metrics_socket *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->node = node;
    list_init(&s->visits);
    s->accepting =
        (struct sched_item){.take = accept_one, .sched = node->sched, .user = &node->work};
    list_init(&s->accepting.in_user);
    s->fd =
        config_metrics_path(node->config, s->path) ? bind_to(s->path, node->config) : -ENAMETOOLONG;
    if (s->fd >= 0) {
        remember_file(s);
        s->readable = event_new(node->base, s->fd, EV_READ | EV_PERSIST | EV_ET, on_readable, s);
        s->pause = event_new(node->base, -1, 0, on_pause_over, s);
    }
    if (s->fd < 0 || !s->readable || !s->pause || event_add(s->readable, NULL) < 0) {
        log_warning("no metrics on %s: %s; set metrics_socket to another path, or to none", s->path,
                    s->fd < 0 ? strerror(-s->fd) : "out of memory");
        return metrics_socket_free(s);
    }
    return s;
}

struct metrics_socket *metrics_socket_free(struct metrics_socket *s)
{
    if (!s)
        return NULL;
    struct stat st;
    while (!list_empty(&s->visits))
        visit_free(list_entry(s->visits.next, struct visit, in_socket));
    sched_dequeue(&s->accepting);
    // A later daemon may have put its own socket there.
    if (s->fd >= 0 && lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
        unlink(s->path);
    if (s->readable)
        event_free(s->readable);
    if (s->pause)
        event_free(s->pause);
    fd_reaper_close(s->fd, FD_REAPER_NO_UID); // together with connections that were not accepted
    free(s);
    return NULL;
}
