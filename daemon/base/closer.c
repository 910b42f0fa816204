// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "closer.h"

#include "cleanup.h"
#include "clock.h"
#include "list.h"
#include "packet.h"
#include "thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define EACH        4    // concurrent closes for one uid, so that it leaves threads to the others
#define MANY        64   // descriptors of one uid that are not closed yet
#define CLOG_MS     5000 // a uid with that many is clogged if none was closed for this long

// The signal for a thread whose close() waits: the socket then stops lingering.
#define HURRY SIGRTMIN

struct item {
    struct list link;
    int fd;
};

// The descriptors of one uid. There are two kinds: those that it sent, and docad's own ends
// of sockets, which the uid can make docad create again and again. The first kind does not
// hold up the second.
struct sender {
    struct list link;      // closer.senders
    struct list turn_link; // in closer.turns while one more of its descriptors may be closed
    struct list waiting;
    unsigned count, closing; // the count includes those being closed
    uint64_t since_ms;       // when the last one was closed
    uid_t uid;
    bool ends;
};

struct closer_thread {
    enum { THREAD_NONE, THREAD_RUNS, THREAD_LEFT, THREAD_ENDED } state; // left: not joined
    pthread_t id;
    const struct sender *sender; // the sender whose descriptor it is closing, or NULL
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct list senders, turns;
    struct closer_thread all[THREADS_MAX];
    unsigned threads, idle;
    bool stopping;
} closer = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
    .senders = {&closer.senders, &closer.senders},
    .turns = {&closer.turns, &closer.turns},
};

// ---- senders; all of it with the lock held --------------------------------------------------

static struct sender *sender_find(uid_t uid, bool ends)
{
    struct sender *sender;
    list_for_each (sender, &closer.senders, link) {
        if (sender->uid == uid && sender->ends == ends)
            return sender;
    }
    return NULL;
}

static struct sender *sender_get(uid_t uid, bool ends)
{
    struct sender *sender = sender_find(uid, ends);
    if (sender || !(sender = calloc(1, sizeof(*sender))))
        return sender;
    sender->uid = uid;
    sender->ends = ends;
    sender->since_ms = clock_ms();
    list_init(&sender->turn_link);
    list_init(&sender->waiting);
    list_append(&closer.senders, &sender->link);
    return sender;
}

// Called after a descriptor of this sender was added, begun or closed.
static void sender_settle(struct sender *sender)
{
    list_remove(&sender->turn_link);
    if (!list_empty(&sender->waiting) && sender->closing < EACH)
        list_append(&closer.turns, &sender->turn_link);
    if (sender->count > 0)
        return;
    list_remove(&sender->link);
    free(sender);
}

// ---- threads --------------------------------------------------------------------------------

static void *work(void *arg);

static void on_hurry(int signal)
{
    (void)signal;
}

static void let_hurry(void)
{
    const struct sigaction action = {.sa_handler = on_hurry}; // without SA_RESTART
    sigset_t hurry;
    sigemptyset(&hurry);
    sigaddset(&hurry, HURRY);
    sigaction(HURRY, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &hurry, NULL);
}

// The caller holds the lock, and no thread ends without it. A thread that is not waiting
// yet gets the signal again when more descriptors come.
static void hurry(const struct sender *sender)
{
    for (size_t i = 0; i < THREADS_MAX; i++)
        if (closer.all[i].sender == sender)
            pthread_kill(closer.all[i].id, HURRY);
}

// With the lock held.
static void make_thread(void)
{
    for (size_t i = 0; i < THREADS_MAX; i++) {
        struct closer_thread *thread = &closer.all[i];
        if (thread->state != THREAD_NONE)
            continue;
        if (thread_create(&thread->id, NULL, work, thread) == 0) {
            thread->state = THREAD_RUNS;
            closer.threads++;
        }
        return;
    }
}

// The caller holds the lock. True if a thread will get to the waiting descriptors.
static bool wake_thread(void)
{
    if (closer.idle > 0)
        pthread_cond_signal(&closer.work);
    else
        make_thread();
    return closer.threads > 0;
}

// The caller holds the lock; it is released during the close.
static void close_next(struct closer_thread *self)
{
    struct sender *sender = list_entry(closer.turns.next, struct sender, turn_link);
    struct item *item = list_entry(sender->waiting.next, struct item, link);

    list_remove(&item->link);
    self->sender = sender;
    sender->closing++;
    sender_settle(sender);
    if (!list_empty(&closer.turns))
        wake_thread(); // this close may take long
    pthread_mutex_unlock(&closer.lock);
    close(item->fd);
    free(item);
    pthread_mutex_lock(&closer.lock);
    self->sender = NULL;
    sender->closing--;
    sender->count--;
    sender->since_ms = clock_ms();
    sender_settle(sender);
}

