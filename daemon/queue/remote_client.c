// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "remote_client.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "link_queue.h"
#include "log.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"
#include "remote_pending.h"
#include "rc_queue.h"
#include "spin.h"

#include <doca_types.h>
#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>

// The other side fetches larger ones, straight into the owner's memory if possible. Smaller ones
// are sent along, because they arrive before fetching could begin.
#define PUSH_MAX 4096u

#define TAKE_BATCH 16 // requests of one client before others get their turn
#define DATA_SIZE  (QP_CHUNKS * QP_CHUNK_SIZE)

// A client that got an answer often has the next request soon. For this time the loop polls the
// ring in each round, and neither a doorbell nor a wake-up is needed.
#define POLL_NS 10000

struct remote_client {
    struct qp_server ring;
    struct rc_queue queue;
    struct link_queue *link; // used if there is no device, here or there
    struct carrier *carrier; // of these two, the one that is used
    bool has_device;
    struct errtext no_device; // the reason
    struct event *doorbell;
    struct event *polling; // pending while the loop comes by
    struct spin spin;
    struct remote_pending *pending;
    int pending_fd; // closed after it was stored
    int fds[QPAIR_FDS];
    bool connecting, connected, cut;
    bool pulls;          // the other side fetches large requests' bytes
    uint32_t renewed_at; // completions at the last renewal
    uid_t uid;
    const struct remote_client_owner *owner;
    void *arg;
};

static void corrupted(struct remote_client *c)
{
    event_del(c->doorbell);
    event_del(c->polling);
    c->owner->ended(c->arg, REMOTE_CLIENT_CORRUPTED, "its ring is corrupted");
}

void remote_client_suspend(struct remote_client *c)
{
    c->connecting = c->connected = false;
    c->cut = true;
}

// The queue itself is freed later, when no function of it is running.
static void cut(struct remote_client *c, const char *why)
{
    if (c->cut)
        return;
    remote_client_suspend(c);
    c->owner->ended(c->arg, REMOTE_CLIENT_CUT, why);
}

// ---- there ------------------------------------------------------------------------------

static bool is_atomic(const struct qp_request *r)
{
    return r->opcode == QP_FETCH_ADD || r->opcode == QP_CMP_SWP;
}

// Checks the part of the data area that a request uses. The engine on the other side checks the
// rest.
static bool fits(const struct qp_request *r)
{
    uint32_t size = is_atomic(r) ? sizeof(struct qp_atomic) : r->length;
    return r->length > 0 && r->length <= QP_CHUNK_SIZE && r->offset <= DATA_SIZE - size;
}

// The bytes that are sent with a request.
static uint32_t pushed(const struct remote_client *c, const struct qp_request *r)
{
    if (is_atomic(r))
        return sizeof(struct qp_atomic);
    return r->opcode == QP_WRITE && !(c->pulls && r->length > PUSH_MAX) ? r->length : 0;
}

static bool send_request(struct remote_client *c, struct qp_request *r)
{
    uint32_t bytes = pushed(c, r);
    r->reserved = r->opcode == QP_WRITE && bytes == 0 ? RC_PULL : 0;
    return carrier_send(c->carrier, r, sizeof(*r), r->offset, bytes);
}

// Returns 1 if it was sent or completed, 0 if the connection does not accept it, -1 if the ring is
// corrupted.
static int forward(struct remote_client *c, uint32_t number)
{
    const struct qp_request *request = remote_pending_get(c->pending, number);
    struct qp_request out = *request;
    if (!fits(request))
        return remote_pending_complete(c->pending, &c->ring, number, DOCA_ERROR_INVALID_VALUE) < 0
                   ? -1
                   : 1;
    out.tag = number;
    return send_request(c, &out);
}

// Returns false if the callback has ended the client.
static bool went(struct remote_client *c, int sent)
{
    if (sent < 0)
        corrupted(c);
    else if (sent == 0)
        cut(c, "the connection accepts no requests");
    return sent > 0;
}

