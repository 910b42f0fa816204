// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_link.h"

#include "cleanup.h"
#include "clock.h"
#include "node_id.h"
#include "number.h"
#include "packet.h"
#include "tls.h"
#include "tls_links.h"
#include "tls_settings.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent_ssl.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

#define HANDSHAKE_LIMIT_MS 5000
#define FLUSH_LIMIT_MS     1000
#define SILENCE_LIMIT_MS   10000 // what was sent stays unacknowledged: the machine is gone
#define READ_BATCH         16
// What waits in here and in the kernel is before whatever is said next: little, when bytes of
// queue pairs (link_queue.h) fill the link.
#define OUTPUT_HIGH  (256u << 10) // then the connection's own queue grows instead
#define OUTPUT_LOW   (64u << 10)
#define NOTSENT_HIGH (128 << 10)
#define INPUT_HIGH   (4 + 2 * PACKET_SIZE_MAX)

struct tls_link {
    struct list link;
    struct tls_links *links;
    const struct tls_link_owner *ops; // NULL once ready
    void *owner;
    struct bufferevent *tls;
    struct event *readable, *writable; // of `fd`
    struct event *limit;
    int fd;
    bool arriving, ready, closing;
    bool has_left;
    bool drained; // the connection's end is closed, and all that it had sent is taken
    char address[TLS_ADDRESS_SIZE];
    char expected[NODE_NAME_SIZE]; // empty: any
    char node[NODE_NAME_SIZE];
    char why[192];
};

bool tls_address_split(const char *address, char *host, size_t size, unsigned short *port)
{
    const char *colon = strrchr(address, ':');
    uint64_t number;

    if (!colon || colon == address || !number_read(colon + 1, 10, UINT16_MAX, &number))
        return false;
    size_t length = (size_t)(colon - address);
    if (*address == '[' && colon[-1] == ']') {
        address++;
        length -= 2;
    } else if (memchr(address, ':', length)) {
        return false; // an IPv6 address needs its brackets
    }
    if (number == 0 || length == 0 || length >= size)
        return false;
    memcpy(host, address, length);
    host[length] = '\0';
    *port = (unsigned short)number;
    return true;
}

// ---- ends -------------------------------------------------------------------------------

struct tls_link *tls_link_free(struct tls_link *link)
{
    if (!link)
        return NULL;
    struct event *const events[] = {link->readable, link->writable, link->limit};
    list_remove(&link->link);
    if (link->arriving)
        link->links->arriving--;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    if (link->tls)
        bufferevent_free(link->tls);
    close_fdp(&link->fd);
    free(link);
    return NULL;
}

void tls_link_free_all(struct tls_links *links)
{
    while (!list_empty(&links->list))
        tls_link_free(list_entry(links->list.next, struct tls_link, link));
}

static size_t unsent(const struct tls_link *link)
{
    return evbuffer_get_length(bufferevent_get_output(link->tls));
}

struct tls_link *tls_link_close(struct tls_link *link)
{
    struct timeval limit = ms_to_timeval(FLUSH_LIMIT_MS);

    if (!link)
        return NULL;
    link->closing = true;
    if (link->fd < 0 || event_add(link->limit, &limit) < 0)
        return tls_link_free(link);
    // What the connection had sent is still in the socket, its end is closed after this.
    bufferevent_disable(link->tls, EV_READ);
    bufferevent_setwatermark(link->tls, EV_WRITE, 0, 0);
    event_add(link->readable, NULL);
    return NULL;
}

bool tls_link_is_revoked(const struct tls_link *link)
{
    return tls_is_revoked(link->links->tls, bufferevent_openssl_get_ssl(link->tls));
}

