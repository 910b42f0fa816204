// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fd_reaper.h"

#include "cleanup.h"
#include "clock.h"
#include "helper.h"
#include "list.h"
#include "log.h"
#include "packet.h"
#include "received.h"
#include "socket_empty.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define HELPERS_MAX 64
#define SPARE       3    // helpers that stay when they are idle
#define EACH        4    // helpers at a time for one uid, so that others get some, too
#define MANY        64   // descriptors of one uid that are not closed yet
#define STUCK_MS    5000 // a uid with this many is stuck if none was closed for this long
#define RETRY_MS    20
#define STOP_MS     1000
#define TIMER       NULL // the timer's mark in the epoll
#define RESERVE     64   // tasks for when memory runs out

// The tasks that a uid causes. They do not delay each other: a uid can make docad create sockets
// again and again, and docad must inspect the packets of its other processes.
enum task_kind { TASK_SENT, TASK_END, TASK_INSPECT, TASK_KINDS };

// A descriptor to close, or a socket to inspect.
struct task {
    struct list in_sender;
    struct sender *sender;
    int fd;
    struct fd_inspection *inspection; // or NULL
};

struct sender {
    struct list in_senders;
    struct list in_ready; // while one more of its tasks may be begun
    struct list waiting;
    unsigned count, busy; // the count includes the tasks of busy helpers
    uint64_t since_ms;    // when the last one was done
    uid_t uid;
    enum task_kind kind;
};

// In use while there is a task, or as long as the sender has some.
static struct task reserved_tasks[RESERVE];
static struct sender reserved_senders[RESERVE];

struct fd_inspection {
    struct task *task; // NULL once it was cancelled
    bool takes;        // the packet, whatever it brings
    fd_reaper_inspected_fn done;
    void *arg;
    enum fd_verdict verdict;
    struct list in_answered;
};

struct helper {
    int sock; // -1: none
    bool ready;
    bool retried;      // made after a failure to make one
    struct task *task; // what it is busy with
};

// One lock for all of it. No thread blocks with it held.
static struct {
    pthread_mutex_t lock;
    struct list senders, ready;
    struct list answered; // inspections, for the loop
    struct helper helpers[HELPERS_MAX];
    unsigned n_helpers, n_idle, n_busy, n_tasks;
    int epoll, timer;
    bool ticking;     // the timer is set
    bool due;         // it has just run out
    bool backing_off; // no helper can be made: the next attempt is the timer's
    bool failing;     // none was made since then
    bool unsaid;      // and the log has no line about that yet
} reaper = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .senders = {&reaper.senders, &reaper.senders},
    .ready = {&reaper.ready, &reaper.ready},
    .answered = {&reaper.answered, &reaper.answered},
    .epoll = -1,
    .timer = -1,
};

// ---- senders; all of it with the lock held --------------------------------------------------

static struct sender *sender_find(uid_t uid, enum task_kind kind)
{
    struct sender *sender;
    list_for_each (sender, &reaper.senders, in_senders) {
        if (sender->uid == uid && sender->kind == kind)
            return sender;
    }
    return NULL;
}

static struct sender *sender_new(void)
{
    struct sender *sender = calloc(1, sizeof(*sender));
    for (size_t i = 0; !sender && i < RESERVE; i++)
        if (reserved_senders[i].count == 0)
            sender = &reserved_senders[i];
    return sender;
}

static void sender_free(struct sender *sender)
{
    if (sender < reserved_senders || sender >= reserved_senders + RESERVE)
        free(sender);
}

static struct task *task_new(void)
{
    struct task *task = calloc(1, sizeof(*task));
    for (size_t i = 0; !task && i < RESERVE; i++)
        if (!reserved_tasks[i].sender)
            task = &reserved_tasks[i];
    return task;
}

static void task_dispose(struct task *task)
{
    if (task < reserved_tasks || task >= reserved_tasks + RESERVE)
        free(task);
    else
        *task = (struct task){0};
}

static struct sender *sender_get(uid_t uid, enum task_kind kind)
{
    struct sender *sender = sender_find(uid, kind);
    if (sender || !(sender = sender_new()))
        return sender;
    sender->uid = uid;
    sender->kind = kind;
    sender->since_ms = clock_ms();
    list_init(&sender->in_ready);
    list_init(&sender->waiting);
    list_append(&reaper.senders, &sender->in_senders);
    return sender;
}