// Returns false if the callback has ended the client.
static bool take(struct remote_client *c)
{
    for (int i = 0; i < TAKE_BATCH; i++) {
        uint32_t number = remote_pending_free_number(c->pending);
        if (number == REMOTE_NONE)
            return true; // an answer makes room
        int n = remote_pending_take(c->pending, &c->ring, number);
        if (n == 0) {
            if (!qp_server_sleep(&c->ring))
                return true;
            qp_server_awake(&c->ring);
            continue;
        }
        if (!went(c, n > 0 ? forward(c, number) : -1))
            return false;
    }
    event_active(c->doorbell, EV_TIMEOUT, 0);
    return true;
}

// Sends the requests that an earlier connection left unanswered. Returns false if the new one does
// not accept them.
static bool send_again(struct remote_client *c)
{
    uint32_t numbers[QP_ENTRIES];
    unsigned n = remote_pending_list(c->pending, numbers);

    for (unsigned i = 0; i < n; i++) {
        bool once = is_atomic(remote_pending_get(c->pending, numbers[i]));
        if (once ? remote_pending_complete(c->pending, &c->ring, numbers[i],
                                           DOCA_ERROR_NOT_CONNECTED) < 0
                 : forward(c, numbers[i]) <= 0)
            return false;
    }
    return true;
}

// Starts to send requests.
static void begin(struct remote_client *c)
{
    c->connected = true;
    c->cut = false;
    if (!send_again(c)) {
        c->owner->connected(c->arg, DOCA_ERROR_DRIVER, "the connection accepts no requests");
        return;
    }
    event_active(c->doorbell, EV_TIMEOUT, 0); // makes it announce that it sleeps
    c->owner->connected(c->arg, DOCA_SUCCESS, NULL);
}

// Called when it is connected through the device.
static void on_connected(void *owner, const char *why)
{
    struct remote_client *c = owner;

    if (!c->connecting)
        return; // it was cut, and another one will follow
    c->connecting = false;
    if (why) {
        c->owner->connected(c->arg, DOCA_ERROR_NOT_SUPPORTED, why);
        return;
    }
    c->link = link_queue_free(c->link);
    begin(c);
}

static void on_doorbell(evutil_socket_t fd, short what, void *arg)
{
    struct remote_client *c = arg;
    (void)fd;
    (void)what;
    if (c->connected)
        take(c);
}

static const struct timeval next_round = {0};

// Called after an answer.
static void begin_polling(struct remote_client *c)
{
    if (event_pending(c->polling, EV_TIMEOUT, NULL) || !spin_begin(&c->spin, clock_ns()))
        return;
    qp_server_awake(&c->ring); // take() announces that it sleeps
    event_add(c->polling, &next_round);
}

static void on_poll(evutil_socket_t fd, short what, void *arg)
{
    struct remote_client *c = arg;
    uint64_t now = clock_ns();
    (void)fd;
    (void)what;

    if (!c->connected)
        return; // begin() takes the requests in the ring
    if (qp_server_has_next(&c->ring)) {
        spin_end(&c->spin, now, POLL_NS);
    } else if (spin_goes_on(&c->spin, now, POLL_NS)) {
        event_add(c->polling, &next_round);
        return;
    } else {
        spin_give_up(&c->spin);
    }
    take(c);
}

// ---- back -------------------------------------------------------------------------------

static bool on_received(void *owner, const void *header, size_t size)
{
    struct remote_client *c = owner;
    struct qp_completion done;

    if (size == sizeof(done))
        memcpy(&done, header, sizeof(done));
    if (size != sizeof(done) || !remote_pending_get(c->pending, done.tag)) {
        c->owner->ended(c->arg, REMOTE_CLIENT_MISLED,
                        "the other node answered a request that was not sent");
        return false;
    }
    bool was_full = remote_pending_free_number(c->pending) == REMOTE_NONE;
    if (remote_pending_complete(c->pending, &c->ring, done.tag, done.status) < 0) {
        corrupted(c);
        return false;
    }
    if (was_full && !take(c))
        return false;
    begin_polling(c);
    return true;
}