// From the loop only.
static void fail(struct tls_link *link, const char *why)
{
    const struct tls_link_owner *ops = link->ops;
    void *owner = link->owner;

    if (link->closing) {
        tls_link_free(link);
    } else if (link->ready) {
        // The connection reads what has come, and then that this is the end.
        snprintf(link->why, sizeof(link->why), "%s", why);
        bufferevent_disable(link->tls, EV_READ | EV_WRITE);
        event_del(link->readable);
        event_del(link->writable);
        close_fdp(&link->fd);
    } else {
        char address[sizeof(link->address)];
        memcpy(address, link->address, sizeof(address));
        tls_link_free(link);
        ops->failed(owner, address, why);
    }
}

// ---- from the connection to the other side --------------------------------------------------

// 1: one went; 0: there is no more, for now or for ever; -1: the link failed, and may be gone.
static int carry_out(struct tls_link *link)
{
    static uint8_t buf[PACKET_SIZE_MAX];
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    ssize_t n = packet_recv(link->fd, buf, sizeof(buf), &fds, MSG_DONTWAIT);
    if (n == -EAGAIN)
        return 0;
    if (n <= 0) {
        link->drained = true;
        return 0;
    }
    assert(fds.count == 0); // connection_send() sees to it
    uint32_t length = htonl((uint32_t)n);
    if (bufferevent_write(link->tls, &length, sizeof(length)) < 0 ||
        bufferevent_write(link->tls, buf, (size_t)n) < 0) {
        fail(link, "out of memory");
        return -1;
    }
    return 1;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct tls_link *link = arg;
    int r = 1;
    (void)fd;
    (void)what;

    for (int i = 0; i < READ_BATCH && r > 0 && unsent(link) <= OUTPUT_HIGH; i++)
        r = carry_out(link);
    if (r < 0)
        return;
    if (link->drained && unsent(link) == 0)
        tls_link_free(link);
    else if (link->drained || unsent(link) > OUTPUT_HIGH)
        event_del(link->readable);
}

static void on_sent(struct bufferevent *tls, void *arg)
{
    struct tls_link *link = arg;
    (void)tls;
    if (link->drained && unsent(link) == 0)
        tls_link_free(link);
    else if (link->ready && link->fd >= 0 && !link->drained)
        event_add(link->readable, NULL);
}

// ---- from the other side to the connection --------------------------------------------------

// 1: one went; 0: not now; -1: the link is gone.
static int carry_in(struct tls_link *link)
{
    struct evbuffer *input = bufferevent_get_input(link->tls);
    uint32_t length;

    if (evbuffer_copyout(input, &length, sizeof(length)) < (ssize_t)sizeof(length))
        return 0;
    length = ntohl(length);
    if (length == 0 || length > PACKET_SIZE_MAX) {
        fail(link, "sent bytes that are no message");
        return -1;
    }
    if (evbuffer_get_length(input) < sizeof(length) + length)
        return 0;
    uint8_t *packet = evbuffer_pullup(input, (ssize_t)(sizeof(length) + length));
    int r = packet ? packet_send(link->fd, packet + sizeof(length), length, NULL, 0, MSG_DONTWAIT)
                   : -ENOMEM;
    if (r == -EAGAIN || r == -ENOBUFS) {
        bufferevent_disable(link->tls, EV_READ);
        event_add(link->writable, NULL);
        return 0;
    }
    if (r < 0) {
        fail(link, strerror(-r));
        return -1;
    }
    evbuffer_drain(input, sizeof(length) + length);
    return 1;
}

static void on_received(struct bufferevent *tls, void *arg)
{
    struct tls_link *link = arg;
    int r = 1;
    (void)tls;
    if (!link->ready || link->closing || link->fd < 0)
        return;
    while (r > 0)
        r = carry_in(link);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct tls_link *link = arg;
    (void)fd;
    (void)what;
    if (link->closing || link->fd < 0)
        return;
    bufferevent_enable(link->tls, EV_READ);
    on_received(link->tls, link);
}

// ---- beginning --------------------------------------------------------------------------------

