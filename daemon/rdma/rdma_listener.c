// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_listener.h"

#include "bytes_only.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "function.h"
#include "node.h"
#include "peer.h"
#include "user.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// A user whose calls may wait.
struct caller {
    struct list in_listener, in_peer; // peer->rdma_callers, if it is a user of a linked node
    struct user *user;
    unsigned n;
};

static void caller_free(struct caller *caller)
{
    list_remove(&caller->in_listener);
    list_remove(&caller->in_peer);
    user_unref(caller->user);
    free(caller);
}

static void drop_callers(struct rdma_listener *listener)
{
    while (!list_empty(&listener->callers))
        caller_free(list_entry(listener->callers.next, struct caller, in_listener));
    listener->n_waiting = 0;
}

bool rdma_callers_peer_gone(struct peer *peer, unsigned *steps)
{
    while (!list_empty(&peer->rdma_callers)) {
        if (!kind_step(steps))
            return false;
        caller_free(list_entry(peer->rdma_callers.next, struct caller, in_peer));
    }
    return true;
}

void rdma_callers_adopt(struct peer *to, struct peer *from)
{
    list_append_all(&to->rdma_callers, &from->rdma_callers);
}

// ---- by port -----------------------------------------------------------------------------

// A port of a function, which has one listener at most.
struct place {
    uint32_t port, function; // the function's id
};

static struct rdma_listener *of_port(const struct tree_node *node)
{
    return container_of((struct tree_node *)node, struct rdma_listener, by_port);
}

static int compare_place(const struct tree_node *node, const void *key)
{
    const struct rdma_listener *listener = of_port(node);
    const struct place *place = key;
    if (listener->port != place->port)
        return listener->port < place->port ? -1 : 1;
    return (listener->function->id > place->function) - (listener->function->id < place->function);
}

static int compare_listeners(const struct tree_node *a, const struct tree_node *b)
{
    const struct rdma_listener *listener = of_port(b);
    return compare_place(a, &(struct place){listener->port, listener->function->id});
}

static struct rdma_listener *find_at(const struct node *node, const struct function *function,
                                     uint32_t port)
{
    const struct place place = {port, function->id};
    struct tree_node *found = tree_seek(&node->listeners_by_port, &place, compare_place);
    return found && compare_place(found, &place) == 0 ? of_port(found) : NULL;
}

static void leave_port(struct rdma_listener *listener)
{
    if (listener->function)
        tree_remove(&listener->object.node->listeners_by_port, &listener->by_port,
                    compare_listeners);
    listener->function = NULL;
}

// ---- lifetime --------------------------------------------------------------------------------

struct rdma_listener *rdma_listener_make(struct session *session, const struct function *function,
                                         uint16_t port)
{
    struct rdma_listener *listener = calloc(1, sizeof(*listener));
    if (!listener)
        return NULL;
    object_init(&listener->object, DOCAD__RECORD__WHAT_LISTENER, session->node, session);
    listener->function = function;
    listener->port = port;
    listener->accept_fd = -1;
    list_init(&listener->callers);
    if (in_flight_init(&listener->in_flight, -1, session->user->uid) < 0) {
        free(listener);
        return NULL;
    }
    return listener;
}

doca_error_t rdma_listener_enter(struct rdma_listener *listener, uint64_t id,
                                 const struct limits *limits, struct errtext *err)
{
    struct session *session = listener->object.session;
    const struct charge charges[] = {{LIMIT_CHANNELS, &session->n_channels, 1},
                                     {LIMIT_LISTENERS, &session->user->n_listeners, 1},
                                     {LIMIT_DESCRIPTORS, &session->user->descriptors, 1},
                                     {LIMIT_METADATA, &session->user->metadata, sizeof(*listener)}};
    doca_error_t r = object_enter(&listener->object, id, charges, ARRAY_SIZE(charges), limits, err);
    if (r == DOCA_SUCCESS)
        tree_add(&session->node->listeners_by_port, &listener->by_port, compare_listeners);
    return r;
}

static void dispose(struct rdma_listener *listener)
{
    drop_callers(listener);
    in_flight_fini(&listener->in_flight);
    free(listener);
}

static void close_accept(struct rdma_listener *listener)
{
    fd_reaper_close_socket(steal_fd(&listener->accept_fd), listener->object.session->user->uid);
}

struct rdma_listener *rdma_listener_free(struct rdma_listener *listener)
{
    if (!listener)
        return NULL;
    fdstore_drop(&listener->object.stored);
    leave_port(listener);
    close_accept(listener);
    object_leave(&listener->object);
    dispose(listener);
    return NULL;
}