// It may be cut already; then this only means that the end prepared for the next connection is
// lost.
static void on_device_cut(void *owner, const char *why)
{
    struct remote_client *c = owner;
    remote_client_suspend(c);
    c->owner->ended(c->arg, REMOTE_CLIENT_CUT, why);
}

static void on_link_cut(void *owner, const char *why)
{
    cut(owner, why);
}

// ---- lifetime ---------------------------------------------------------------------------

static void on_misled(void *owner, const char *why)
{
    struct remote_client *c = owner;
    c->owner->ended(c->arg, REMOTE_CLIENT_MISLED, why);
}

static doca_error_t make_queues(struct remote_client *c, struct peer *peer, struct errtext *err)
{
    static const struct carrier_owner device_owner = {
        .connected = on_connected, .received = on_received, .cut = on_device_cut};
    static const struct carrier_owner link_owner = {
        .received = on_received, .misled = on_misled, .cut = on_link_cut};
    void *data = c->ring.shared->data;

    // The other side writes the bytes that were read, and fetches the bytes to be written.
    doca_error_t r =
        rc_queue_init(&c->queue, peer, data, DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE,
                      &device_owner, c, &c->no_device);
    c->has_device = r == DOCA_SUCCESS;
    if (r != DOCA_SUCCESS && r != DOCA_ERROR_NOT_SUPPORTED)
        log_peer_limited(LOG_LEVEL_WARNING, peer,
                         "a queue pair to node %s uses the link instead of RDMA: %s", peer->name,
                         c->no_device.s);
    return link_queue_new(&c->link, peer, c->uid, data, &link_owner, c, err);
}

