// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "connection.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "copy_text.h"
#include "latency.h"
#include "list.h"
#include "tls_transport.h"
#include "loop_sched.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#define READ_BATCH    16   // messages read at a time from a connection without a scheduler
#define WRITE_BATCH   8    // queued packets sent in one piece of a turn
#define PACKET_CHARGE 512  // charge for a queued packet in addition to its bytes
#define FD_CHARGE     4096 // and for each of its descriptors
#define FINISH_MS     1000
#define RETRY_MS      20
#define RETRIES_MAX   5 // the pause doubles each time: a user may have many connections that wait
#define INSPECT_MS    5000 // limit of an inspection: all helpers of this user may hang

struct packet {
    struct list in_queue;
    size_t size;
    struct fd_list fds;
    uint8_t data[];
};

struct connection {
    struct event_base *base;
    const struct connection_owner *ops;
    void *owner;
    struct event *readable, *writable;
    struct event *closing; // the deferred call of closed(), or its time limit
    struct event *resume;  // resumes writing if no event of the socket will
    struct event *pause;   // resumes reading
    struct fd_inspection
        *inspection;           // of the next packet; nothing is read until its result is known
    Docad__Message *shown;     // the next packet's message, until it is received
    struct sched_item turn;    // to read a message
    struct sched_item writing; // to send what is queued
    struct list output;
    uint64_t output_charge, output_max, output_gone;
    struct transport *transport;
    unsigned retries; // of a send for which too many descriptors are in flight
    bool resuming;    // `resume` is due in this turn of the loop: it sends what the transport keeps
    bool unwatched;   // for input, until its turn
    bool waits;       // the owner waits for room
    bool dead;        // dropped; closed() is due
    bool finishing;   // no more input; dropped when the output is empty
    bool left;        // the other side disconnected, for no known reason
    bool no_room;     // for the descriptors of the packet that is inspected
    char why[320];
};

static uint64_t packet_charge(const struct packet *p)
{
    return PACKET_CHARGE + p->size + p->fds.count * FD_CHARGE;
}

// These are our own duplicates, but they may be the last copies now.
static void close_own(const struct connection *c, struct fd_list *fds)
{
    for (size_t i = 0; i < fds->count; i++)
        fd_reaper_close(fds->fds[i], c->transport->credentials.account);
    fds->count = 0;
}

static void packet_free(struct connection *c, struct packet *p)
{
    c->output_charge -= packet_charge(p);
    c->output_gone += packet_charge(p);
    list_remove(&p->in_queue);
    close_own(c, &p->fds);
    free(p);
}

static void stop_inspection(struct connection *c)
{
    fd_reaper_inspect_cancel(c->inspection);
    c->inspection = NULL;
    message_freep(&c->shown);
}

static void mark_dead(struct connection *c)
{
    c->dead = true;
    stop_inspection(c);
    event_del(c->readable);
    event_del(c->writable);
    event_del(c->resume);
    event_del(c->pause);
    sched_dequeue(&c->turn);
    sched_dequeue(&c->writing);
    // closed() is called from the loop, so that no caller up the stack loses the object it
    // works on.
    event_active(c->closing, EV_TIMEOUT, 0);
}

void connection_drop(struct connection *c, const char *why, ...)
{
    va_list args;
    if (c->dead)
        return;
    if (!c->finishing) {
        va_start(args, why);
        vsnprintf(c->why, sizeof(c->why), why, args);
        va_end(args);
    }
    mark_dead(c);
}

void connection_finish(struct connection *c, const char *why)
{
    if (c->dead || c->finishing)
        return;
    copy_text(c->why, why);
    c->finishing = true;
    stop_inspection(c);
    event_del(c->readable);
    sched_dequeue(&c->turn);
    event_del(c->pause);
    if (list_empty(&c->output) && !c->transport->has_kept) {
        mark_dead(c);
        return;
    }
    struct timeval limit = ms_to_timeval(FINISH_MS);
    event_add(c->closing, &limit);
}

static void on_closing(evutil_socket_t fd, short what, void *arg)
{
    struct connection *c = arg;
    (void)fd;
    (void)what;
    if (!c->dead)
        mark_dead(c);
    event_del(c->closing);
    char why[sizeof(c->why)]; // the owner frees the connection before it logs why
    memcpy(why, c->why, sizeof(why));
    c->ops->closed(c->owner, why);
}

