// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_links.h"

#include "cleanup.h"
#include "log.h"
#include "tls.h"
#include "tls_settings.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#define ARRIVING_MAX 64 // strangers at the door
#define FROM_ONE_MAX 8  // of one machine, which must not keep the others out

static void on_ready(void *owner, struct tls_link *link)
{
    struct tls_links *links = owner;
    links->accepted(links->arg, link);
}

static void log_refused(const char *address, const char *why)
{
    log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, NULL,
                      "a link from another machine (%s) was refused: %s", address, why);
}

static void on_failed(void *owner, const char *address, const char *why)
{
    (void)owner;
    log_refused(address, why);
}

static void format_address(const struct sockaddr *address, int size, char *out, size_t out_size)
{
    char host[128], port[16];
    if (getnameinfo(address, (socklen_t)size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(out, out_size, "unknown");
    else
        snprintf(out, out_size, address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from,
                      int size, void *arg)
{
    static const struct tls_link_owner owner = {.ready = on_ready, .failed = on_failed};
    struct tls_links *links = arg;
    struct tls_link *link;
    char address[160], why[96];
    (void)listener;

    format_address(from, size, address, sizeof(address));
    unsigned there = tls_link_count_arriving(links, address);
    if (links->arriving >= ARRIVING_MAX || there >= FROM_ONE_MAX) {
        snprintf(why, sizeof(why), "%u others%s have not shown a certificate yet",
                 there >= FROM_ONE_MAX ? there : links->arriving,
                 there >= FROM_ONE_MAX ? " from there" : "");
        log_refused(address, why);
        close(fd);
        return;
    }
    if (tls_link_accept(&link, links, fd, address, &owner, links) < 0)
        log_limited(LOG_LEVEL_ERROR, "a link from %s was refused: out of memory", address);
}

static void on_accept_error(struct evconnlistener *listener, void *arg)
{
    (void)listener;
    (void)arg;
    log_limited(LOG_LEVEL_WARNING, "cannot accept links from other machines: %s", strerror(errno));
}

// An address of this machine: a number, or a name that its files know.
static doca_error_t listen_at(struct tls_links *links, const char *where, struct errtext *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    char host[TLS_ADDRESS_SIZE], service[8];
    unsigned short port;

    if (!tls_address_split(where, host, sizeof(host), &port))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "tls: listen: %s is no HOST:PORT", where);
    snprintf(service, sizeof(service), "%u", port);
    int r = getaddrinfo(host, service, &hints, &found);
    if (r != 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "tls: listen: %s: %s", where,
                           gai_strerror(r));
    links->listener =
        evconnlistener_new_bind(links->base, on_accept, links,
                                LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
                                SOMAXCONN, found->ai_addr, (int)found->ai_addrlen);
    int error = errno;
    freeaddrinfo(found);
    if (!links->listener)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: cannot listen at %s: %s (name another address of this machine, or "
                           "stop who listens there)",
                           where, strerror(error));
    evconnlistener_set_error_cb(links->listener, on_accept_error);
    return DOCA_SUCCESS;
}

doca_error_t tls_links_new(struct tls_links **out, struct event_base *base,
                           const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                           struct errtext *err)
{
    struct tls_links *links = calloc(1, sizeof(*links));
    if (!links)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    links->base = base;
    links->accepted = accepted;
    links->arg = arg;
    list_init(&links->list);
    doca_error_t r = tls_new(&links->tls, settings, err);
    if (r == DOCA_SUCCESS && settings->listen[0])
        r = listen_at(links, settings->listen, err);
    if (r == DOCA_SUCCESS) {
        links->dns = evdns_base_new(base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
                                              EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!links->dns) // no name server is known: numbers still work
            links->dns = evdns_base_new(base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!links->dns)
            r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    if (r != DOCA_SUCCESS) {
        tls_links_free(links);
        return r;
    }
    *out = links;
    return DOCA_SUCCESS;
}

doca_error_t tls_links_reload(struct tls_links *links, const struct tls_settings *settings,
                              struct errtext *err)
{
    SSL_CTX *tls;
    doca_error_t r = tls_new(&tls, settings, err);
    if (r != DOCA_SUCCESS)
        return r;
    tls_free(links->tls);
    links->tls = tls;
    return DOCA_SUCCESS;
}

struct tls_links *tls_links_free(struct tls_links *links)
{
    if (!links)
        return NULL;
    tls_link_free_all(links);
    if (links->listener)
        evconnlistener_free(links->listener);
    if (links->dns)
        evdns_base_free(links->dns, 0);
    tls_free(links->tls);
    free(links);
    return NULL;
}