// Called after a task of this sender was added, begun or done.
static void sender_settle(struct sender *sender)
{
    list_remove(&sender->in_ready);
    if (!list_empty(&sender->waiting) && sender->busy < EACH)
        list_append(&reaper.ready, &sender->in_ready);
    if (sender->count > 0)
        return;
    list_remove(&sender->in_senders);
    sender_free(sender);
}

static void task_free(struct task *task)
{
    struct sender *sender = task->sender;
    list_remove(&task->in_sender);
    sender->count--;
    sender->since_ms = clock_ms();
    sender_settle(sender);
    reaper.n_tasks--;
    task_dispose(task);
}

static bool add_task(int fd, uid_t uid, enum task_kind kind, struct fd_inspection *inspection)
{
    struct task *task = task_new();
    struct sender *sender = task ? sender_get(uid, kind) : NULL;
    if (!sender) {
        if (task)
            task_dispose(task);
        return false;
    }
    task->fd = fd;
    task->inspection = inspection;
    task->sender = sender;
    if (inspection)
        inspection->task = task;
    list_append(&sender->waiting, &task->in_sender);
    sender->count++;
    reaper.n_tasks++;
    sender_settle(sender);
    return true;
}

// ---- helpers; all of it with the lock held ----------------------------------------------------

static void answer(struct fd_inspection *inspection, enum fd_verdict verdict)
{
    inspection->verdict = verdict;
    inspection->task = NULL;
    list_append(&reaper.answered, &inspection->in_answered);
}

static void retry_later(void)
{
    const struct itimerspec later = {.it_value = {.tv_nsec = RETRY_MS * 1000000}};
    reaper.ticking = reaper.ticking || timerfd_settime(reaper.timer, 0, &later, NULL) == 0;
}

// Each attempt costs time of the loop. Until then waiting descriptors stay open.
static void back_off(void)
{
    reaper.unsaid = reaper.unsaid || !reaper.failing;
    reaper.backing_off = reaper.failing = true;
    retry_later();
}

static void make_helper(void)
{
    struct helper *helper = reaper.helpers;
    while (helper < reaper.helpers + HELPERS_MAX && helper->sock >= 0)
        helper++;
    if (helper == reaper.helpers + HELPERS_MAX)
        return;
    int sock = helper_new();
    if (sock == -EPIPE || sock == -ECONNRESET || sock == -ENOTCONN)
        sock = helpers_start() ? helper_new() : -ECHILD; // the process that makes them has ended
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = helper};
    if (sock < 0 || epoll_ctl(reaper.epoll, EPOLL_CTL_ADD, sock, &event) < 0) {
        close_fdp(&sock);
        back_off();
        return;
    }
    *helper = (struct helper){.sock = sock, .retried = reaper.failing};
    reaper.n_helpers++;
}

// Takes the helper's task, which may be NULL, from it.
static struct task *helper_give_up(struct helper *helper)
{
    struct task *task = steal_ptr(helper->task);
    if (task) {
        task->sender->busy--;
        reaper.n_busy--;
    }
    return task;
}

static void helper_lose(struct helper *helper)
{
    reaper.n_idle -= helper->ready && !helper->task;
    reaper.n_helpers--;
    close_fdp(&helper->sock); // no process sends descriptors to docad's end
    if (!helper->ready)
        back_off();
    helper->ready = false;
    struct task *task = helper_give_up(helper);
    if (task && task->inspection) { // the helper was killed: another one inspects it
        list_append(&task->sender->waiting, &task->in_sender);
        sender_settle(task->sender);
    } else if (task) {
        task_free(task);
    }
}

static bool has_none(uid_t uid)
{
    struct sender *sender;
    list_for_each (sender, &reaper.senders, in_senders) {
        if (sender->uid == uid && sender->busy > 0)
            return false;
    }
    return true;
}

