// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_handshake.h"

#include "cleanup.h"
#include "clock.h"
#include "copy_text.h"
#include "host_port.h"
#include "node_id.h"
#include "tls.h"
#include "tls_endpoint.h"
#include "tls_settings.h"
#include "tls_transport.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <event2/util.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

#define LIMIT_MS 5000

// A name lookup. Its answer arrives even if the handshake was freed.
struct lookup {
    struct tls_handshake *handshake; // NULL: not wanted any more
    struct evdns_getaddrinfo_request *request;
};

struct tls_handshake {
    struct list in_endpoint; // endpoint->handshakes
    struct tls_endpoint *endpoint;
    const struct tls_handshake_owner *ops;
    void *owner;
    struct event *progress; // of the handshake's socket
    struct event *limit;    // or `why` has to be reported
    struct lookup *lookup;
    struct evutil_addrinfo *addresses, *next; // the ones not tried yet
    SSL *ssl;
    int fd;
    bool connected;
    struct tls_remote *client; // the machine that connected; NULL: we did
    struct sched_item turn;    // of a client, to shake hands
    char address[TLS_ADDRESS_SIZE];
    char expected[NODE_NAME_SIZE]; // empty: any node
    char why[256];
};

// ---- ends -------------------------------------------------------------------------------

static void lookup_cancel(struct lookup *lookup)
{
    lookup->handshake = NULL;
    evdns_getaddrinfo_cancel(lookup->request);
}

struct tls_handshake *tls_handshake_free(struct tls_handshake *h)
{
    if (!h)
        return NULL;
    list_remove(&h->in_endpoint);
    sched_dequeue(&h->turn);
    if (h->client) {
        h->endpoint->arriving--;
        h->client->handshakes--;
    }
    if (h->lookup)
        lookup_cancel(h->lookup);
    if (h->addresses)
        evutil_freeaddrinfo(h->addresses);
    if (h->progress)
        event_free(h->progress);
    if (h->limit)
        event_free(h->limit);
    SSL_free(h->ssl);
    close_fdp(&h->fd);
    free(h);
    return NULL;
}

void tls_handshake_free_all(struct tls_endpoint *endpoint)
{
    while (!list_empty(&endpoint->handshakes))
        tls_handshake_free(
            list_entry(endpoint->handshakes.next, struct tls_handshake, in_endpoint));
}

// Called from the loop only.
static void fail(struct tls_handshake *h, const char *why)
{
    const struct tls_handshake_owner *ops = h->ops;
    void *owner = h->owner;
    char address[sizeof(h->address)], text[sizeof(h->why)];

    memcpy(address, h->address, sizeof(address));
    copy_text(text, why); // it may be in memory that is freed here
    tls_handshake_free(h);
    ops->failed(owner, address, text);
}

// The same if the caller may not be the loop.
static void fail_soon(struct tls_handshake *h, const char *why)
{
    copy_text(h->why, why);
    event_active(h->limit, EV_TIMEOUT, 0);
}

static void on_limit(evutil_socket_t fd, short what, void *arg)
{
    struct tls_handshake *h = arg;
    (void)fd;
    (void)what;
    if (!h->why[0])
        snprintf(h->why, sizeof(h->why),
                 h->lookup ? "no name server has answered within %d ms"
                           : "no TLS handshake within %d ms",
                 LIMIT_MS);
    fail(h, h->why);
}

// ---- certificates -----------------------------------------------------------------------

// Checks that the other side is the expected node.
static bool check_node(struct tls_handshake *h, char node[NODE_NAME_SIZE])
{
    if (!tls_node_there(h->ssl, node, NODE_NAME_SIZE)) {
        fail(h, "its certificate does not name a node: it needs a DNS name in subjectAltName");
        return false;
    }
    if (h->expected[0] && strcmp(h->expected, node) != 0) {
        snprintf(h->why, sizeof(h->why), "its certificate names node %s, not %s", node,
                 h->expected);
        fail(h, h->why);
        return false;
    }
    if (tls_is_revoked(h->endpoint->tls, h->ssl)) { // the list may have changed since the handshake
                                                    // began
        fail(h, "its certificate has been revoked");
        return false;
    }
    return true;
}

static void finish(struct tls_handshake *h)
{
    const struct tls_handshake_owner *ops = h->ops;
    void *owner = h->owner;
    char node[NODE_NAME_SIZE];
    struct tls_transport *tls;

    if (!check_node(h, node))
        return;
    event_del(h->progress); // the transport owns the socket now
    if (tls_transport_new(&tls, h->endpoint, h->ssl, node, h->address) < 0) {
        fail(h, "out of memory");
        return;
    }
    h->ssl = NULL;
    h->fd = -1;
    tls_handshake_free(h);
    ops->ready(owner, tls);
}

// ---- the socket -------------------------------------------------------------------------

static void on_progress(evutil_socket_t fd, short what, void *arg);

// Returns false if memory ran out.
static bool await(struct tls_handshake *h, short what)
{
    if (!h->progress)
        h->progress = event_new(h->endpoint->base, h->fd, what, on_progress, h);
    else if (event_assign(h->progress, h->endpoint->base, h->fd, what, on_progress, h) < 0)
        return false;
    return h->progress && event_add(h->progress, NULL) == 0;
}

static void shake(struct tls_handshake *h)
{
    ERR_clear_error();
    errno = 0;
    int r = SSL_do_handshake(h->ssl);
    int error = errno;
    if (r == 1) {
        finish(h);
        return;
    }
    int what = SSL_get_error(h->ssl, r);
    if (what == SSL_ERROR_WANT_READ || what == SSL_ERROR_WANT_WRITE) {
        if (!await(h, what == SSL_ERROR_WANT_READ ? EV_READ : EV_WRITE))
            fail(h, "out of memory");
        return;
    }
    unsigned long code = ERR_peek_error();
    if (code)
        tls_why(h->ssl, code, h->why, sizeof(h->why));
    else
        copy_text(h->why, what == SSL_ERROR_SYSCALL && error ? strerror(error)
                                                             : "closed by the other side");
    ERR_clear_error();
    fail(h, h->why);
}

