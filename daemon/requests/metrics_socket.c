// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "metrics_socket.h"

#include "account.h"
#include "cleanup.h"
#include "clock.h"
#include "closer.h"
#include "config.h"
#include "log.h"
#include "metrics.h"
#include "node.h"
#include "packet.h"

#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define VISITS_MAX   16
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
    struct list visits;
    unsigned n_visits;
};

// One reader.
struct visit {
    struct list in_socket;
    struct metrics_socket *socket;
    int fd;
    uid_t uid;
    struct event *writable;
    char *text;
    size_t size, sent;
};

static void visit_free(struct visit *v)
{
    list_remove(&v->in_socket);
    v->socket->n_visits--;
    if (v->writable)
        event_free(v->writable);
    closer_end(v->fd, v->uid);
    free(v->text);
    free(v);
}

// If bytes that were sent here stayed unread, the close would be an error on the other side.
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

static uid_t uid_of(int fd)
{
    struct ucred reader;
    socklen_t size = sizeof(reader);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &reader, &size) == 0 ? account_of(reader.uid)
                                                                        : CLOSER_NOBODY;
}

static void visit_new(struct metrics_socket *s, int fd)
{
    struct visit *v = s->n_visits < VISITS_MAX ? calloc(1, sizeof(*v)) : NULL;
    int on = 1;
    if (!v || setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)) < 0) {
        closer_end(fd, uid_of(fd));
        free(v);
        return;
    }
    v->socket = s;
    v->fd = fd;
    v->uid = uid_of(fd);
    list_append(&s->visits, &v->in_socket);
    s->n_visits++;
    v->text = metrics_text(s->node);
    v->writable = event_new(s->node->base, fd, EV_WRITE, on_writable, v);
    if (!v->text || !v->writable) {
        visit_free(v);
        return;
    }
    v->size = strlen(v->text);
    on_writable(fd, EV_WRITE, v);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct metrics_socket *s = arg;
    (void)what;
    int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
        visit_new(s, client);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        struct timeval later = ms_to_timeval(PAUSE_MS);
        event_del(s->readable);
        event_add(s->pause, &later);
    }
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
    s->fd =
        config_metrics_path(node->config, s->path) ? bind_to(s->path, node->config) : -ENAMETOOLONG;
    if (s->fd >= 0) {
        remember_file(s);
        s->readable = event_new(node->base, s->fd, EV_READ | EV_PERSIST, on_readable, s);
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
    // A later daemon may have put its own socket there.
    if (s->fd >= 0 && lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
        unlink(s->path);
    if (s->readable)
        event_free(s->readable);
    if (s->pause)
        event_free(s->pause);
    closer_take(s->fd, CLOSER_NOBODY); // together with connections that were not accepted
    free(s);
    return NULL;
}