static void on_limit(evutil_socket_t fd, short what, void *arg)
{
    struct tls_link *link = arg;
    char why[64];
    (void)fd;
    (void)what;
    snprintf(why, sizeof(why), "no TLS handshake within %d ms", HANDSHAKE_LIMIT_MS);
    fail(link, why);
}

// A machine that is gone says nothing: it must be noticed all the same.
static void set_tcp_options(int fd)
{
    const struct {
        int option, value;
    } options[] = {
        {TCP_NODELAY, 1},
        {TCP_KEEPIDLE, 3},
        {TCP_KEEPINTVL, 2},
        {TCP_KEEPCNT, 3},
        {TCP_USER_TIMEOUT, SILENCE_LIMIT_MS},
        {TCP_NOTSENT_LOWAT, NOTSENT_HIGH},
    };
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        setsockopt(fd, IPPROTO_TCP, options[i].option, &options[i].value, sizeof(options[i].value));
}

static void on_handshake(struct tls_link *link)
{
    char why[2 * NODE_NAME_SIZE + 64];
    const SSL *ssl = bufferevent_openssl_get_ssl(link->tls);

    if (!tls_node_there(ssl, link->node, sizeof(link->node))) {
        fail(link, "its certificate names no node: it needs a DNS name in subjectAltName");
        return;
    }
    if (link->expected[0] && strcmp(link->expected, link->node) != 0) {
        snprintf(why, sizeof(why), "its certificate names node %s, not %s", link->node,
                 link->expected);
        fail(link, why);
        return;
    }
    if (tls_link_is_revoked(link)) { // since the handshake began
        fail(link, "its certificate has been revoked");
        return;
    }
    set_tcp_options(bufferevent_getfd(link->tls));
    link->ready = true;
    if (link->arriving)
        link->links->arriving--;
    link->arriving = false;
    event_del(link->limit);
    link->ops->ready(link->owner, link);
}

static void on_trouble(struct tls_link *link, short what)
{
    int error = EVUTIL_SOCKET_ERROR();
    int dns = bufferevent_socket_get_dns_error(link->tls);
    unsigned long tls = bufferevent_get_openssl_error(link->tls);
    char why[256];

    if (dns)
        snprintf(why, sizeof(why), "no address is known for it: %s", evutil_gai_strerror(dns));
    else if (tls)
        tls_why(bufferevent_openssl_get_ssl(link->tls), tls, why, sizeof(why));
    else if ((what & BEV_EVENT_ERROR) && error)
        snprintf(why, sizeof(why), "%s", strerror(error));
    else
        snprintf(why, sizeof(why), "closed by the other side");
    link->has_left = !dns && !tls && (!error || error == ECONNRESET || !(what & BEV_EVENT_ERROR));
    fail(link, why);
}

static void on_event(struct bufferevent *tls, short what, void *arg)
{
    struct tls_link *link = arg;
    (void)tls;
    if (link->ready && link->fd < 0)
        return; // it has failed already
    if (what & BEV_EVENT_CONNECTED)
        on_handshake(link);
    else if (what & (BEV_EVENT_ERROR | BEV_EVENT_EOF))
        on_trouble(link, what);
}