static void *work(void *arg)
{
    struct closer_thread *self = arg;

    let_hurry();
    pthread_mutex_lock(&closer.lock);
    for (;;) {
        while (list_empty(&closer.turns) && !closer.stopping) {
            closer.idle++;
            pthread_cond_wait(&closer.work, &closer.lock);
            closer.idle--;
        }
        if (list_empty(&closer.turns))
            break;
        close_next(self);
    }
    closer.threads--;
    self->state = self->state == THREAD_LEFT ? THREAD_NONE : THREAD_ENDED;
    pthread_cond_signal(&closer.done);
    pthread_mutex_unlock(&closer.lock);
    return NULL;
}

static bool hand_over(int fd, uid_t uid, bool end)
{
    struct item *item = malloc(sizeof(*item));
    if (!item)
        return false;
    item->fd = fd;
    pthread_mutex_lock(&closer.lock);
    struct sender *sender = sender_get(uid, end);
    bool taken = sender && wake_thread();
    if (taken) {
        list_append(&sender->waiting, &item->link);
        sender->count++;
        if (end && sender->count >= MANY)
            hurry(sender);
    }
    if (sender)
        sender_settle(sender);
    pthread_mutex_unlock(&closer.lock);
    if (!taken)
        free(item);
    return taken;
}

// ---- what closes how ------------------------------------------------------------------------

// Only the kernel is behind memory files, pipes and the like.
static bool closes_at_once(int fd)
{
    char link[32], path[16];

    if (fcntl(fd, F_GET_SEALS) >= 0)
        return true;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    return strncmp(path, "anon_inode:", 11) == 0 || strncmp(path, "pipe:", 5) == 0;
}

void closer_take(int fd, uid_t uid)
{
    if (fd >= 0 && (closes_at_once(fd) || !hand_over(fd, uid, false)))
        close(fd);
}

// True if there is no packet, not even an empty one. Any packet comes with credentials.
static bool has_no_packet(int fd)
{
    char byte, control[CMSG_SPACE(sizeof(struct ucred))];
    struct iovec iov = {.iov_base = &byte, .iov_len = 1};
    struct msghdr msg;
    int on = 1;
    ssize_t n;

    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        return false;
    do {
        msg = (struct msghdr){.msg_iov = &iov,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control)};
        n = recvmsg(fd, &msg, MSG_PEEK | MSG_DONTWAIT);
    } while (n < 0 && (errno == EINTR || errno == ECONNRESET));
    return n < 0 ? errno == EAGAIN : n == 0 && msg.msg_controllen == 0;
}

// Is this socket, which accepts no more data, empty?
static bool is_empty(int fd)
{
    int type, bytes;
    socklen_t size = sizeof(type);

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return false;
    return type == SOCK_STREAM ? ioctl(fd, FIONREAD, &bytes) == 0 && bytes == 0 : has_no_packet(fd);
}

void closer_end(int fd, uid_t uid)
{
    if (fd < 0)
        return;
    shutdown(fd, SHUT_RDWR); // this also ends the copy in the service manager's store
    if (is_empty(fd) || !hand_over(fd, uid, true))
        close(fd);
}

static uid_t received_from = CLOSER_NOBODY;

static void close_received(int fd)
{
    closer_take(fd, received_from);
}

void closer_receive_from(uid_t uid)
{
    received_from = uid;
    fd_list_close_one = close_received;
}

// With the lock held.
static enum closer_load load_of(const struct sender *sender)
{
    if (!sender || sender->count < MANY)
        return CLOSER_READY;
    return clock_ms() - sender->since_ms >= CLOG_MS ? CLOSER_CLOGGED : CLOSER_BUSY;
}

enum closer_load closer_load(uid_t uid)
{
    pthread_mutex_lock(&closer.lock);
    enum closer_load sent = load_of(sender_find(uid, false));
    enum closer_load ends = load_of(sender_find(uid, true));
    pthread_mutex_unlock(&closer.lock);
    return sent > ends ? sent : ends;
}

// The caller holds the lock; threads that have ended do not need it any more.
static void join_threads(void)
{
    for (size_t i = 0; i < THREADS_MAX; i++) {
        struct closer_thread *thread = &closer.all[i];
        if (thread->state == THREAD_ENDED) {
            pthread_join(thread->id, NULL);
            thread->state = THREAD_NONE;
        } else if (thread->state == THREAD_RUNS) {
            pthread_detach(thread->id);
            thread->state = THREAD_LEFT;
        }
    }
}

void closer_stop(void)
{
    struct timespec limit = clock_wall_in(1);
    pthread_mutex_lock(&closer.lock);
    closer.stopping = true;
    pthread_cond_broadcast(&closer.work);
    while (closer.threads > 0 && pthread_cond_timedwait(&closer.done, &closer.lock, &limit) == 0)
        ;
    join_threads();
    closer.stopping = false;
    pthread_mutex_unlock(&closer.lock);
}