// 0 or -errno.
static int begin_shaking(struct tls_handshake *h)
{
    h->ssl = SSL_new(h->endpoint->tls);
    if (!h->ssl || SSL_set_fd(h->ssl, h->fd) != 1)
        return -ENOMEM;
    if (h->client)
        SSL_set_accept_state(h->ssl);
    else
        SSL_set_connect_state(h->ssl);
    h->connected = true;
    return 0;
}

// 0: connecting has begun; otherwise -errno.
static int try_address(struct tls_handshake *h, const struct evutil_addrinfo *address)
{
    if (h->progress)
        event_del(h->progress);
    close_fdp(&h->fd);
    h->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (h->fd < 0 || (connect(h->fd, address->ai_addr, (socklen_t)address->ai_addrlen) < 0 &&
                      errno != EINPROGRESS))
        return -errno;
    return await(h, EV_WRITE) ? 0 : -ENOMEM;
}

// Tries the next address that can be reached; fails with `error` if there is none.
static void try_next(struct tls_handshake *h, int error)
{
    while (h->next) {
        const struct evutil_addrinfo *address = h->next;
        h->next = address->ai_next;
        error = -try_address(h, address);
        if (error == 0)
            return;
    }
    fail_soon(h, strerror(error));
}

static void on_progress(evutil_socket_t fd, short what, void *arg)
{
    struct tls_handshake *h = arg;
    int error = 0;
    socklen_t size = sizeof(error);
    (void)what;

    if (!h->connected) {
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
            error = errno;
        if (error) {
            try_next(h, error);
            return;
        }
        if (begin_shaking(h) < 0) {
            fail(h, "out of memory");
            return;
        }
    }
    if (h->turn.sched)
        sched_queue(&h->turn);
    else
        shake(h);
}

static bool take_turn(struct sched_item *turn)
{
    shake(container_of(turn, struct tls_handshake, turn)); // which may free it
    return false;
}

// ---- beginning --------------------------------------------------------------------------

static void on_found(int result, struct evutil_addrinfo *found, void *arg)
{
    struct lookup *lookup = arg;
    struct tls_handshake *h = lookup->handshake;
    free(lookup);
    if (!h) {
        if (found)
            evutil_freeaddrinfo(found);
        return;
    }
    h->lookup = NULL;
    h->addresses = h->next = found;
    if (result == 0 && found) {
        try_next(h, 0);
        return;
    }
    char why[128];
    snprintf(why, sizeof(why), "no address is known for it: %s", evutil_gai_strerror(result));
    fail_soon(h, why);
}

// The address may be found before this returns.
static int look_up(struct tls_handshake *h, const char *host, unsigned short port)
{
    const struct evutil_addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_TCP};
    char service[8];

    h->lookup = calloc(1, sizeof(*h->lookup));
    if (!h->lookup)
        return -ENOMEM;
    h->lookup->handshake = h;
    snprintf(service, sizeof(service), "%u", port);
    struct evdns_getaddrinfo_request *request =
        evdns_getaddrinfo(h->endpoint->dns, host, service, &hints, on_found, h->lookup);
    if (h->lookup)
        h->lookup->request = request;
    return 0;
}

static struct tls_handshake *make(struct tls_endpoint *endpoint, const char *address,
                                  const struct tls_handshake_owner *ops, void *owner)
{
    struct timeval limit = ms_to_timeval(LIMIT_MS);
    struct tls_handshake *h = calloc(1, sizeof(*h));
    if (!h)
        return NULL;
    h->endpoint = endpoint;
    h->ops = ops;
    h->owner = owner;
    h->fd = -1;
    copy_text(h->address, address);
    list_init(&h->turn.in_user);
    list_append(&endpoint->handshakes, &h->in_endpoint);
    h->limit = event_new(endpoint->base, -1, 0, on_limit, h);
    if (!h->limit || event_add(h->limit, &limit) < 0)
        return tls_handshake_free(h);
    return h;
}

int tls_handshake_connect(struct tls_handshake **out, struct tls_endpoint *endpoint,
                          const char *address, const char *node,
                          const struct tls_handshake_owner *ops, void *owner)
{
    char host[TLS_ADDRESS_SIZE];
    unsigned short port;

    if (!host_port_split(address, host, sizeof(host), &port))
        return -EINVAL;
    struct tls_handshake *h = make(endpoint, address, ops, owner);
    if (!h)
        return -ENOMEM;
    copy_text(h->expected, node);
    int r = look_up(h, host, port);
    if (r < 0) {
        tls_handshake_free(h);
        return r;
    }
    *out = h;
    return 0;
}

int tls_handshake_accept(struct tls_endpoint *endpoint, int fd, struct tls_remote *client,
                         const struct tls_handshake_owner *ops, void *owner)
{
    struct tls_handshake *h = make(endpoint, client->address, ops, owner);
    if (!h) {
        close(fd);
        return -ENOMEM;
    }
    h->fd = fd;
    h->client = client;
    h->turn =
        (struct sched_item){.sched = endpoint->sched, .user = &client->sched, .take = take_turn};
    list_init(&h->turn.in_user);
    client->handshakes++;
    endpoint->arriving++;
    if (begin_shaking(h) < 0 || !await(h, EV_READ)) {
        tls_handshake_free(h);
        return -ENOMEM;
    }
    return 0;
}