// Returns the next sender whose task one of `idle` helpers may begin, or NULL. Half of the helpers
// are for uids without a busy one, because those of the others may all hang. The last idle helper
// is for a uid without one, because docad may be unable to make more.
static struct sender *next_sender(unsigned idle)
{
    struct sender *sender;
    list_for_each (sender, &reaper.ready, in_ready) {
        if (idle > 1 && (sender->busy == 0 || reaper.n_busy < HELPERS_MAX / 2))
            return sender;
        if (idle == 1 && has_none(sender->uid))
            return sender;
    }
    return NULL;
}

#define GO_NOT_SENT 1

// Makes a helper close a descriptor, or inspect a socket. Returns 0, -errno, or GO_NOT_SENT: it has
// the descriptor, but waits for HELPER_GO.
static int give_order(int sock, struct task *task)
{
    char order = !task->inspection         ? HELPER_CLOSE
                 : task->inspection->takes ? HELPER_TAKE
                                           : HELPER_INSPECT;
    char go = HELPER_GO;
    int r = packet_send(sock, &order, 1, &task->fd, 1, MSG_DONTWAIT);
    if (r < 0 || task->inspection)
        return r;
    close_fdp(&task->fd); // the helper has it, so this is not the last one
    return packet_send(sock, &go, 1, NULL, 0, MSG_DONTWAIT) < 0 ? GO_NOT_SENT : 0;
}

// Gives the helper a task of this sender. Returns false if the descriptor cannot be sent now.
static bool helper_begin(struct helper *helper, struct sender *sender)
{
    struct task *task = list_entry(sender->waiting.next, struct task, in_sender);
    int r = give_order(helper->sock, task);

    if (r == -EPIPE || r == -ECONNRESET) {
        helper_lose(helper);
        return true;
    }
    if (r < 0) { // too many descriptors of docad's user are in flight
        retry_later();
        return false;
    }
    list_remove(&task->in_sender);
    helper->task = task;
    reaper.n_idle--;
    reaper.n_busy++;
    sender->busy++;
    sender_settle(sender);
    if (r == GO_NOT_SENT)
        helper_lose(helper); // that is a word, too
    return true;
}

// Ends surplus idle helpers: they end when their socket is closed.
static void lose_surplus(void)
{
    for (size_t i = HELPERS_MAX; i-- > 0 && reaper.n_idle > SPARE && list_empty(&reaper.ready);) {
        struct helper *helper = &reaper.helpers[i];
        if (helper->sock >= 0 && helper->ready && !helper->task)
            helper_lose(helper);
    }
}

// A uid without a helper gets a new one immediately. The others wait for a while: usually one of
// theirs is done soon, and each helper needs a descriptor, of which docad may have none to spare.
static void make_more(void)
{
    if (reaper.backing_off)
        return;
    if (next_sender(1) || (reaper.due && next_sender(HELPERS_MAX)))
        make_helper();
    else if (next_sender(HELPERS_MAX))
        retry_later();
}

static void start_tasks(void)
{
    struct sender *sender;
    bool starting = false;

    for (size_t i = 0; i < HELPERS_MAX; i++) {
        struct helper *helper = &reaper.helpers[i];
        starting = starting || (helper->sock >= 0 && !helper->ready);
        if (helper->sock < 0 || !helper->ready || helper->task)
            continue;
        if ((sender = next_sender(reaper.n_idle)) && !helper_begin(helper, sender))
            return;
    }
    if (!starting)
        make_more();
}

static void helper_answer(struct helper *helper, char what)
{
    struct task *task = helper->task;
    if (what == HELPER_READY || what == HELPER_DONE) {
        helper->ready = true;
        if (what == HELPER_READY && helper->retried)
            reaper.failing = false;
        reaper.n_idle++;
        if ((task = helper_give_up(helper))) {
            if (task->inspection) // it ended without a verdict
                answer(task->inspection, FD_VERDICT_REFUSED);
            task_free(task);
        }
    } else if (task && task->inspection) {
        answer(steal_ptr(task->inspection), what == HELPER_GOOD   ? FD_VERDICT_GOOD
                                            : what == HELPER_MANY ? FD_VERDICT_TOO_MANY
                                                                  : FD_VERDICT_REFUSED);
        task->fd = -1;
    }
}

static void helper_read(struct helper *helper)
{
    struct fd_list fds;
    char byte;

    while (helper->sock >= 0) {
        ssize_t n = packet_recv(helper->sock, &byte, 1, &fds, MSG_DONTWAIT);
        if (n == -EAGAIN || n == -ENOMEM) // there will be an event again
            return;
        if (n > 0)
            helper_answer(helper, byte);
        else
            helper_lose(helper);
    }
}