// The other side has disconnected.
static void drop_left(struct connection *c)
{
    const char *why = c->transport->why;
    c->left = c->left || (!why[0] && !c->finishing && !c->dead);
    connection_drop(c, "%s", why[0] ? why : "closed by the other side");
}

bool connection_was_left(const struct connection *c)
{
    return c->left;
}

// Waits for the socket from now on. Otherwise docad would not notice that the other side has
// disconnected.
static bool watch(struct connection *c, struct event *event)
{
    if (event_add(event, NULL) == 0)
        return true;
    connection_drop(c, "docad is out of memory, or watches too many descriptors");
    return false;
}

// ---- output -----------------------------------------------------------------------------

// Handles the result of sending: 0: sent; -EAGAIN: to be sent later; on any other error the
// connection is dropped.
static int outcome(struct connection *c, int r)
{
    if (r == -EAGAIN || r == -ENOBUFS)
        return watch(c, c->writable) ? -EAGAIN : -ENOMEM;
    if (r == -ETOOMANYREFS) { // no event will report its end
        struct timeval later = ms_to_timeval(RETRY_MS << c->retries);
        c->retries += c->retries < RETRIES_MAX;
        event_del(c->writable);
        event_add(c->resume, &later);
        return -EAGAIN;
    }
    c->retries = 0;
    if (r == -EPIPE || r == -ECONNRESET)
        drop_left(c);
    else if (r < 0)
        connection_drop(c, "cannot be written to: %s", strerror(-r));
    return r;
}

static int try_send(struct connection *c, const void *data, size_t size, const int *fds,
                    size_t n_fds)
{
    return outcome(c, c->transport->ops->send(c->transport, data, size, fds, n_fds));
}

static int flush_transport(struct connection *c)
{
    return c->transport->has_kept ? outcome(c, c->transport->ops->flush(c->transport)) : 0;
}

// Sends at most `packets` packets, as long as the transport accepts them now. First the transport
// sends what it has kept. Returns true if it may accept more.
static bool flush(struct connection *c, unsigned most)
{
    if (flush_transport(c) < 0)
        return false;
    while (!list_empty(&c->output)) {
        struct packet *p = list_entry(c->output.next, struct packet, in_queue);
        if (most-- == 0)
            return true;
        if (try_send(c, p->data, p->size, p->fds.fds, p->fds.count) < 0)
            break;
        packet_free(c, p);
    }
    if (c->dead || flush_transport(c) < 0 || !list_empty(&c->output))
        return false;
    event_del(c->writable);
    if (c->finishing)
        mark_dead(c);
    return false;
}

static bool write_some(struct connection *c, unsigned most)
{
    uint64_t gone = c->output_gone;
    bool more = !c->dead && flush(c, most);
    bool room = c->waits && !c->transport->has_kept && list_empty(&c->output);
    if (room)
        c->waits = false;
    if (!c->dead && (c->output_gone != gone || room) && c->ops && c->ops->drained)
        c->ops->drained(c->owner);
    return more && !c->dead;
}

static bool take_writing(struct sched_item *turn)
{
    return write_some(container_of(turn, struct connection, writing), WRITE_BATCH);
}

// A user with many connections that reads little by little uses up only its own turns.
static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct connection *c = arg;
    (void)fd;
    (void)what;
    c->resuming = false;
    if (c->dead)
        return;
    if (!c->writing.sched)
        write_some(c, UINT_MAX);
    else if (sched_is_throttled(&c->writing))
        event_del(c->writable); // added again for what is not sent then
    else
        sched_queue(&c->writing);
}

static struct packet *packet_new(const struct connection *c, const Docad__Message *message,
                                 size_t size, const int *fds, size_t n_fds)
{
    struct packet *p = malloc(sizeof(*p) + size);
    if (!p)
        return NULL;
    list_init(&p->in_queue);
    p->size = docad__message__pack(message, p->data);
    p->fds.count = 0;
    for (size_t i = 0; i < n_fds; i++) {
        int fd = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
        if (fd < 0) {
            close_own(c, &p->fds);
            free(p);
            return NULL;
        }
        p->fds.fds[p->fds.count++] = fd;
    }
    return p;
}