static doca_error_t watch(struct remote_client *c, struct event_base *base, struct errtext *err)
{
    c->doorbell = event_new(base, c->ring.doorbell, EV_READ | EV_ET | EV_PERSIST, on_doorbell, c);
    c->polling = evtimer_new(base, on_poll, c);
    if (!c->doorbell || !c->polling || event_add(c->doorbell, NULL) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

static doca_error_t make(struct remote_client *c, struct peer *peer, struct errtext *err)
{
    int r = qp_server_init(&c->ring, c->fds);
    if (r == 0)
        r = remote_pending_new(&c->pending, &c->pending_fd);
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "queue pair: %s", strerror(-r));
    doca_error_t code = watch(c, peer->node->base, err);
    // The link determines which device is the right one.
    c->cut = peer->state != PEER_LINKED;
    return code == DOCA_SUCCESS && !c->cut ? make_queues(c, peer, err) : code;
}

static struct remote_client *allocate(uid_t uid, const struct remote_client_owner *owner, void *arg)
{
    struct remote_client *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->fds[0] = c->fds[1] = c->fds[2] = c->pending_fd = -1;
    c->uid = uid;
    c->owner = owner;
    c->arg = arg;
    return c;
}

doca_error_t remote_client_new(struct remote_client **out, struct peer *peer, uid_t uid,
                               const struct remote_client_owner *owner, void *arg,
                               struct errtext *err)
{
    struct remote_client *c = allocate(uid, owner, arg);
    if (!c)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = make(c, peer, err);
    if (r != DOCA_SUCCESS) {
        remote_client_free(c);
        return r;
    }
    *out = c;
    return DOCA_SUCCESS;
}

struct remote_client *remote_client_free(struct remote_client *c)
{
    if (!c)
        return NULL;
    if (c->doorbell)
        event_free(c->doorbell);
    if (c->polling)
        event_free(c->polling);
    rc_queue_fini(&c->queue); // before the data area is unmapped
    link_queue_free(c->link);
    remote_pending_close(c->pending);
    if (c->ring.shared) {
        fd_reaper_close_socket(steal_fd(&c->ring.channel), c->uid);
        fd_reaper_close(steal_fd(&c->ring.doorbell), c->uid);
    }
    qp_server_fini(&c->ring);
    remote_client_handed_over(c);
    free(c);
    return NULL;
}

// ---- another connection -----------------------------------------------------------------

bool remote_client_is_cut(const struct remote_client *c)
{
    return c->cut;
}

bool remote_client_is_lost(const struct remote_client *c)
{
    return !c->connected && c->has_device && c->queue.failed;
}

bool remote_client_has_come_on(const struct remote_client *c)
{
    return c->pending->completed != c->renewed_at;
}

doca_error_t remote_client_renew(struct remote_client *c, struct peer *peer, struct errtext *err)
{
    rc_queue_fini(&c->queue);
    c->link = link_queue_free(c->link);
    c->carrier = NULL;
    remote_client_suspend(c);
    c->renewed_at = c->pending->completed;
    return make_queues(c, peer, err);
}

void remote_client_stored_fds(const struct remote_client *c, int fds[REMOTE_CLIENT_STORED_FDS])
{
    fds[0] = c->fds[0];
    fds[1] = c->fds[1];
    fds[2] = c->ring.channel;
    fds[3] = c->pending_fd;
}

doca_error_t remote_client_restore(struct remote_client **out, struct event_base *base, uid_t uid,
                                   int fds[REMOTE_CLIENT_STORED_FDS],
                                   const struct remote_client_owner *owner, void *arg,
                                   struct errtext *err)
{
    struct remote_client *c = allocate(uid, owner, arg);
    if (!c)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    int r = qp_server_restore(&c->ring, fds);
    if (r < 0) {
        free(c);
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "queue pair: %s", strerror(-r));
    }
    fds[0] = fds[1] = fds[2] = -1;
    c->cut = true;
    r = remote_pending_open(&c->pending, fds[3], &c->ring);
    if (r < 0)
        errtext_set(err, DOCA_ERROR_UNEXPECTED, "queue pair: %s", strerror(-r));
    if (r < 0 || watch(c, base, err) != DOCA_SUCCESS) {
        remote_client_free(c);
        return DOCA_ERROR_UNEXPECTED;
    }
    close_fdp(&fds[3]);
    c->renewed_at = c->pending->completed;
    *out = c;
    return DOCA_SUCCESS;
}

// ---- beginning --------------------------------------------------------------------------

bool remote_client_describe(struct remote_client *c, Docad__RcAddress *rc, uint64_t *link)
{
    if (c->has_device)
        rc_queue_describe(&c->queue, rc);
    *link = link_queue_id(c->link);
    return c->has_device;
}

doca_error_t remote_client_connect(struct remote_client *c, const struct peer *peer,
                                   const Docad__RcAddress *there, uint64_t link,
                                   struct errtext *err)
{
    c->pulls = there && there->pulls;
    if (there) {
        c->carrier = &c->queue.carrier;
        doca_error_t r = rc_queue_connect(&c->queue, peer, there, err);
        c->connecting = r == DOCA_SUCCESS;
        return r;
    }
    c->carrier = link_queue_connect(c->link, link);
    rc_queue_fini(&c->queue);
    begin(c);
    return DOCA_SUCCESS;
}

bool remote_client_avoid_device(struct remote_client *c, struct peer *peer, const char *why)
{
    return rc_queue_avoid(&c->queue, peer, why);
}

const char *remote_client_device(const struct remote_client *c)
{
    const struct rc_device *device = c->queue.parts.device;
    return device && c->carrier == &c->queue.carrier ? device->way : NULL;
}

const char *remote_client_no_device(const struct remote_client *c)
{
    return c->has_device ? NULL : c->no_device.s;
}

const int *remote_client_fds(const struct remote_client *c)
{
    return c->fds;
}

void remote_client_handed_over(struct remote_client *c)
{
    fd_reaper_close_all(c->fds, QPAIR_FDS, c->uid);
    close_fdp(&c->pending_fd);
}