void rdma_listener_end(struct rdma_listener *listener)
{
    fdstore_drop(&listener->object.stored); // there is no state to continue with
    leave_port(listener);
    close_accept(listener);
}

// ---- finding ---------------------------------------------------------------------------------

static const uint8_t ipv4_prefix[12] = {[10] = 0xff, [11] = 0xff};

static bool is_ipv4_of(const struct function *function, const uint8_t address[RDMA_ADDRESS_SIZE])
{
    return function->has_ipv4 && memcmp(address, ipv4_prefix, sizeof(ipv4_prefix)) == 0 &&
           memcmp(address + sizeof(ipv4_prefix), function->ipv4, sizeof(function->ipv4)) == 0;
}

static bool is_ipv6_of(const struct function *function, const uint8_t address[RDMA_ADDRESS_SIZE])
{
    return function->has_ipv6 && memcmp(address, function->ipv6, sizeof(function->ipv6)) == 0;
}

bool rdma_function_address(const struct function *function, uint8_t out[RDMA_ADDRESS_SIZE])
{
    if (function->has_ipv4) {
        memcpy(out, ipv4_prefix, sizeof(ipv4_prefix));
        memcpy(out + sizeof(ipv4_prefix), function->ipv4, sizeof(function->ipv4));
    } else if (function->has_ipv6) {
        memcpy(out, function->ipv6, sizeof(function->ipv6));
    }
    return function->has_ipv4 || function->has_ipv6;
}

static bool fits(const struct rdma_listener *listener, const struct rdma_target *target)
{
    if (!target->address)
        return listener->object.session->credentials.uid == target->uid;
    return is_ipv4_of(listener->function, target->address) ||
           is_ipv6_of(listener->function, target->address);
}

struct rdma_listener *rdma_listener_find(const struct node *node, const struct rdma_target *target)
{
    struct rdma_listener *found = NULL;

    for (size_t i = 0; i < node->n_functions; i++) {
        struct rdma_listener *listener = find_at(node, &node->functions[i], target->port);
        if (!listener || !fits(listener, target))
            continue;
        if (listener->function == target->first)
            return listener;
        if (!found || listener->object.id < found->object.id) // the one that has listened longest
            found = listener;
    }
    return found;
}

// ---- calls -----------------------------------------------------------------------------------

static struct caller *caller_get(struct rdma_listener *listener, struct user *user,
                                 struct peer *peer)
{
    struct caller *caller;

    list_for_each (caller, &listener->callers, in_listener)
        if (caller->user == user)
            return caller;
    caller = calloc(1, sizeof(*caller));
    if (!caller)
        return NULL;
    caller->user = user_ref(user);
    list_append(&listener->callers, &caller->in_listener);
    list_init(&caller->in_peer);
    if (peer)
        list_append(&peer->rdma_callers, &caller->in_peer);
    return caller;
}

// A place among the calls that wait.
static doca_error_t take_place(struct rdma_listener *listener, struct user *user, struct peer *peer,
                               struct errtext *err)
{
    int unread;

    if (ioctl(listener->accept_fd, SIOCOUTQ, &unread) == 0 && unread == 0)
        drop_callers(listener);
    struct caller *caller = caller_get(listener, user, peer);
    if (!caller)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    if (caller->n >= limit_share(RDMA_CALLS_WAITING, listener->n_waiting - caller->n))
        return errtext_set(err, DOCA_ERROR_AGAIN,
                           "port %u of function %s (pid %d) has %u calls that it has not looked "
                           "at, %u of them of uid %u",
                           listener->port, listener->function->name,
                           (int)listener->object.session->pid, listener->n_waiting, caller->n,
                           (unsigned)user->uid);
    caller->n++;
    listener->n_waiting++;
    return DOCA_SUCCESS;
}

static void give_place(struct rdma_listener *listener, struct user *user)
{
    struct caller *caller = caller_get(listener, user, NULL); // which take_place() has made

    caller->n--;
    listener->n_waiting--;
    if (caller->n == 0)
        caller_free(caller);
}