// Appends to the queue.
static void enqueue(struct connection *c, const Docad__Message *message, size_t size,
                    const int *fds, size_t n_fds)
{
    struct packet *p = packet_new(c, message, size, fds, n_fds);
    if (!p) {
        connection_drop(c, "memory or file descriptors ran out");
        return;
    }
    list_append(&c->output, &p->in_queue);
    c->output_charge += packet_charge(p);
    if (c->output_charge > c->output_max)
        connection_drop(c,
                        "does not read its messages: %llu bytes are queued, %llu allowed "
                        "(queued_output_per_connection)",
                        (unsigned long long)c->output_charge, (unsigned long long)c->output_max);
}

static int pack_and_send(struct connection *c, const Docad__Message *message, size_t size,
                         const int *fds, size_t n_fds)
{
    uint8_t small[1024];
    cleanup_free uint8_t *large = size > sizeof(small) ? malloc(size) : NULL;
    uint8_t *buf = large ? large : small;
    if (size > sizeof(small) && !large) {
        connection_drop(c, "memory ran out");
        return -ENOMEM;
    }
    docad__message__pack(message, buf);
    return try_send(c, buf, size, fds, n_fds);
}

// A transport that has no room until it has written what it keeps is not watched if it is about to
// write that anyway.
static int pack_into_transport(struct connection *c, const Docad__Message *message, size_t size)
{
    const struct transport_ops *ops = c->transport->ops;
    uint8_t *packet = ops->room(c->transport, size);
    if (!packet)
        return c->resuming ? -EAGAIN : outcome(c, -EAGAIN);
    docad__message__pack(message, packet);
    ops->filled(c->transport, size);
    return 0;
}

// What the transport keeps goes out together with everything else from this turn of the loop.
static void flush_later(struct connection *c)
{
    event_active(c->resume, EV_TIMEOUT, 0);
    c->resuming = true;
}

int connection_send(struct connection *c, const Docad__Message *message, const int *fds,
                    size_t n_fds)
{
    size_t size = docad__message__get_packed_size(message);

    assert(n_fds <= PACKET_FDS_MAX);
    if (size > PACKET_SIZE_MAX)
        return -EMSGSIZE;
    if (n_fds > 0 && !c->transport->carries_descriptors)
        return -EOPNOTSUPP;
    if (c->dead || c->finishing)
        return 0;
    if (list_empty(&c->output)) {
        int r = c->transport->ops->room ? pack_into_transport(c, message, size)
                                        : pack_and_send(c, message, size, fds, n_fds);
        if (r == 0 && c->transport->has_kept)
            flush_later(c);
        if (r != -EAGAIN)
            return 0;
    }
    enqueue(c, message, size, fds, n_fds);
    return 0;
}

bool connection_has_room(const struct connection *c)
{
    return c->transport->ops->room;
}

uint8_t *connection_room(struct connection *c, size_t size)
{
    if (c->dead || c->finishing || size > PACKET_SIZE_MAX)
        return NULL;
    uint8_t *packet = list_empty(&c->output) ? c->transport->ops->room(c->transport, size) : NULL;
    c->waits = !packet;
    return packet;
}

bool connection_waits(const struct connection *c)
{
    return c->waits;
}

void connection_filled(struct connection *c, size_t size)
{
    c->transport->ops->filled(c->transport, size);
    flush_later(c);
}

// ---- input ------------------------------------------------------------------------------

static void handle_failure(struct connection *c, int r)
{
    if (r == 0 || r == -ECONNRESET)
        drop_left(c);
    else if (r == -EPROTO)
        connection_drop(c, "sent bytes that are not a message");
    else if (r == -ENOMEM)
        connection_drop(c, "docad has no memory for its message");
    else if (r == -EMSGSIZE)
        connection_drop(c, "sent a packet of more than %d bytes", PACKET_SIZE_MAX);
    else if (r == -EBADMSG)
        connection_drop(c, "sent more file descriptors than %d", PACKET_FDS_MAX);
    else
        connection_drop(c, "cannot be read from: %s", strerror(-r));
}

