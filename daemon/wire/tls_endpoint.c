// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_endpoint.h"

#include "cleanup.h"
#include "clock.h"
#include "copy_text.h"
#include "host_port.h"
#include "listener.h"
#include "log.h"
#include "tls.h"
#include "tls_handshake.h"
#include "tls_settings.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#define FROM_ONE_MAX 8 // connections of one machine at a time, so that others can connect, too

static void on_ready(void *owner, struct tls_transport *tls)
{
    struct tls_endpoint *endpoint = owner;
    endpoint->accepted(endpoint->arg, tls);
}

// Logs a refusal. The first one of a machine with this `reason` gets a line; further ones are only
// counted. The machine's ports may differ.
static void log_refused(struct tls_endpoint *endpoint, const char *address, const char *at,
                        const char *reason, const char *why)
{
    char host[TLS_ADDRESS_SIZE], more[REFUSED_SILENT_SIZE];
    uint64_t silent;

    snprintf(host, sizeof(host), "%.*s", (int)host_port_host_length(address), address);
    if (refusals_add(&endpoint->refusals, host, at, reason, clock_ms(), &silent))
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, NULL,
                          "a link from another machine (%s) was refused: %s%s; " REFUSED_COUNTED,
                          address, why, refusals_format(silent, more));
}

static void on_failed(void *owner, const char *address, const char *why)
{
    struct tls_endpoint *endpoint = owner;
    endpoint->refused[TLS_REFUSED_HANDSHAKE]++;
    log_refused(endpoint, address, "handshake", why, why);
}

static struct tls_remote *client_at(struct tls_endpoint *endpoint, const char *address)
{
    struct tls_remote *oldest = NULL;

    for (size_t i = 0; i < TLS_ARRIVING_MAX; i++) {
        struct tls_remote *g = &endpoint->clients[i];
        if (g->address[0] && host_port_same_host(g->address, address))
            return g;
        if (g->handshakes == 0 && (!oldest || g->last < oldest->last))
            oldest = g;
    }
    if (oldest)
        oldest->sched.throttled_until_ns = 0;
    return oldest;
}

static void on_accept(void *arg, int fd)
{
    static const struct tls_handshake_owner owner = {.ready = on_ready, .failed = on_failed};
    struct tls_endpoint *endpoint = arg;
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    char address[TLS_ADDRESS_SIZE], why[96];

    if (getpeername(fd, (struct sockaddr *)&from, &size) < 0) { // it has disconnected already
        close(fd);
        return;
    }
    host_port_format((struct sockaddr *)&from, size, address, sizeof(address));
    struct tls_remote *client = client_at(endpoint, address);
    bool too_many = client && client->handshakes >= FROM_ONE_MAX;
    if (!client || too_many || endpoint->arriving >= TLS_ARRIVING_MAX) {
        snprintf(why, sizeof(why), "%u others%s have not shown a certificate yet",
                 too_many ? client->handshakes : endpoint->arriving, too_many ? " from there" : "");
        endpoint->refused[TLS_REFUSED_TOO_MANY]++;
        log_refused(endpoint, address, "crowd", "crowd", why);
        close(fd);
        return;
    }
    copy_text(client->address, address);
    client->last = ++endpoint->accepted_so_far;
    if (tls_handshake_accept(endpoint, fd, client, &owner, endpoint) < 0)
        log_limited(LOG_LEVEL_ERROR, "a link from %s was refused: out of memory", address);
}

// Returns a listening socket at the first of these addresses, or -1 with errno.
static int listen_on(const struct addrinfo *at)
{
    const int on = 1;
    cleanup_fd int fd =
        socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0)
        return -1;
    return steal_fd(&fd);
}

static doca_error_t begin_accepting(struct tls_endpoint *endpoint, int fd, struct errtext *err)
{
    doca_error_t r = listener_new_from_fd(&endpoint->listener, fd, err);
    if (r != DOCA_SUCCESS)
        close(fd);
    else if (!listener_start(endpoint->listener, endpoint->base, endpoint->sched, on_accept,
                             endpoint))
        r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    return r;
}

// Listens at an address of this machine: a number, or a name from its hosts file.
static doca_error_t listen_at(struct tls_endpoint *endpoint, const char *where, struct errtext *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    char host[TLS_ADDRESS_SIZE], service[8];
    unsigned short port;

    if (!host_port_split(where, host, sizeof(host), &port))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "tls: listen: %s is not HOST:PORT",
                           where);
    snprintf(service, sizeof(service), "%u", port);
    int r = getaddrinfo(host, service, &hints, &found);
    if (r != 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "tls: listen: %s: %s", where,
                           gai_strerror(r));
    int fd = listen_on(found);
    int error = errno;
    freeaddrinfo(found);
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: cannot listen at %s: %s (name another address of this machine, or "
                           "stop the process that listens there)",
                           where, strerror(error));
    return begin_accepting(endpoint, fd, err);
}

doca_error_t tls_endpoint_new(struct tls_endpoint **out, struct event_base *base,
                              struct sched *sched, const struct tls_settings *settings,
                              tls_accepted_fn accepted, void *arg, struct errtext *err)
{
    struct tls_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    endpoint->base = base;
    endpoint->sched = sched;
    for (size_t i = 0; i < TLS_ARRIVING_MAX; i++)
        sched_user_init(&endpoint->clients[i].sched, &endpoint->client_group);
    endpoint->accepted = accepted;
    endpoint->arg = arg;
    list_init(&endpoint->handshakes);
    doca_error_t r = tls_new(&endpoint->tls, settings, err);
    if (r == DOCA_SUCCESS && settings->listen[0])
        r = listen_at(endpoint, settings->listen, err);
    if (r == DOCA_SUCCESS) {
        endpoint->dns = evdns_base_new(base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
                                                 EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!endpoint->dns) // no name server is configured: numeric addresses still work
            endpoint->dns = evdns_base_new(base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!endpoint->dns)
            r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    if (r != DOCA_SUCCESS) {
        tls_endpoint_free(endpoint);
        return r;
    }
    *out = endpoint;
    return DOCA_SUCCESS;
}

doca_error_t tls_endpoint_reload(struct tls_endpoint *endpoint, const struct tls_settings *settings,
                                 struct errtext *err)
{
    SSL_CTX *tls;
    doca_error_t r = tls_new(&tls, settings, err);
    if (r != DOCA_SUCCESS)
        return r;
    tls_free(endpoint->tls);
    endpoint->tls = tls;
    return DOCA_SUCCESS;
}

struct tls_endpoint *tls_endpoint_free(struct tls_endpoint *endpoint)
{
    if (!endpoint)
        return NULL;
    tls_handshake_free_all(endpoint);
    listener_free(endpoint->listener);
    if (endpoint->dns)
        evdns_base_free(endpoint->dns, 0);
    tls_free(endpoint->tls);
    free(endpoint);
    return NULL;
}