static int send_offer(struct rdma_listener *listener, const Docad__RdmaOffer *offer, int fd)
{
    uint8_t packed[RDMA_DESC_SIZE_MAX + 64];
    size_t size = docad__rdma_offer__get_packed_size(offer);

    if (size > sizeof(packed))
        return -EMSGSIZE;
    docad__rdma_offer__pack(offer, packed);
    listener->in_flight.sock = listener->accept_fd;
    if (!in_flight_take(&listener->in_flight, 1))
        return -EAGAIN;
    int r = packet_send(listener->accept_fd, packed, size, &fd, 1, MSG_DONTWAIT);
    if (r < 0)
        in_flight_give(&listener->in_flight, 1);
    return r;
}

doca_error_t rdma_listener_offer(struct rdma_listener *listener, struct user *user,
                                 struct peer *peer, const Docad__RdmaOffer *offer, int *fd,
                                 struct errtext *err)
{
    int pair[2];

    doca_error_t r = take_place(listener, user, peer, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (bytes_only_pair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, pair) < 0) {
        int e = errno;
        give_place(listener, user);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "sockets for a call: %s", strerror(e));
    }
    int e = send_offer(listener, offer, pair[1]);
    fd_reaper_close(pair[1], listener->object.session->user->uid);
    if (e < 0) {
        give_place(listener, user);
        fd_reaper_close(pair[0], FD_REAPER_NO_UID);
        return errtext_set(err, e == -EAGAIN ? DOCA_ERROR_AGAIN : DOCA_ERROR_NOT_FOUND,
                           "port %u of function %s (pid %d) takes no calls now: %s", listener->port,
                           listener->function->name, (int)listener->object.session->pid,
                           strerror(-e));
    }
    listener->calls++;
    *fd = pair[0];
    return DOCA_SUCCESS;
}

// ---- requests --------------------------------------------------------------------------------

static doca_error_t check(const struct session *session, const Docad__RdmaListen *m,
                          const struct function **function, struct errtext *err)
{
    doca_error_t r = session_open_function(session, m->function_id, function, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (m->port == 0 || m->port > UINT16_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "port %u: it must be 1 to 65535",
                           m->port);
    if ((*function)->backing == DOCAD__BACKING__VERBS)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "function %s is an ibverbs device, whose addresses docad does not serve",
                           (*function)->name);
    if (find_at(session->node, *function, m->port))
        return errtext_set(err, DOCA_ERROR_ALREADY_EXIST,
                           "port %u of function %s has a listener; 'docactl listeners' shows "
                           "whose",
                           m->port, (*function)->name);
    return DOCA_SUCCESS;
}

static doca_error_t listener_new(struct rdma_listener **out, struct session *session,
                                 const struct function *function, uint16_t port,
                                 struct errtext *err)
{
    struct node *node = session->node;
    struct rdma_listener *listener = rdma_listener_make(session, function, port);
    if (!listener)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = rdma_listener_enter(listener, node_next_id(node), node_limits(node), err);
    if (r == DOCA_SUCCESS)
        *out = listener;
    else
        dispose(listener);
    return r;
}

doca_error_t on_rdma_listen(struct request *request)
{
    struct session *session = request->session;
    const Docad__RdmaListen *m = request->message->rdma_listen;
    Docad__RdmaListenReply reply = DOCAD__RDMA_LISTEN_REPLY__INIT;
    const struct function *function;
    struct rdma_listener *listener;
    int pair[2];

    doca_error_t r = check(session, m, &function, request->err);
    if (r == DOCA_SUCCESS)
        r = listener_new(&listener, session, function, (uint16_t)m->port, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        r = errtext_set(request->err, DOCA_ERROR_NO_MEMORY, "socket for calls: %s",
                        strerror(errno));
        rdma_listener_free(listener);
        return r;
    }
    bytes_only_set(pair[0]);
    listener->accept_fd = pair[0];
    listener->object.stored.serial = request->message->serial;
    r = rdma_listener_keep(listener, request->err);
    if (r != DOCA_SUCCESS) {
        close_fdp(&pair[1]);
        rdma_listener_free(listener);
        return r;
    }
    reply.listener_id = listener->object.id;
    session_reply(session, request->message->serial,
                  message_of(RDMA_LISTEN_REPLY, rdma_listen_reply, &reply), &pair[1], 1);
    fd_reaper_close(pair[1], session->user->uid);
    return DOCA_SUCCESS;
}

doca_error_t on_rdma_listen_end(struct request *request)
{
    uint64_t id = request->message->rdma_listen_end->listener_id;
    struct rdma_listener *listener =
        OBJECT_OF_SESSION(request->session, LISTENER, id, struct rdma_listener);

    if (!listener)
        return session_has_no("RDMA listener", id, request->err);
    rdma_listener_free(listener);
    return request_reply_ok(request);
}