// Returns whether too many descriptors that this user has sent wait to be closed. Another machine
// sends no descriptors, so it never waits, whatever the clients of docad's own user do.
static bool must_wait(struct connection *c)
{
    struct timeval later = ms_to_timeval(RETRY_MS);

    if (!c->transport->carries_descriptors)
        return false;
    switch (fd_reaper_load(c->transport->credentials.account)) {
    case FD_REAPER_READY:
        return false;
    case FD_REAPER_BUSY:
        event_del(c->readable);
        event_add(c->pause, &later);
        return true;
    case FD_REAPER_STUCK:
        break;
    }
    connection_drop(c, "sent file descriptors that cannot be closed");
    return true;
}

// Handles a message whose descriptors docad does not accept as if it had brought none.
static void receive_without_fds(struct connection *c)
{
    cleanup_message Docad__Message *message = steal_ptr(c->shown);
    cleanup_fdlist struct fd_list fds = {.no_room = c->no_room};
    if (message)
        c->ops->message(c->owner, message, &fds);
    else
        handle_failure(c, -EPROTO);
}

// The loop has worked since it woke up.
static void count_latency(const struct connection *c)
{
    struct timeval woken;
    event_base_gettimeofday_cached(c->base, &woken);
    latency_add((uint64_t)woken.tv_sec * 1000000 + (uint64_t)woken.tv_usec, clock_wall_us(),
                clock_ns());
}

static void on_inspected(void *arg, enum fd_verdict verdict);

// A helper inspects the next packet, or takes it, and then reading continues.
static void inspect(struct connection *c, bool no_room)
{
    struct timeval limit = ms_to_timeval(INSPECT_MS);
    int fd = c->transport->fd;
    uid_t uid = c->transport->credentials.account;
    c->no_room = no_room;
    c->inspection = no_room ? fd_reaper_refuse(fd, uid, on_inspected, c)
                            : fd_reaper_inspect(fd, uid, on_inspected, c);
    if (!c->inspection) {
        connection_drop(c, "docad is out of memory");
        return;
    }
    event_del(c->readable);
    event_add(c->pause, &limit);
}

// Reads one message. Returns true if there may be more that no event announces.
static bool read_one(struct sched_item *turn)
{
    struct connection *c = container_of(turn, struct connection, turn);
    struct transport *t = c->transport;
    cleanup_message Docad__Message *message = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    if (c->dead || c->finishing || c->inspection)
        return false;
    if (c->unwatched && !watch(c, c->readable))
        return false;
    c->unwatched = false;
    if (must_wait(c))
        return false;
    fd_reaper_receive_from(t->credentials.account);
    int r = t->ops->receive(t, &message, &fds);
    if (r == -EAGAIN)
        return false;
    if (r == -EMFILE) {
        inspect(c, true);
        return false;
    }
    message_freep(&c->shown);
    if (r == PACKET_BRINGS_FDS) {
        c->shown = steal_ptr(message);
        inspect(c, false);
        return false;
    }
    if (r <= 0) {
        handle_failure(c, r);
        return false;
    }
    c->ops->message(c->owner, message, &fds);
    count_latency(c);
    return !c->dead && !c->finishing && (!t->reads_ahead || t->has_more);
}

// Waits for its turn; without a scheduler it runs now.
static void want_turn(struct connection *c)
{
    const struct timeval now = {0};
    bool more = true;

    if (c->turn.sched) {
        sched_queue(&c->turn);
        return;
    }
    for (int i = 0; i < READ_BATCH && more; i++)
        more = read_one(&c->turn);
    if (more)
        event_add(c->pause, &now);
}

static void on_inspected(void *arg, enum fd_verdict verdict)
{
    struct connection *c = arg;
    c->inspection = NULL;
    event_del(c->pause);
    if (verdict == FD_VERDICT_TOO_MANY) {
        handle_failure(c, -EBADMSG);
        return;
    }
    c->transport->inspected = verdict == FD_VERDICT_GOOD;
    if (verdict == FD_VERDICT_REFUSED)
        receive_without_fds(c);
    if (c->dead || c->finishing)
        return;
    if (watch(c, c->readable))
        want_turn(c);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct connection *c = arg;
    (void)fd;
    (void)what;
    if (sched_is_throttled(&c->turn)) {
        event_del(c->readable);
        c->unwatched = true;
    } else {
        want_turn(c);
    }
}