// ---- closing ------------------------------------------------------------------------

static bool add_close_task(int fd, uid_t uid, enum task_kind kind)
{
    pthread_mutex_lock(&reaper.lock);
    bool taken = reaper.epoll >= 0 && add_task(fd, uid, kind, NULL);
    if (taken)
        start_tasks();
    bool started = reaper.epoll >= 0;
    pthread_mutex_unlock(&reaper.lock);
    return taken || started; // without memory it stays open: better than to wait
}

void fd_reaper_close(int fd, uid_t uid)
{
    if (fd >= 0 && (received_closes_at_once(fd) || !add_close_task(fd, uid, TASK_SENT)))
        close(fd);
}

void fd_reaper_close_all(int *fds, size_t n, uid_t uid)
{
    for (size_t i = 0; i < n; i++)
        fd_reaper_close(steal_fd(&fds[i]), uid);
}

void fd_reaper_close_socket(int fd, uid_t uid)
{
    if (fd < 0)
        return;
    shutdown(fd, SHUT_RDWR); // this also ends the copy in the service manager's store
    if (socket_is_empty(fd) || !add_close_task(fd, uid, TASK_END))
        close(fd);
}

static uid_t received_from = FD_REAPER_NO_UID;

static void close_received(int fd)
{
    fd_reaper_close(fd, received_from);
}

void fd_reaper_receive_from(uid_t uid)
{
    received_from = uid;
    fd_list_close_one = close_received;
}

// ---- looking ----------------------------------------------------------------------------------

static struct fd_inspection *ask_helper(int sock, uid_t uid, bool takes,
                                        fd_reaper_inspected_fn done, void *arg)
{
    struct fd_inspection *inspection = calloc(1, sizeof(*inspection));
    if (!inspection)
        return NULL;
    inspection->takes = takes;
    inspection->done = done;
    inspection->arg = arg;
    list_init(&inspection->in_answered);
    pthread_mutex_lock(&reaper.lock);
    bool added = reaper.epoll >= 0 && add_task(sock, uid, TASK_INSPECT, inspection);
    if (added)
        start_tasks();
    pthread_mutex_unlock(&reaper.lock);
    if (!added) {
        free(inspection);
        return NULL;
    }
    return inspection;
}

struct fd_inspection *fd_reaper_inspect(int sock, uid_t uid, fd_reaper_inspected_fn done, void *arg)
{
    return ask_helper(sock, uid, false, done, arg);
}

struct fd_inspection *fd_reaper_refuse(int sock, uid_t uid, fd_reaper_inspected_fn done, void *arg)
{
    return ask_helper(sock, uid, true, done, arg);
}

void fd_reaper_inspect_cancel(struct fd_inspection *inspection)
{
    if (!inspection)
        return;
    pthread_mutex_lock(&reaper.lock);
    struct task *task = inspection->task;
    list_remove(&inspection->in_answered);
    if (task && list_linked(&task->in_sender)) {
        task_free(task);
    } else if (task) {
        task->inspection = NULL; // the helper is at it
        task->fd = -1;
    }
    lose_surplus();
    pthread_mutex_unlock(&reaper.lock);
    free(inspection);
}

static void call_back(void)
{
    pthread_mutex_lock(&reaper.lock);
    while (!list_empty(&reaper.answered)) {
        struct fd_inspection *inspection =
            list_entry(reaper.answered.next, struct fd_inspection, in_answered);
        list_remove(&inspection->in_answered);
        pthread_mutex_unlock(&reaper.lock);
        inspection->done(inspection->arg, inspection->verdict);
        free(inspection);
        pthread_mutex_lock(&reaper.lock);
    }
    pthread_mutex_unlock(&reaper.lock);
}

// ---- the loop's side --------------------------------------------------------------------------

int fd_reaper_fd(void)
{
    return reaper.epoll;
}

static void timer_read(void)
{
    uint64_t times;
    if (read(reaper.timer, &times, sizeof(times)) < 0)
        return;
    reaper.ticking = reaper.backing_off = false;
    reaper.due = true;
}