static struct tls_link *make(struct tls_links *links, const char *address, int fd, bool accepted)
{
    struct tls_link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    list_init(&link->link);
    link->links = links;
    link->fd = -1;
    SSL *ssl = SSL_new(links->tls);
    if (ssl)
        link->tls = bufferevent_openssl_socket_new(
            links->base, fd, ssl, accepted ? BUFFEREVENT_SSL_ACCEPTING : BUFFEREVENT_SSL_CONNECTING,
            BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
    link->limit = event_new(links->base, -1, 0, on_limit, link);
    if (!link->tls || !link->limit) {
        if (!link->tls && fd >= 0)
            close(fd);
        return tls_link_free(link);
    }
    snprintf(link->address, sizeof(link->address), "%s", address);
    bufferevent_openssl_set_allow_dirty_shutdown(link->tls, 1);
    bufferevent_setcb(link->tls, on_received, on_sent, on_event, link);
    bufferevent_setwatermark(link->tls, EV_READ, 0, INPUT_HIGH);
    bufferevent_setwatermark(link->tls, EV_WRITE, OUTPUT_LOW, 0);
    list_append(&links->list, &link->link);
    return link;
}

int tls_link_dial(struct tls_link **out, struct tls_links *links, const char *address,
                  const char *node, const struct tls_link_owner *ops, void *owner)
{
    struct timeval limit = ms_to_timeval(HANDSHAKE_LIMIT_MS);
    char host[TLS_ADDRESS_SIZE];
    unsigned short port;

    if (!tls_address_split(address, host, sizeof(host), &port))
        return -EINVAL;
    struct tls_link *link = make(links, address, -1, false);
    if (!link)
        return -ENOMEM;
    snprintf(link->expected, sizeof(link->expected), "%s", node);
    link->ops = ops;
    link->owner = owner;
    if (event_add(link->limit, &limit) < 0 ||
        bufferevent_enable(link->tls, EV_READ | EV_WRITE) < 0 ||
        bufferevent_socket_connect_hostname(link->tls, links->dns, AF_UNSPEC, host, port) < 0) {
        tls_link_free(link);
        return errno ? -errno : -ENOMEM;
    }
    *out = link;
    return 0;
}

int tls_link_accept(struct tls_link **out, struct tls_links *links, int fd, const char *address,
                    const struct tls_link_owner *ops, void *owner)
{
    struct timeval limit = ms_to_timeval(HANDSHAKE_LIMIT_MS);
    struct tls_link *link = make(links, address, fd, true);

    if (!link)
        return -ENOMEM;
    link->ops = ops;
    link->owner = owner;
    link->arriving = true;
    links->arriving++;
    if (event_add(link->limit, &limit) < 0 ||
        bufferevent_enable(link->tls, EV_READ | EV_WRITE) < 0) {
        tls_link_free(link);
        return -ENOMEM;
    }
    *out = link;
    return 0;
}

static size_t host_length(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon ? (size_t)(colon - address) : strlen(address);
}

unsigned tls_link_count_arriving(const struct tls_links *links, const char *address)
{
    const struct tls_link *link;
    size_t length = host_length(address);
    unsigned n = 0;

    list_for_each (link, &links->list, link)
        n += link->arriving && host_length(link->address) == length &&
             memcmp(link->address, address, length) == 0;
    return n;
}

int tls_link_start(struct tls_link *link, int fd)
{
    link->readable = event_new(link->links->base, fd, EV_READ | EV_PERSIST, on_readable, link);
    link->writable = event_new(link->links->base, fd, EV_WRITE, on_writable, link);
    if (!link->readable || !link->writable || event_add(link->readable, NULL) < 0)
        return -ENOMEM;
    link->fd = fd;
    return 0;
}

const char *tls_link_node(const struct tls_link *link)
{
    return link->node;
}

const char *tls_link_address(const struct tls_link *link)
{
    return link->address;
}

const char *tls_link_why(const struct tls_link *link)
{
    return link->why[0] ? link->why : "closed by the other side";
}

bool tls_link_has_left(const struct tls_link *link)
{
    return link->has_left;
}

size_t tls_link_own_address(const struct tls_link *link, uint8_t address[16])
{
    struct sockaddr_storage own;
    socklen_t size = sizeof(own);

    if (getsockname(bufferevent_getfd(link->tls), (struct sockaddr *)&own, &size) < 0)
        return 0;
    if (own.ss_family == AF_INET) {
        memcpy(address, &((struct sockaddr_in *)&own)->sin_addr, 4);
        return 4;
    }
    const struct in6_addr *ipv6 = &((struct sockaddr_in6 *)&own)->sin6_addr;
    bool mapped = IN6_IS_ADDR_V4MAPPED(ipv6);
    memcpy(address, ipv6->s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
    return mapped ? 4 : 16;
}