static void on_pause_over(evutil_socket_t fd, short what, void *arg)
{
    struct connection *c = arg;
    (void)fd;
    (void)what;
    if (c->dead || c->finishing)
        return;
    if (c->inspection) {
        connection_drop(c, "sent file descriptors while docad waits for earlier ones to close");
        return;
    }
    if (watch(c, c->readable))
        want_turn(c);
}

// ---- lifetime -----------------------------------------------------------------------------

static bool make_events(struct connection *c)
{
    int fd = c->transport->fd;
    // There is one event each time that data arrives: a connection that waits for its turn needs no
    // reminder. A transport that reads ahead may stop before it has read everything.
    short persist = EV_PERSIST | (c->transport->reads_ahead ? 0 : EV_ET);
    c->readable = event_new(c->base, fd, EV_READ | persist, on_readable, c);
    c->writable = event_new(c->base, fd, EV_WRITE | persist, on_writable, c);
    c->closing = event_new(c->base, -1, 0, on_closing, c);
    c->resume = event_new(c->base, -1, 0, on_writable, c);
    c->pause = event_new(c->base, -1, 0, on_pause_over, c);
    return c->readable && c->writable && c->closing && c->resume && c->pause &&
           event_add(c->readable, NULL) == 0;
}

int connection_new_over(struct connection **out, struct event_base *base,
                        struct transport *transport, uint64_t output_max)
{
    struct connection *c = calloc(1, sizeof(*c));
    if (!c) {
        transport_close(transport);
        return -ENOMEM;
    }
    list_init(&c->output);
    list_init(&c->turn.in_user);
    list_init(&c->writing.in_user);
    c->turn.take = read_one;
    c->writing.take = take_writing;
    c->base = base;
    c->output_max = output_max;
    c->transport = transport;
    if (!make_events(c)) {
        connection_free(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

int connection_new(struct connection **out, struct event_base *base, int fd, uint64_t output_max)
{
    struct transport *transport;
    int r = unix_transport_new(&transport, fd);
    return r < 0 ? r : connection_new_over(out, base, transport, output_max);
}

struct tls_transport *connection_remote(const struct connection *c)
{
    return tls_transport_of(c->transport);
}

struct connection *connection_free(struct connection *c)
{
    if (!c)
        return NULL;
    struct packet *p, *next;
    stop_inspection(c);
    list_for_each_safe (p, next, &c->output, in_queue)
        packet_free(c, p);
    assert(c->output_charge == 0);
    sched_dequeue(&c->turn);
    sched_dequeue(&c->writing);
    struct event *const events[] = {c->readable, c->writable, c->closing, c->resume, c->pause};
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    transport_close(c->transport);
    free(c);
    return NULL;
}

void connection_set_owner(struct connection *c, const struct connection_owner *ops, void *owner)
{
    c->ops = ops;
    c->owner = owner;
    c->transport->place = ops->place;
    c->transport->owner = owner;
}

void connection_set_sched(struct connection *c, struct sched *sched, struct sched_user *user)
{
    if (!sched)
        return;
    c->turn.sched = c->writing.sched = sched;
    sched_move(&c->turn, user);
    sched_move(&c->writing, user);
}

void connection_set_output_max(struct connection *c, uint64_t output_max)
{
    c->output_max = output_max;
}

uint64_t connection_queued(const struct connection *c)
{
    return c->output_charge;
}

uint64_t connection_gone(const struct connection *c)
{
    return c->output_gone;
}

const struct credentials *connection_credentials(const struct connection *c)
{
    return &c->transport->credentials;
}

int connection_fd(const struct connection *c)
{
    return c->transport->fd;
}

uid_t connection_account(const struct connection *c)
{
    return c->transport->credentials.account;
}

uid_t connection_uid(const struct connection *c)
{
    return c->transport->credentials.uid;
}

pid_t connection_pid(const struct connection *c)
{
    return c->transport->pid;
}