static void log_if_failing(void)
{
    pthread_mutex_lock(&reaper.lock);
    bool unsaid = reaper.unsaid;
    reaper.unsaid = false;
    pthread_mutex_unlock(&reaper.lock);
    if (unsaid)
        log_warning("no more processes can be made that close what clients have sent: it stays "
                    "open until others are done; allow docad's user more processes, descriptors or "
                    "memory");
}

static void work(int wait_ms)
{
    struct epoll_event events[HELPERS_MAX];

    int n = epoll_wait(reaper.epoll, events, HELPERS_MAX, wait_ms);
    pthread_mutex_lock(&reaper.lock);
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr != TIMER)
            helper_read(events[i].data.ptr);
        else
            timer_read();
    }
    start_tasks();
    reaper.due = false;
    lose_surplus();
    pthread_mutex_unlock(&reaper.lock);
    log_if_failing();
}

void fd_reaper_work(void)
{
    work(0);
    call_back();
}

bool fd_reaper_start(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = TIMER};

    for (size_t i = 0; i < HELPERS_MAX; i++)
        reaper.helpers[i].sock = -1;
    if (!helpers_start())
        return false;
    reaper.epoll = epoll_create1(EPOLL_CLOEXEC);
    reaper.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (reaper.epoll < 0 || reaper.timer < 0 ||
        epoll_ctl(reaper.epoll, EPOLL_CTL_ADD, reaper.timer, &event) < 0)
        return false;
    pthread_mutex_lock(&reaper.lock);
    reaper.ticking = reaper.due = reaper.backing_off = reaper.failing = reaper.unsaid = false;
    for (int i = 0; i < SPARE; i++)
        make_helper();
    bool made = reaper.n_helpers == SPARE;
    pthread_mutex_unlock(&reaper.lock);
    return made;
}

// With the lock held.
static enum fd_reaper_load load_of(const struct sender *sender)
{
    if (!sender || sender->count < MANY)
        return FD_REAPER_READY;
    return clock_ms() - sender->since_ms >= STUCK_MS ? FD_REAPER_STUCK : FD_REAPER_BUSY;
}

enum fd_reaper_load fd_reaper_load(uid_t uid)
{
    pthread_mutex_lock(&reaper.lock);
    enum fd_reaper_load sent = load_of(sender_find(uid, TASK_SENT));
    enum fd_reaper_load ends = load_of(sender_find(uid, TASK_END));
    pthread_mutex_unlock(&reaper.lock);
    return sent > ends ? sent : ends;
}

// ---- the end ----------------------------------------------------------------------------------

static bool is_done(void)
{
    pthread_mutex_lock(&reaper.lock);
    bool done = reaper.n_tasks == 0;
    pthread_mutex_unlock(&reaper.lock);
    return done;
}

// Sends the remaining descriptors to helpers, even to busy ones: otherwise closing them would block
// docad's own end.
static void leave_rest(void)
{
    struct sender *sender, *next_sender;
    struct task *task, *next;
    unsigned at = 0;

    list_for_each_safe (sender, next_sender, &reaper.senders, in_senders) {
        list_for_each_safe (task, next, &sender->waiting, in_sender) {
            int r = -1;
            for (unsigned i = 0; i < HELPERS_MAX && r < 0 && !task->inspection; i++, at++) {
                int sock = reaper.helpers[at % HELPERS_MAX].sock;
                r = sock < 0 ? -1 : give_order(sock, task);
            }
        }
    }
}

void fd_reaper_stop(void)
{
    if (reaper.epoll < 0)
        return;
    uint64_t limit = clock_ms() + STOP_MS;
    for (uint64_t now = clock_ms(); !is_done() && now < limit; now = clock_ms())
        work((int)(limit - now));
    pthread_mutex_lock(&reaper.lock);
    bool idle = reaper.n_tasks == 0 && reaper.n_busy == 0;
    leave_rest();
    for (size_t i = 0; i < HELPERS_MAX; i++)
        if (reaper.helpers[i].sock >= 0)
            helper_lose(&reaper.helpers[i]);
    if (idle)
        helpers_end();
    else
        helpers_stop();
    close_fdp(&reaper.epoll);
    close_fdp(&reaper.timer);
    pthread_mutex_unlock(&reaper.lock);
}
